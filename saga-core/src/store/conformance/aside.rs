//! Runs that are set aside: they are seen, they stop nobody, and they come back.

use super::bench::{Bench, append, entry, head_in, post, signal};
use super::words;
use crate::decide::State;
use crate::journal::Reason;
use crate::run::{RunId, Timestamp};
use crate::store::{
    Append, AsideDecision, InboxPost, NewEntry, Page, Poster, Quarantined, ReviewChange, ReviewRow, SetAside,
    StoreError, Write, rules,
};

type Lines = Result<Vec<String>, StoreError>;

super::cases! {
    "a run that is set aside keeps its state, is free, and comes back later", comes_back =>
        ["set aside", "running length 1 fence 1 free due later claims 1 aside", "nothing claimed", "claimed a fence 2"];
    "a question is opened for a run that is set aside, for the owner it was created with", question =>
        ["set aside", "0 journal_broken of approval for editors", "the cause is its last answer true",
         "may escalate, abandon"];
    "to set aside again opens no second question, and tells the newest cause", again =>
        ["set aside", "set aside", "0 crash_loop of approval for editors", "as old as the first true", "it crashed",
         "may retry, escalate, abandon"];
    "who lost the run cannot set it aside", stale =>
        ["stale fence 1", "running length 1 fence 2 leased due later claims 2", "0 questions"];
    "a run can be set aside without a fence", without_fence =>
        ["set aside", "stale fence 1", "running length 1 fence 1 free due later claims 1 aside"];
    "an accepted append ends it and settles the question", repaired =>
        ["claimed a fence 2", "appended", "running length 2 fence 2 leased due later claims 0",
         "0 journal_broken of approval for editors settled: repaired by the store", "0 set aside"];
    "a run that is set aside again after a repair is asked about again", after_repair =>
        ["set aside", "0 crash_loop of approval for editors", "newer than the first true"];
    "an ended run and an unknown run cannot be set aside", cannot => ["already completed", "no such run"];
    "runs that are set aside are listed with owner, reason, cause and age", listed =>
        ["journal_broken: the journal has a gap, fence 1, for editors, since it was asked true", "1 in health"];
    "a cause of any length can be stored", long_cause => ["set aside", "cut true", "marked true"];
    "something that arrives makes a run due that is set aside", arrives => ["posted 1", "claimed a fence 2"];
    "no decision about a run that is set aside waits for the run to take it up", decision => ["review 0 not open"];
    "to retry a crash loop makes it due with its claims forgotten, and settles the question", retry =>
        ["posted 1", "running length 1 fence 1 free due claims 0 inbox 1 signals 0",
         "0 crash_loop of approval for editors settled: retry by anna", "0 set aside", "claimed a fence 2"];
    "to escalate changes whom is asked and nothing else, also when the run is set aside again", escalate =>
        ["posted 1", "running length 1 fence 1 free due later claims 1 inbox 1 signals 0 aside",
         "0 journal_broken of approval for boss", "set aside", "0 journal_broken of approval for boss",
         "an owner: bad text"];
    "to abandon ends the run, whoever has it, and settles all its questions", abandon =>
        ["claimed a fence 2", "posted 1", "abandoned length 4 fence 2 free never due claims 1 inbox 1 signals 0",
         "0 journal_broken of approval for editors settled: abandon by anna; 1 undo_failed of approval for ops settled: abandon by anna",
         "already abandoned", "0 set aside", "step_undone, ended", "already abandoned"];
    "what is decided about a run that is set aside is refused where it does not fit", refused =>
        ["review 0 not open", "review 0 does not offer retry", "review 0 needs evidence", "wrong length 7, found 1",
         "inbox moved to 1", "running length 1 fence 1 free due claims 1 inbox 1 signals 1 aside",
         "already completed", "no such run"];
    "a decision about a run that is set aside waits in no inbox", taken => ["posted 1", "0 items", "set aside", "posted 2"];
}

