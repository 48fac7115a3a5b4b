//! Runs that are set aside: they are seen, they stop nobody, and they come back.

use super::bench::{Bench, append, post, signal};
use super::words;
use crate::journal::Reason;
use crate::run::RunId;
use crate::store::{Append, Page, Poster, Quarantined, StoreError, Write};

type Lines = Result<Vec<String>, StoreError>;

super::cases! {
    "a run that is set aside keeps its state, is free, and comes back later", comes_back =>
        ["set aside", "running length 1 fence 1 free due later claims 1 aside", "nothing claimed", "claimed a fence 2"];
    "a question is opened for a run that is set aside", question =>
        ["set aside", "0 journal_broken of approval for operators", "the cause is its last answer true", "no actions true"];
    "to set aside again opens no second question, and tells the newest cause", again =>
        ["set aside", "set aside", "0 crash_loop of approval for operators", "as old as the first true", "it crashed"];
    "who lost the run cannot set it aside", stale =>
        ["stale fence 1", "running length 1 fence 2 leased due later claims 2", "0 questions"];
    "a run can be set aside without a fence", without_fence =>
        ["set aside", "stale fence 1", "running length 1 fence 1 free due later claims 1 aside"];
    "an accepted append ends it and settles the question", repaired =>
        ["claimed a fence 2", "appended", "running length 2 fence 2 leased due later claims 0",
         "0 journal_broken of approval for operators settled: repaired by the store", "0 set aside"];
    "a run that is set aside again after a repair is asked about again", after_repair =>
        ["set aside", "0 crash_loop of approval for operators", "newer than the first true"];
    "an ended run, an unknown run and what is no run cannot be set aside", cannot =>
        ["already completed", "no such run", "rejected"];
    "runs that are set aside are listed with reason and cause", listed =>
        ["journal_broken: the journal has a gap, fence 1", "1 in health"];
    "a cause of any length can be stored", long_cause => ["set aside", "cut true", "marked true"];
    "something that arrives makes a run due that is set aside", arrives => ["posted 1", "claimed a fence 2"];
    "a decision about a run that is set aside is requested once", decision =>
        ["posted 1", "review 0 already requested by anna"];
}

async fn set_aside(
    bench: &Bench,
    run: &str,
    fence: Option<u64>,
    reason: Reason,
    cause: &str,
) -> Result<String, StoreError> {
    let aside = Quarantined { run: run.to_owned(), fence, reason, cause: cause.to_owned() };
    let outcome = bench.store.quarantine(aside, bench.ticks(10)).await?;
    Ok(outcome.map_or_else(|refused| words::refusal(&refused), |()| "set aside".to_owned()))
}

async fn broken(bench: &Bench, run: RunId) -> Result<String, StoreError> {
    set_aside(bench, &run.to_string(), Some(1), Reason::JournalBroken, "the journal has a gap").await
}

async fn questions(bench: &Bench) -> Result<String, StoreError> {
    let rows = bench.store.reviews(false, Page::first(9)).await?;
    Ok(rows.iter().map(words::review).collect::<Vec<_>>().join("; "))
}

async fn comes_back(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let mut lines = vec![broken(bench, run).await?, bench.head(run).await?, bench.claimed("w2").await?];
    bench.pass(10).await;
    lines.push(bench.claimed("w2").await?);
    Ok(lines)
}

async fn question(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let mut lines = vec![broken(bench, run).await?, questions(bench).await?];
    let row = bench.store.reviews(true, Page::first(9)).await?.pop();
    let cause = row.as_ref().is_some_and(|row| row.last.message == "the journal has a gap" && row.run == run);
    lines.push(format!("the cause is its last answer {cause}"));
    lines.push(format!("no actions {}", row.is_some_and(|row| row.actions.is_empty())));
    Ok(lines)
}

