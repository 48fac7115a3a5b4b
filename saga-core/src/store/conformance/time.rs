//! Time: the store's clock decides, arithmetic saturates, and journals do not run backwards.

use super::bench::{Bench, append, entry, new_run, signal, worker_id};
use crate::run::Timestamp;
use crate::store::{Append, Claim, Due, NewRun, StoreError, Then, Write};
use std::time::Duration;

type Lines = Result<Vec<String>, StoreError>;

super::cases! {
    "the time comes from the store", from_the_store => ["created then true", "appended then true", "posted then true"];
    "all entries of an append have one time, and the run's", one_time => ["3 entries, 1 times", "updated is that true"];
    "the latest instant comes back as it is", latest =>
        ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z", "nothing claimed"];
    "an instant that no store can keep is brought to the nearest that it can", out_of_range =>
        ["1970-01-01T00:00:00.000000Z", "1970-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"];
    "a span without end saturates", endless_span => ["9999-12-31T23:59:59.999999Z", "nothing claimed"];
    "a lease without end saturates", endless_lease => ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"];
    "a span is kept to the microsecond", microsecond => ["true"];
    "runs that are far away stop no others", far_away => ["claimed z fence 1"];
    #[clock] "a clock that steps back makes no journal run backwards", steps_back =>
        ["ordered true", "the last is not before the first true"];
    #[clock] "a clock that steps back does not end or shorten what was leased", steps_back_leases =>
        ["nothing claimed", "appended", "nothing claimed", "claimed a fence 2"];
    #[clock] "a clock that jumps ahead ends leases", jumps_ahead => ["claimed a fence 2", "stale fence 1"];
    #[clock] "a clock outside of what can be kept is brought inside", clock_out_of_range =>
        ["9999-12-31T23:59:59.999999Z", "created", "9999-12-31T23:59:59.999999Z", "appended", "claimed a fence 2"];
}

async fn from_the_store(bench: &Bench) -> Lines {
    let new = new_run("a");
    let run = new.run;
    let mut lines = Vec::new();
    let claimed = NewRun { claim: Some((worker_id("w1"), bench.ticks(5))), ..new };
    for (name, write) in [
        ("created", Write::Create(claimed)),
        ("appended", Write::Append(append(run, 1))),
        ("posted", Write::Post(signal(run))),
    ] {
        let before = bench.store.now().await?;
        let at = bench.stamp(write).await?;
        let after = bench.store.now().await?;
        lines.push(format!("{name} then {}", before <= at && at <= after));
        bench.pass(1).await;
    }
    Ok(lines)
}

async fn one_time(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    bench.pass(1).await;
    let at = bench.stamp(Write::Append(Append { entries: vec![entry("{}"); 3], ..append(run, 1) })).await?;
    let entries = bench.store.journal(run, 1, 9).await?;
    let times: std::collections::BTreeSet<_> = entries.iter().map(|entry| entry.at).collect();
    let updated = bench.store.run(run).await?.map(|row| row.updated);
    Ok(vec![
        format!("{} entries, {} times", entries.len(), times.len()),
        format!("updated is that {}", updated == Some(at) && times.contains(&at)),
    ])
}

/// When a run is due that is created with `due`.
async fn due(bench: &Bench, key: &str, due: Due) -> Result<String, StoreError> {
    let new = NewRun { then: Then::Release(due), ..new_run(key) };
    let run = new.run;
    bench.write(Write::Create(new)).await?;
    let stored = bench.store.run(run).await?.and_then(|row| row.due);
    Ok(stored.map_or_else(|| "never".to_owned(), |due| due.to_string()))
}

async fn latest(bench: &Bench) -> Lines {
    let created = due(bench, "a", Due::At(Timestamp::LATEST)).await?;
    let run = bench.leased("b", "w1").await?;
    let release = Append { then: Then::Release(Due::At(Timestamp::LATEST)), ..append(run, 1) };
    bench.write(Write::Append(release)).await?;
    let appended = bench.store.run(run).await?.and_then(|row| row.due);
    Ok(vec![created, appended.map_or_else(String::new, |due| due.to_string()), bench.claimed("w1").await?])
}

