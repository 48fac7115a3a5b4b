//! Claims: who gets a run, and that nobody else gets it too.

use super::bench::{Bench, append, definition, new_run, worker_id};
use crate::definition::Fingerprint;
use crate::store::{Append, Claim, DefinitionRow, Due, NewRun, StoreError, Then, Write};
use std::collections::BTreeMap;

type Lines = Result<Vec<String>, StoreError>;

super::cases! {
    "a run is claimed once", once =>
        ["claimed order-1 fence 1", "nothing claimed", "running length 1 fence 1 leased due later claims 1"];
    "a claim says what it gave", says =>
        ["row as stored true", "lease from the time of the claim true", "worker w1/1"];
    "a run whose lease has ended is claimed again, with another fence", lease_over =>
        ["claimed order-1 fence 1", "nothing claimed", "claimed order-1 fence 2", "claimed order-1 fence 3"];
    "claims are counted until an entry is written", counted => ["claims 3", "appended", "claims 0"];
    "claims are counted until a release, also one without entries", counted_to_release => ["claims 2", "appended", "claims 0"];
    "runs are claimed oldest due first, as many as asked for", oldest_first => ["b", "c", "a"];
    "runs of several definitions are claimed oldest due first", oldest_of_all => ["a b c d"];
    "a claim for none gets none", for_none => ["0", "0", "3"];
    "a claim gets runs of its definitions only", own_definitions =>
        ["approval 1 f: 1", "approval 1 0: 1", "approval 2 f: 1", "refund 1 f: 1", "all again: 0"];
    "a definition that is named twice counts once", named_twice => ["claimed 1", "fence 1"];
    "sixteen claimers get each run once", concurrent => ["96 claims of 96 runs", "all with fence 1 true"];
}

async fn create(bench: &Bench, key: &str) -> Result<String, StoreError> {
    bench.write(Write::Create(new_run(key))).await
}

async fn once(bench: &Bench) -> Lines {
    let new = new_run("order-1");
    let run = new.run;
    bench.write(Write::Create(new)).await?;
    Ok(vec![bench.claimed("w1").await?, bench.claimed("w2").await?, bench.head(run).await?])
}

async fn says(bench: &Bench) -> Lines {
    create(bench, "order-1").await?;
    let claimed = bench.claim("w1", 1).await?;
    let mut lines = Vec::new();
    for got in claimed {
        let stored = bench.store.run(got.row.run).await?;
        lines.push(format!("row as stored {}", stored.as_ref() == Some(&got.row)));
        lines.push(format!(
            "lease from the time of the claim {}",
            got.row.due == Some(got.at.plus(bench.ticks(super::bench::LEASE)))
        ));
        lines.push(got.row.worker.map_or_else(String::new, |worker| format!("worker {worker}")));
    }
    Ok(lines)
}

async fn lease_over(bench: &Bench) -> Lines {
    create(bench, "order-1").await?;
    let first = bench.claimed("w1").await?;
    bench.pass(3).await;
    let early = bench.claimed("w2").await?;
    bench.pass(2).await;
    let second = bench.claimed("w2").await?;
    bench.pass(5).await;
    Ok(vec![first, early, second, bench.claimed("w1").await?])
}

async fn counted_to_release(bench: &Bench) -> Lines {
    let run = bench.leased("order-1", "w1").await?;
    bench.pass(5).await;
    bench.claimed("w1").await?;
    let claims = |row: Option<crate::store::RunRow>| format!("claims {}", row.map_or(99, |row| row.claims));
    let before = claims(bench.store.run(run).await?);
    let release = Append { fence: 2, entries: Vec::new(), then: Then::Release(Due::Never), ..append(run, 1) };
    let released = bench.write(Write::Append(release)).await?;
    Ok(vec![before, released, claims(bench.store.run(run).await?)])
}

async fn counted(bench: &Bench) -> Lines {
    let run = bench.leased("order-1", "w1").await?;
    for _ in 0..2 {
        bench.pass(5).await;
        bench.claimed("w1").await?;
    }
    let claims = |row: Option<crate::store::RunRow>| format!("claims {}", row.map_or(99, |row| row.claims));
    let before = claims(bench.store.run(run).await?);
    let appended = bench.write(Write::Append(Append { fence: 3, ..append(run, 1) })).await?;
    Ok(vec![before, appended, claims(bench.store.run(run).await?)])
}