async fn again(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let mut lines = vec![broken(bench, run).await?];
    let first = bench.store.reviews(true, Page::first(9)).await?.pop().map(|row| row.opened);
    bench.pass(1).await;
    lines.push(set_aside(bench, &run.to_string(), None, Reason::CrashLoop, "it crashed").await?);
    let row = bench.store.reviews(true, Page::first(9)).await?.pop();
    lines.push(questions(bench).await?);
    lines.push(format!("as old as the first {}", first == row.as_ref().map(|row| row.opened)));
    lines.push(row.map_or_else(String::new, |row| row.last.message));
    Ok(lines)
}

async fn stale(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    bench.pass(5).await;
    bench.claimed("w2").await?;
    let refused = broken(bench, run).await?;
    let count = bench.store.reviews(false, Page::first(9)).await?.len();
    Ok(vec![refused, bench.head(run).await?, format!("{count} questions")])
}

async fn without_fence(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let done = set_aside(bench, &run.to_string(), None, Reason::DefinitionMissing, "nobody has it").await?;
    let owner = bench.write(Write::Append(append(run, 1))).await?;
    Ok(vec![done, owner, bench.head(run).await?])
}

/// Set aside, claimed again, and gone on.
async fn repair(bench: &Bench) -> Result<(RunId, Vec<String>), StoreError> {
    let run = bench.leased("a", "w1").await?;
    broken(bench, run).await?;
    bench.pass(10).await;
    let claimed = bench.claimed("w2").await?;
    let appended = bench.write(Write::Append(Append { fence: 2, ..append(run, 1) })).await?;
    Ok((run, vec![claimed, appended]))
}

async fn repaired(bench: &Bench) -> Lines {
    let (run, mut lines) = repair(bench).await?;
    lines.extend([bench.head(run).await?, questions(bench).await?]);
    lines.push(format!("{} set aside", bench.store.quarantined(Page::first(9)).await?.len()));
    Ok(lines)
}

async fn after_repair(bench: &Bench) -> Lines {
    let (run, _) = repair(bench).await?;
    let opened = |rows: Vec<crate::store::ReviewRow>| rows.first().map(|row| row.opened);
    let first = opened(bench.store.reviews(false, Page::first(9)).await?);
    bench.pass(1).await;
    let mut lines = vec![set_aside(bench, &run.to_string(), Some(2), Reason::CrashLoop, "it crashed").await?];
    lines.push(questions(bench).await?);
    let second = opened(bench.store.reviews(true, Page::first(9)).await?);
    lines.push(format!("newer than the first {}", second > first));
    Ok(lines)
}

async fn cannot(bench: &Bench) -> Lines {
    let ended = bench.ended("a").await?;
    let mut lines = Vec::new();
    for run in [ended.to_string(), RunId::fresh().to_string(), "not a run".to_owned()] {
        lines.push(set_aside(bench, &run, None, Reason::JournalBroken, "broken").await?);
    }
    Ok(lines)
}

async fn listed(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    bench.leased("b", "w1").await?;
    broken(bench, run).await?;
    let rows = bench.store.quarantined(Page::first(9)).await?;
    let mut lines: Vec<String> = rows
        .iter()
        .filter(|row| row.run == run.to_string())
        .map(|row| format!("{}: {}, fence {}", row.reason.name(), row.cause, row.fence.unwrap_or(0)))
        .collect();
    lines.push(format!("{} in health", bench.store.health().await?.quarantined));
    Ok(lines)
}

async fn long_cause(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let cause = "\u{0}\u{1F980}".repeat(1 << 20);
    let done = set_aside(bench, &run.to_string(), Some(1), Reason::JournalBroken, &cause).await?;
    let kept = bench.store.run(run).await?.and_then(|row| row.quarantined).unwrap_or_default();
    Ok(vec![done, format!("cut {}", kept.len() < 4_096), format!("marked {}", kept.ends_with(" [cut]"))])
}

async fn arrives(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    broken(bench, run).await?;
    Ok(vec![bench.write(Write::Post(signal(run))).await?, bench.claimed("w2").await?])
}

async fn decision(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    broken(bench, run).await?;
    let decide = || Write::Post(post(run, Poster::Decision { review: 0 }));
    Ok(vec![bench.write(decide()).await?, bench.write(decide()).await?])
}
