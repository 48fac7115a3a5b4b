//! Workers: who lives, what they can run, and what nobody can run.

use super::bench::{Bench, append, definition, head_in, new_run, worker_id};
use crate::decide::State;
use crate::definition::Fingerprint;
use crate::store::{Append, DefinitionRow, NewRun, StoreError, Write};

type Lines = Result<Vec<String>, StoreError>;

super::cases! {
    "a worker is listed with its definitions until it is not heard of", listed =>
        ["w1/1: approval 1, refund 2", "w1/1: approval 1, refund 2", "nobody"];
    "a worker that enrols again has what it said last", again => ["w1/1: refund 2"];
    "a machine that was changed under an unchanged version is counted", changed => ["0 0", "2 0", "1 0"];
    "a worker that leaves is not listed, and its leases end now", leaves =>
        ["nobody", "claimed a fence 2", "running length 1 fence 1 leased due later claims 1"];
    "a worker that left does not come back by renewing", left => ["nobody"];
    "health counts runs by state", by_state =>
        ["running 2, waiting 1, unwinding 0, review 0, completed 1, refused 0, cancelled 0, abandoned 0"];
    "health counts what is due, also where a lease has ended", due => ["due 1", "due 2"];
    "health counts workers and open runs that none of them can run", without_worker =>
        ["1 workers, 1 without", "0 workers, 2 without"];
    "an empty store is healthy", empty => ["8 states, 0 runs, 0 due, 0 reviews, 0 aside, 0 workers, 0 without"];
}

fn refund() -> DefinitionRow {
    DefinitionRow { saga: "refund".to_owned(), version: 2, fingerprint: Fingerprint(u64::MAX) }
}

async fn workers(bench: &Bench) -> Result<String, StoreError> {
    let rows = bench.store.workers().await?;
    let words = |row: &crate::store::WorkerRow| {
        let definitions: Vec<String> =
            row.definitions.iter().map(|definition| format!("{} {}", definition.saga, definition.version)).collect();
        format!("{}: {}", row.worker, definitions.join(", "))
    };
    Ok(if rows.is_empty() { "nobody".to_owned() } else { rows.iter().map(words).collect::<Vec<_>>().join("; ") })
}

async fn enroll(bench: &Bench, definitions: Vec<DefinitionRow>) -> Result<String, StoreError> {
    let others = bench.store.enroll(&worker_id("w1"), definitions, bench.ticks(5)).await?;
    Ok(others.iter().map(u64::to_string).collect::<Vec<_>>().join(" "))
}

async fn listed(bench: &Bench) -> Lines {
    enroll(bench, vec![refund(), definition(), refund()]).await?;
    let first = workers(bench).await?;
    bench.pass(3).await;
    bench.store.renew(&worker_id("w1"), bench.ticks(5)).await?;
    bench.pass(3).await;
    let renewed = workers(bench).await?;
    bench.pass(3).await;
    Ok(vec![first, renewed, workers(bench).await?])
}

async fn again(bench: &Bench) -> Lines {
    enroll(bench, vec![definition()]).await?;
    enroll(bench, vec![refund()]).await?;
    Ok(vec![workers(bench).await?])
}

async fn changed(bench: &Bench) -> Lines {
    let first = bench.leased("a", "w1").await?;
    bench.leased("b", "w1").await?;
    let other = || DefinitionRow { fingerprint: Fingerprint(1), ..definition() };
    let mut lines =
        vec![enroll(bench, vec![definition(), refund()]).await?, enroll(bench, vec![other(), refund()]).await?];
    bench.write(Write::Append(Append { head: head_in(State::Completed), ..append(first, 1) })).await?;
    lines.push(enroll(bench, vec![other(), refund()]).await?);
    Ok(lines)
}

async fn leaves(bench: &Bench) -> Lines {
    enroll(bench, vec![definition()]).await?;
    bench.leased("a", "w1").await?;
    let other = bench.leased("b", "w2").await?;
    bench.store.leave(&worker_id("w1")).await?;
    Ok(vec![workers(bench).await?, bench.claimed("w3").await?, bench.head(other).await?])
}

async fn left(bench: &Bench) -> Lines {
    enroll(bench, vec![definition()]).await?;
    bench.store.leave(&worker_id("w1")).await?;
    bench.store.renew(&worker_id("w1"), bench.ticks(5)).await?;
    Ok(vec![workers(bench).await?])
}

async fn by_state(bench: &Bench) -> Lines {
    bench.leased("a", "w1").await?;
    bench.write(Write::Create(new_run("b"))).await?;
    bench.resting("c").await?;
    bench.ended("d").await?;
    let runs = bench.store.health().await?.runs;
    Ok(vec![runs.iter().map(|(state, count)| format!("{state} {count}")).collect::<Vec<_>>().join(", ")])
}

async fn due(bench: &Bench) -> Lines {
    bench.leased("a", "w1").await?;
    bench.write(Write::Create(new_run("b"))).await?;
    bench.resting("c").await?;
    bench.ended("d").await?;
    let before = bench.store.health().await?.due;
    bench.pass(5).await;
    Ok(vec![format!("due {before}"), format!("due {}", bench.store.health().await?.due)])
}

async fn without_worker(bench: &Bench) -> Lines {
    enroll(bench, vec![definition()]).await?;
    bench.leased("a", "w1").await?;
    bench.ended("b").await?;
    bench.write(Write::Create(NewRun { definition: refund(), ..new_run("c") })).await?;
    let words = |health: crate::store::Health| format!("{} workers, {} without", health.workers, health.without_worker);
    let before = words(bench.store.health().await?);
    bench.pass(5).await;
    Ok(vec![before, words(bench.store.health().await?)])
}

async fn empty(bench: &Bench) -> Lines {
    let health = bench.store.health().await?;
    let runs: u64 = health.runs.iter().map(|(_, count)| count).sum();
    Ok(vec![format!(
        "{} states, {runs} runs, {} due, {} reviews, {} aside, {} workers, {} without",
        health.runs.len(),
        health.due,
        health.open_reviews,
        health.quarantined,
        health.workers,
        health.without_worker
    )])
}