async fn oldest_first(bench: &Bench) -> Lines {
    for (key, after) in [("a", 3), ("b", 1), ("c", 2)] {
        let then = Then::Release(Due::After(bench.ticks(after)));
        bench.write(Write::Create(NewRun { then, ..new_run(key) })).await?;
    }
    bench.pass(4).await;
    let mut keys = Vec::new();
    for _ in 0..3 {
        keys.extend(bench.claim("w1", 1).await?.into_iter().map(|claimed| claimed.row.key));
    }
    Ok(keys)
}

async fn oldest_of_all(bench: &Bench) -> Lines {
    let refund = || DefinitionRow { saga: "a refund".to_owned(), ..definition() };
    let keys = [("a", definition()), ("b", refund()), ("c", definition()), ("d", refund())];
    for (after, (key, definition)) in (0_u32..).zip(keys) {
        let then = Then::Release(Due::After(bench.ticks(after)));
        bench.write(Write::Create(NewRun { then, definition, ..new_run(key) })).await?;
    }
    bench.pass(4).await;
    let mut keys = Vec::new();
    for limit in [1, 2, 9] {
        let definitions = vec![refund(), definition()];
        let claim = Claim { worker: worker_id("w1"), lease: bench.ticks(90), limit, definitions };
        keys.extend(bench.store.claim(claim).await?.into_iter().map(|claimed| claimed.row.key));
    }
    Ok(vec![keys.join(" ")])
}

async fn for_none(bench: &Bench) -> Lines {
    for key in ["a", "b", "c"] {
        create(bench, key).await?;
    }
    let nothing = Claim { worker: worker_id("w1"), lease: bench.ticks(5), limit: 9, definitions: Vec::new() };
    let none = bench.claim("w1", 0).await?.len();
    let unknown = bench.store.claim(nothing).await?.len();
    let all = bench.claim("w1", u32::MAX).await?.len();
    Ok([none, unknown, all].map(|count| count.to_string()).to_vec())
}

async fn own_definitions(bench: &Bench) -> Lines {
    let of = |saga: &str, version, fingerprint| DefinitionRow { saga: saga.to_owned(), version, fingerprint };
    let own = definition().fingerprint;
    let all = [
        ("approval 1 f", of("approval", 1, own)),
        ("approval 1 0", of("approval", 1, Fingerprint(0))),
        ("approval 2 f", of("approval", 2, own)),
        ("refund 1 f", of("refund", 1, own)),
    ];
    for (key, definition) in &all {
        bench.write(Write::Create(NewRun { definition: definition.clone(), ..new_run(key) })).await?;
    }
    let claim = |definitions| Claim { worker: worker_id("w1"), lease: bench.ticks(5), limit: 9, definitions };
    let mut lines = Vec::new();
    for (name, definition) in &all {
        let got = bench.store.claim(claim(vec![definition.clone()])).await?;
        let right = got.iter().filter(|claimed| claimed.row.key == *name).count();
        lines.push(format!("{name}: {right}"));
    }
    let every = all.iter().map(|(_, definition)| definition.clone()).collect();
    lines.push(format!("all again: {}", bench.store.claim(claim(every)).await?.len()));
    Ok(lines)
}

async fn named_twice(bench: &Bench) -> Lines {
    create(bench, "order-1").await?;
    let definitions = vec![definition(), definition()];
    let claim = Claim { worker: worker_id("w1"), lease: bench.ticks(5), limit: 9, definitions };
    let got = bench.store.claim(claim).await?;
    let fences: Vec<String> = got.iter().map(|claimed| format!("fence {}", claimed.row.fence)).collect();
    Ok(vec![format!("claimed {}", got.len()), fences.join(" ")])
}

async fn concurrent(bench: &Bench) -> Lines {
    let creates = (0..96).map(|number| Write::Create(new_run(&format!("order-{number}")))).collect();
    bench.commit(creates).await?;
    let claimers: Vec<_> = (0..16)
        .map(|number| {
            let bench = bench.clone();
            tokio::spawn(async move {
                let mut got = Vec::new();
                loop {
                    let claimed = bench.claim_for(&format!("w{number}"), 3, 500).await?;
                    if claimed.is_empty() {
                        return Ok::<_, StoreError>(got);
                    }
                    got.extend(claimed);
                }
            })
        })
        .collect();
    let (mut claims, mut runs, mut first) = (0, BTreeMap::new(), true);
    for claimer in claimers {
        let got = claimer.await.map_err(|error| StoreError::Unavailable(error.to_string()))??;
        for claimed in got {
            claims += 1;
            first &= claimed.row.fence == 1;
            *runs.entry(claimed.row.run).or_insert(0) += 1;
        }
    }
    Ok(vec![format!("{claims} claims of {} runs", runs.len()), format!("all with fence 1 {first}")])
}
