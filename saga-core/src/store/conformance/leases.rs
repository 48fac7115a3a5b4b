//! Renewals: what a worker still has, and for how long.

use super::bench::{Bench, append, signal, worker_id};
use crate::store::{Append, Due, StoreError, Then, Write};

type Lines = Result<Vec<String>, StoreError>;

super::cases! {
    "a renewal prolongs all leases of the worker and of nobody else", prolongs =>
        ["w1 has 2", "nothing claimed", "claimed c fence 2"];
    "a renewal answers with fence and inbox", answers => ["fence 1 inbox 0", "fence 1 inbox 2"];
    "a run that was taken over is missing from the renewal, and its new lease is untouched", taken_over =>
        ["claimed a fence 2", "w1 has 1", "w2 has 1", "running length 1 fence 2 leased due later claims 2"];
    "a run that was released or has ended is not renewed", released => ["w1 has 0"];
    "a lease that has ended and that nobody took is renewed", not_taken => ["w1 has 1", "nothing claimed"];
    "who never had anything renews nothing and is not listed", unknown => ["w9 has 0", "0 workers"];
    "a lease counts from the renewal, not from the last end", from_now => ["true"];
}

async fn renew(bench: &Bench, worker: &str) -> Result<String, StoreError> {
    let held = bench.store.renew(&worker_id(worker), bench.ticks(5)).await?;
    Ok(format!("{worker} has {}", held.len()))
}

async fn prolongs(bench: &Bench) -> Lines {
    for (key, worker) in [("a", "w1"), ("b", "w1"), ("c", "w2")] {
        bench.leased(key, worker).await?;
    }
    bench.pass(3).await;
    let held = renew(bench, "w1").await?;
    let early = bench.claimed("w3").await?;
    bench.pass(3).await;
    Ok(vec![held, early, bench.claimed("w3").await?])
}

async fn answers(bench: &Bench) -> Lines {
    let first = bench.leased("a", "w1").await?;
    let second = bench.leased("b", "w1").await?;
    for _ in 0..2 {
        bench.write(Write::Post(signal(second))).await?;
    }
    let held = bench.store.renew(&worker_id("w1"), bench.ticks(5)).await?;
    let of = |run| held.iter().find(|lease| lease.run == run);
    let words =
        |run| of(run).map_or_else(String::new, |lease| format!("fence {} inbox {}", lease.fence, lease.inbox_last));
    Ok(vec![words(first), words(second)])
}

async fn taken_over(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    bench.pass(5).await;
    let taken = bench.claimed("w2").await?;
    bench.leased("b", "w1").await?;
    let lines = [renew(bench, "w1").await?, renew(bench, "w2").await?];
    Ok(vec![taken, lines[0].clone(), lines[1].clone(), bench.head(run).await?])
}

async fn released(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    bench.write(Write::Append(Append { then: Then::Release(Due::Now), ..append(run, 1) })).await?;
    let ended = bench.leased("b", "w1").await?;
    let end = Append { head: super::bench::head_in(crate::decide::State::Completed), ..append(ended, 1) };
    bench.write(Write::Append(end)).await?;
    Ok(vec![renew(bench, "w1").await?])
}

async fn not_taken(bench: &Bench) -> Lines {
    bench.leased("a", "w1").await?;
    bench.pass(7).await;
    Ok(vec![renew(bench, "w1").await?, bench.claimed("w2").await?])
}

async fn unknown(bench: &Bench) -> Lines {
    let held = renew(bench, "w9").await?;
    Ok(vec![held, format!("{} workers", bench.store.workers().await?.len())])
}

async fn from_now(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let before = bench.store.now().await?;
    bench.store.renew(&worker_id("w1"), bench.ticks(2)).await?;
    let after = bench.store.now().await?;
    let due = bench.store.run(run).await?.and_then(|row| row.due);
    let within = due.is_some_and(|due| due >= before.plus(bench.ticks(2)) && due <= after.plus(bench.ticks(2)));
    Ok(vec![within.to_string()])
}