async fn out_of_range(bench: &Bench) -> Lines {
    let mut lines = Vec::new();
    for (key, at) in [("a", i64::MIN), ("b", -9_246_182_400_000_000), ("c", Timestamp::LATEST.0 + 1), ("d", i64::MAX)] {
        lines.push(due(bench, key, Due::At(Timestamp(at))).await?);
    }
    Ok(lines)
}

async fn endless_span(bench: &Bench) -> Lines {
    Ok(vec![due(bench, "a", Due::After(Duration::MAX)).await?, bench.claimed("w1").await?])
}

async fn endless_lease(bench: &Bench) -> Lines {
    bench.write(Write::Create(new_run("a"))).await?;
    let definitions = vec![super::bench::definition()];
    let claim = Claim { worker: worker_id("w1"), lease: Duration::MAX, limit: 1, definitions };
    let claimed = bench.store.claim(claim).await?.pop().and_then(|claimed| claimed.row.due);
    bench.store.renew(&worker_id("w1"), Duration::MAX).await?;
    let renewed = bench.store.find("a").await?.and_then(|row| row.due);
    Ok([claimed, renewed].map(|due| due.map_or_else(String::new, |due| due.to_string())).to_vec())
}

async fn microsecond(bench: &Bench) -> Lines {
    let span = Duration::from_micros(86_400_000_001);
    let new = NewRun { then: Then::Release(Due::After(span)), ..new_run("a") };
    let run = new.run;
    let at = bench.stamp(Write::Create(new)).await?;
    let due = bench.store.run(run).await?.and_then(|row| row.due);
    Ok(vec![(due == Some(at.plus(span))).to_string()])
}

async fn far_away(bench: &Bench) -> Lines {
    due(bench, "a", Due::After(Duration::MAX)).await?;
    due(bench, "b", Due::At(Timestamp(i64::MAX))).await?;
    due(bench, "z", Due::Now).await?;
    Ok(vec![bench.claimed("w1").await?])
}

fn back(bench: &Bench, by: Duration) {
    if let Some(clock) = &bench.clock {
        let by = i64::try_from(by.as_micros()).unwrap_or(0);
        clock.set(Timestamp(crate::store::Clock::now(clock).0 - by));
    }
}

async fn steps_back(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    bench.write(Write::Append(append(run, 1))).await?;
    back(bench, Duration::from_secs(3_600));
    bench.write(Write::Append(append(run, 2))).await?;
    bench.pass(1).await;
    bench.write(Write::Append(append(run, 3))).await?;
    let times: Vec<Timestamp> = bench.store.journal(run, 0, 9).await?.iter().map(|entry| entry.at).collect();
    let ends = times.first() <= times.last() && times.len() == 4;
    Ok(vec![format!("ordered {}", times.is_sorted()), format!("the last is not before the first {ends}")])
}

async fn steps_back_leases(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    back(bench, bench.ticks(50));
    let early = bench.claimed("w2").await?;
    let appended = bench.write(Write::Append(append(run, 1))).await?;
    bench.pass(54).await;
    let still = bench.claimed("w2").await?;
    bench.pass(1).await;
    Ok(vec![early, appended, still, bench.claimed("w2").await?])
}

async fn jumps_ahead(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    bench.pass(100_000).await;
    let claimed = bench.claimed("w2").await?;
    Ok(vec![claimed, bench.write(Write::Append(append(run, 1))).await?])
}

async fn clock_out_of_range(bench: &Bench) -> Lines {
    if let Some(clock) = &bench.clock {
        clock.set(Timestamp(i64::MAX));
    }
    let new = NewRun { claim: Some((worker_id("w1"), bench.ticks(5))), ..new_run("a") };
    let run = new.run;
    let now = bench.store.now().await?.to_string();
    let created = bench.write(Write::Create(new)).await?;
    let due = bench.store.run(run).await?.and_then(|row| row.due);
    let appended = bench.write(Write::Append(append(run, 1))).await?;
    let due = due.map_or_else(String::new, |due| due.to_string());
    Ok(vec![now, created, due, appended, bench.claimed("w2").await?])
}
