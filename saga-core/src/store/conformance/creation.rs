//! New runs: what is stored of them, and what a key means.

use super::bench::{Bench, definition, head_in, new_run, worker_id};
use crate::decide::State;
use crate::definition::Fingerprint;
use crate::run::RunId;
use crate::store::{DefinitionRow, Due, NewRun, StoreError, Then, Write};
use std::time::Duration;

type Lines = Result<Vec<String>, StoreError>;

super::cases! {
    "a new run is found by its identity and by its key", is_found =>
        ["created", "running length 1 fence 0 free due claims 0", "found true", "started 1", "none none"];
    "the same key with the same input answers with the run that is there", same_key =>
        ["created", "existing order-1", "running length 1 fence 0 free due claims 0", "no run"];
    "the same key with another input is a conflict", other_input => ["created", "key taken, other input"];
    "the same key with another version is a conflict", other_version => ["created", "key taken, other version"];
    "the same key with another saga is a conflict, whatever else differs", other_saga =>
        ["created", "key taken, other saga", "1 runs"];
    "another fingerprint does not make a key conflict", other_fingerprint => ["created", "existing order-1"];
    "one identity is not given to two runs", same_identity =>
        ["created", "rejected", "found false", "running length 1 fence 0 free due claims 0"];
    "a run can be claimed by whoever creates it", created_claimed =>
        ["created", "running length 1 fence 1 leased due later claims 1", "nothing claimed"];
    "a run can be created for later", created_for_later =>
        ["created", "nothing claimed", "claimed order-1 fence 1"];
    "a run can be created to wait until something arrives", created_waiting =>
        ["created", "waiting length 1 fence 0 free never due claims 0", "nothing claimed"];
    "a run that nobody claims and that is kept is due now", created_kept =>
        ["created", "running length 1 fence 0 free due claims 0"];
    "a run that has ended when it is created is never due", created_ended =>
        ["created", "completed length 1 fence 0 free never due claims 0", "nothing claimed"];
    "a run can be created without entries", created_empty => ["created", "running length 0 fence 0 free due claims 0"];
}

async fn is_found(bench: &Bench) -> Lines {
    let new = new_run("order-1");
    let run = new.run;
    let created = bench.write(Write::Create(new)).await?;
    let found = bench.store.find("order-1").await?.is_some_and(|row| row.run == run && row.definition == definition());
    let journal = bench.store.journal(run, 0, 10).await?;
    let kinds: Vec<String> = journal.iter().map(|entry| format!("{} {}", entry.kind, entry.sequence)).collect();
    let none = |row: Option<_>| if row.is_some() { "some" } else { "none" };
    let unknown =
        format!("{} {}", none(bench.store.find("order-2").await?), none(bench.store.run(RunId::fresh()).await?));
    Ok(vec![created, bench.head(run).await?, format!("found {found}"), kinds.concat(), unknown])
}

async fn again(bench: &Bench, change: impl FnOnce(&mut NewRun)) -> Lines {
    let created = bench.write(Write::Create(new_run("order-1"))).await?;
    let mut other = new_run("order-1");
    change(&mut other);
    Ok(vec![created, bench.write(Write::Create(other)).await?])
}

async fn same_key(bench: &Bench) -> Lines {
    let (first, second) = (new_run("order-1"), new_run("order-1"));
    let (run, other) = (first.run, second.run);
    let mut lines = vec![bench.write(Write::Create(first)).await?, bench.write(Write::Create(second)).await?];
    lines.extend([bench.head(run).await?, bench.head(other).await?]);
    Ok(lines)
}

async fn other_input(bench: &Bench) -> Lines {
    again(bench, |run| run.input_digest = "another".to_owned()).await
}

async fn other_version(bench: &Bench) -> Lines {
    again(bench, |run| {
        run.definition.version = 2;
        run.input_digest = "another".to_owned();
    })
    .await
}

async fn other_saga(bench: &Bench) -> Lines {
    let mut lines = again(bench, |run| {
        run.definition = DefinitionRow { saga: "refund".to_owned(), version: 2, fingerprint: Fingerprint(1) };
        run.input_digest = "another".to_owned();
    })
    .await?;
    let runs = bench.store.list(crate::store::RunFilter::default(), crate::store::Page::first(10)).await?;
    lines.push(format!("{} runs", runs.len()));
    Ok(lines)
}

async fn other_fingerprint(bench: &Bench) -> Lines {
    again(bench, |run| run.definition.fingerprint = Fingerprint(1)).await
}

async fn same_identity(bench: &Bench) -> Lines {
    let first = new_run("order-1");
    let run = first.run;
    let second = NewRun { run, ..new_run("order-2") };
    let mut lines = vec![bench.write(Write::Create(first)).await?, bench.write(Write::Create(second)).await?];
    lines.push(format!("found {}", bench.store.find("order-2").await?.is_some()));
    lines.push(bench.head(run).await?);
    Ok(lines)
}

async fn created(bench: &Bench, new: NewRun) -> Result<(String, String), StoreError> {
    let run = new.run;
    Ok((bench.write(Write::Create(new)).await?, bench.head(run).await?))
}

async fn created_claimed(bench: &Bench) -> Lines {
    let claim = Some((worker_id("w1"), bench.ticks(5)));
    let (written, head) = created(bench, NewRun { claim, ..new_run("order-1") }).await?;
    Ok(vec![written, head, bench.claimed("w2").await?])
}

async fn created_for_later(bench: &Bench) -> Lines {
    let then = Then::Release(Due::After(bench.ticks(3)));
    let (written, _) = created(bench, NewRun { then, ..new_run("order-1") }).await?;
    let early = bench.claimed("w1").await?;
    bench.pass(3).await;
    Ok(vec![written, early, bench.claimed("w1").await?])
}

async fn created_waiting(bench: &Bench) -> Lines {
    let waiting = NewRun { head: head_in(State::Waiting), then: Then::Release(Due::Never), ..new_run("order-1") };
    let (written, head) = created(bench, waiting).await?;
    Ok(vec![written, head, bench.claimed("w1").await?])
}

async fn created_kept(bench: &Bench) -> Lines {
    let (written, head) = created(bench, NewRun { then: Then::Keep, ..new_run("order-1") }).await?;
    Ok(vec![written, head])
}

async fn created_ended(bench: &Bench) -> Lines {
    let claim = Some((worker_id("w1"), Duration::from_secs(60)));
    let (written, head) =
        created(bench, NewRun { head: head_in(State::Completed), claim, ..new_run("order-1") }).await?;
    Ok(vec![written, head, bench.claimed("w1").await?])
}

async fn created_empty(bench: &Bench) -> Lines {
    let (written, head) = created(bench, NewRun { entries: Vec::new(), ..new_run("order-1") }).await?;
    Ok(vec![written, head])
}