async fn set_aside(
    bench: &Bench,
    run: RunId,
    fence: Option<u64>,
    reason: Reason,
    cause: &str,
) -> Result<String, StoreError> {
    let aside = SetAside { run, fence, reason, cause: cause.to_owned() };
    let outcome = bench.store.quarantine(aside, bench.ticks(10)).await?;
    Ok(outcome.map_or_else(|refused| words::refusal(&refused), |()| "set aside".to_owned()))
}

async fn broken(bench: &Bench, run: RunId) -> Result<String, StoreError> {
    set_aside(bench, run, Some(1), Reason::JournalBroken, "the journal has a gap").await
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
    lines.push(offered(row.as_ref()));
    Ok(lines)
}

async fn again(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let mut lines = vec![broken(bench, run).await?];
    let first = bench.store.reviews(true, Page::first(9)).await?.pop().map(|row| row.opened);
    bench.pass(1).await;
    lines.push(set_aside(bench, run, None, Reason::CrashLoop, "it crashed").await?);
    let row = bench.store.reviews(true, Page::first(9)).await?.pop();
    lines.push(questions(bench).await?);
    lines.push(format!("as old as the first {}", first == row.as_ref().map(|row| row.opened)));
    let may = offered(row.as_ref());
    lines.extend([row.map_or_else(String::new, |row| row.last.message), may]);
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
    let done = set_aside(bench, run, None, Reason::DefinitionMissing, "nobody has it").await?;
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
    let opened = |rows: Vec<ReviewRow>| rows.first().map(|row| row.opened);
    let first = opened(bench.store.reviews(false, Page::first(9)).await?);
    bench.pass(1).await;
    let mut lines = vec![set_aside(bench, run, Some(2), Reason::CrashLoop, "it crashed").await?];
    lines.push(questions(bench).await?);
    let second = opened(bench.store.reviews(true, Page::first(9)).await?);
    lines.push(format!("newer than the first {}", second > first));
    Ok(lines)
}

async fn cannot(bench: &Bench) -> Lines {
    let ended = bench.ended("a").await?;
    let mut lines = Vec::new();
    for run in [ended, RunId::fresh()] {
        lines.push(set_aside(bench, run, None, Reason::JournalBroken, "broken").await?);
    }
    Ok(lines)
}

async fn listed(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    bench.leased("b", "w1").await?;
    broken(bench, run).await?;
    let rows = bench.store.quarantined(Page::first(9)).await?;
    let opened = bench.store.reviews(true, Page::first(9)).await?.pop().map(|row| row.opened);
    let words = |row: &Quarantined| {
        let (reason, fence) = (row.reason.name(), row.fence.unwrap_or(0));
        let asked = row.since.is_some() && row.since == opened;
        format!("{reason}: {}, fence {fence}, for {}, since it was asked {asked}", row.cause, row.owner)
    };
    let mut lines: Vec<String> = rows.iter().filter(|row| row.run == run.to_string()).map(words).collect();
    lines.push(format!("{} in health", bench.store.health().await?.quarantined));
    Ok(lines)
}

async fn long_cause(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let cause = "\u{0}\u{1F980}".repeat(1 << 20);
    let done = set_aside(bench, run, Some(1), Reason::JournalBroken, &cause).await?;
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
    Ok(vec![bench.write(Write::Post(post(run, Poster::Decision { review: 0 }))).await?])
}

fn offered(row: Option<&ReviewRow>) -> String {
    let actions = row.map(|row| row.actions.iter().map(|action| action.name()).collect::<Vec<_>>().join(", "));
    format!("may {}", actions.unwrap_or_default())
}

async fn decide(bench: &Bench, run: RunId, decision: AsideDecision, note: &str) -> Result<String, StoreError> {
    let kind = Poster::Aside(decision);
    bench.write(Write::Post(InboxPost { note: note.to_owned(), ..post(run, kind) })).await
}

