//! Workers: who lives, what they can run, and what nobody can run.

use super::bench::{Bench, append, definition, head_in, new_run, worker_id};
use super::words;
use crate::decide::State;
use crate::definition::Fingerprint;
use crate::journal::Reason;
use crate::store::{Append, DefinitionRow, NewRun, Page, SetAside, StoreError, Write};

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
    "a due run that no worker can run is set aside after the grace, and stays due", missing =>
        ["nothing", "a", "running length 1 fence 0 free due claims 0 aside",
         "0 definition_missing of approval for editors", "no running worker has approval v1 with fingerprint fedcba9876543210",
         "may escalate, abandon", "nothing"];
    "nobody is asked about a run whose definition a worker had within the grace", recently =>
        ["enrolled 0", "lost: nothing", "lost for long: a", "left: nothing", "left for long: b"];
    "nobody is asked about a run that is not due, is held, has ended or is set aside already", not_stuck =>
        ["nothing", "held when its lease ended: held"];
    "the question closes when a worker with the definition takes the run", taken =>
        ["a", "claimed a fence 1", "appended", "0 definition_missing of approval for editors settled: repaired by the store",
         "nothing"];
    "missing runs are set aside oldest due first, a page at a time, by whichever worker looks", pages =>
        ["a b", "c d", "e", "nothing", "5 open", "5 in all, by four at once"];
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

/// The keys of the runs that are set aside now, in the order of the answer.
async fn swept(bench: &Bench, limit: u32) -> Result<String, StoreError> {
    let mut keys = Vec::new();
    for run in bench.store.sweep(bench.ticks(3), limit).await? {
        keys.extend(bench.store.run(run).await?.map(|row| row.key));
    }
    Ok(if keys.is_empty() { "nothing".to_owned() } else { keys.join(" ") })
}

async fn missing(bench: &Bench) -> Lines {
    let new = new_run("a");
    let run = new.run;
    bench.write(Write::Create(new)).await?;
    bench.pass(2).await;
    let mut lines = vec![swept(bench, 9).await?];
    bench.pass(2).await;
    lines.extend([swept(bench, 9).await?, bench.head(run).await?]);
    let row = bench.store.reviews(true, Page::first(9)).await?.pop();
    lines.extend(row.as_ref().map(words::review));
    lines.extend(row.as_ref().map(|row| row.last.message.clone()));
    lines.extend(row.map(|row| {
        let actions: Vec<&str> = row.actions.iter().map(|action| action.name()).collect();
        format!("may {}", actions.join(", "))
    }));
    bench.pass(9).await;
    lines.push(swept(bench, 9).await?);
    Ok(lines)
}

async fn recently(bench: &Bench) -> Lines {
    bench.write(Write::Create(new_run("a"))).await?;
    let mut lines = vec![format!("enrolled {}", enroll(bench, vec![definition()]).await?)];
    // The worker is believed to live for 5 ticks; the grace is 3.
    bench.pass(7).await;
    lines.push(format!("lost: {}", swept(bench, 9).await?));
    bench.pass(2).await;
    lines.push(format!("lost for long: {}", swept(bench, 9).await?));
    bench.write(Write::Create(new_run("b"))).await?;
    enroll(bench, vec![definition()]).await?;
    bench.pass(4).await;
    bench.store.leave(&worker_id("w1")).await?;
    bench.pass(2).await;
    lines.push(format!("left: {}", swept(bench, 9).await?));
    bench.pass(2).await;
    lines.push(format!("left for long: {}", swept(bench, 9).await?));
    Ok(lines)
}

async fn not_stuck(bench: &Bench) -> Lines {
    bench.resting("resting").await?;
    bench.ended("ended").await?;
    let aside = bench.leased("aside", "w1").await?;
    let broken = SetAside { run: aside, fence: None, reason: Reason::JournalBroken, cause: "broken".to_owned() };
    bench.store.quarantine(broken, bench.ticks(0)).await?.ok();
    bench.leased_for("held", "w1", 8).await?;
    bench.pass(7).await;
    let before = swept(bench, 9).await?;
    bench.pass(5).await;
    Ok(vec![before, format!("held when its lease ended: {}", swept(bench, 9).await?)])
}

async fn taken(bench: &Bench) -> Lines {
    let new = new_run("a");
    let run = new.run;
    bench.write(Write::Create(new)).await?;
    bench.pass(4).await;
    let mut lines = vec![swept(bench, 9).await?];
    lines.push(bench.claimed("w1").await?);
    lines.push(bench.write(Write::Append(append(run, 1))).await?);
    let rows = bench.store.reviews(false, Page::first(9)).await?;
    lines.extend(rows.iter().map(words::review));
    lines.push(swept(bench, 9).await?);
    Ok(lines)
}

async fn pages(bench: &Bench) -> Lines {
    for key in ["a", "b", "c", "d", "e"] {
        let other = DefinitionRow { version: if key == "b" { 7 } else { 1 }, ..definition() };
        bench.write(Write::Create(NewRun { definition: other, ..new_run(key) })).await?;
        bench.pass(1).await;
    }
    bench.pass(3).await;
    let mut lines = Vec::new();
    for _ in 0..4 {
        lines.push(swept(bench, 2).await?);
    }
    lines.push(format!("{} open", bench.store.health().await?.open_reviews));
    for key in ["f", "g", "h", "i", "j"] {
        bench.write(Write::Create(new_run(key))).await?;
    }
    bench.pass(4).await;
    let looks: Vec<_> = (0..4)
        .map(|_| {
            let (store, grace) = (bench.store.clone(), bench.ticks(3));
            tokio::spawn(async move { store.sweep(grace, 9).await })
        })
        .collect();
    let mut found = 0;
    for look in looks {
        found += look.await.map_err(|error| StoreError::Unavailable(error.to_string()))??.len();
    }
    lines.push(format!("{found} in all, by four at once"));
    Ok(lines)
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