async fn set_aside_count(bench: &Bench) -> Result<String, StoreError> {
    Ok(format!("{} set aside", bench.store.quarantined(Page::first(9)).await?.len()))
}

async fn retry(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    set_aside(bench, run, Some(1), Reason::CrashLoop, "it crashed").await?;
    let mut lines = vec![decide(bench, run, AsideDecision::Retry, "").await?, bench.head(run).await?];
    lines.extend([questions(bench).await?, set_aside_count(bench).await?, bench.claimed("w2").await?]);
    Ok(lines)
}

async fn escalate(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    broken(bench, run).await?;
    let to = |owner: &str| AsideDecision::Escalate { owner: owner.to_owned() };
    let mut lines = vec![decide(bench, run, to("boss"), "").await?, bench.head(run).await?, questions(bench).await?];
    lines.push(set_aside(bench, run, None, Reason::JournalBroken, "still").await?);
    lines.extend([questions(bench).await?, decide(bench, run, to(""), "").await?]);
    Ok(lines)
}

fn giving_up(length: u64, inbox_last: u64) -> AsideDecision {
    let entries = vec![NewEntry { kind: "step_undone", ..entry("{}") }, NewEntry { kind: "ended", ..entry("{}") }];
    AsideDecision::Abandon { length, inbox_last, entries, head: head_in(State::Abandoned) }
}

async fn abandon(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let asked = set_aside_row(run, 1);
    bench.write(Write::Append(Append { reviews: vec![asked], ..append(run, 1) })).await?;
    broken(bench, run).await?;
    bench.pass(10).await;
    let mut lines = vec![bench.claimed("w2").await?];
    lines.push(decide(bench, run, giving_up(2, 0), "seen in the bank's list").await?);
    lines.extend([bench.head(run).await?, questions(bench).await?]);
    lines.push(bench.write(Write::Append(Append { fence: 2, ..append(run, 4) })).await?);
    lines.push(set_aside_count(bench).await?);
    let entries = bench.store.journal(run, 2, 9).await?;
    lines.push(entries.iter().map(|entry| entry.kind.as_str()).collect::<Vec<_>>().join(", "));
    lines.push(decide(bench, run, giving_up(4, 1), "again").await?);
    Ok(lines)
}

/// A question of the journal, besides the one about a run that is set aside.
fn set_aside_row(run: RunId, review: u32) -> ReviewChange {
    let row = rules::set_aside_review(run, "", "ops", Reason::UndoFailed, "the undo failed", Timestamp(0));
    ReviewChange::Open(Box::new(ReviewRow { review, ..row }))
}

async fn refused(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let mut lines = vec![decide(bench, run, AsideDecision::Retry, "").await?];
    broken(bench, run).await?;
    lines.push(decide(bench, run, AsideDecision::Retry, "").await?);
    lines.push(decide(bench, run, giving_up(1, 0), " \n").await?);
    lines.push(decide(bench, run, giving_up(7, 0), "seen").await?);
    bench.write(Write::Post(signal(run))).await?;
    lines.push(decide(bench, run, giving_up(1, 0), "seen").await?);
    lines.push(bench.head(run).await?);
    let ended = bench.ended("b").await?;
    lines.push(decide(bench, ended, giving_up(2, 0), "seen").await?);
    lines.push(decide(bench, RunId::fresh(), giving_up(2, 0), "seen").await?);
    Ok(lines)
}

async fn taken(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let crashed = || set_aside(bench, run, None, Reason::CrashLoop, "it crashed");
    crashed().await?;
    let mut lines = vec![decide(bench, run, AsideDecision::Retry, "").await?];
    lines.push(format!("{} items", bench.store.inbox(run, 0, 9).await?.len()));
    lines.extend([crashed().await?, decide(bench, run, AsideDecision::Retry, "").await?]);
    Ok(lines)
}
