//! Questions to people: opened, requested once, settled.

use super::bench::{Bench, append, head_in, post};
use super::words;
use crate::contract::Class;
use crate::decide::State;
use crate::journal::{Action, Reason};
use crate::run::{CallNumber, RunId, Timestamp};
use crate::saga::FailureReport;
use crate::store::{Append, InboxPost, Page, Poster, ReviewChange, ReviewRow, StoreError, Write};

type Lines = Result<Vec<String>, StoreError>;

super::cases! {
    "a question comes back as it was opened, with run, saga and time filled in", as_opened =>
        ["1 undo_failed of approval for ops", "all else as given true", "run and time filled in true"];
    "a decision on an open question is accepted, and the next one names who was first", requested =>
        ["posted 1", "review 1 already requested by anna", "1 undo_failed of approval for ops requested by anna"];
    "a decision on a question that was never opened is refused", never_opened => ["review 2 not open", "review 0 not open"];
    "a decision that could not be carried out makes room for another", refused =>
        ["posted 1", "appended", "1 undo_failed of approval for ops", "posted 2"];
    "a settled question takes no more decisions", settled =>
        ["appended", "review 1 not open", "1 undo_failed of approval for ops settled: retry by anna"];
    "a question that goes to somebody else stays open", escalated =>
        ["posted 1", "appended", "1 undo_failed of approval for boss", "posted 2"];
    "a decision on an ended run is refused", ended => ["appended", "already abandoned"];
    "a decision on a run that is not there is refused", unknown => ["no such run"];
    "a question is not opened twice, and the append that tries leaves no trace", twice =>
        ["rejected", "running length 2 fence 1 leased due later claims 0", "2 entries"];
    "the number 0 is kept", zero => ["rejected", "running length 1 fence 1 leased due later claims 1"];
    "changes to a question that is not there are no mistake", not_there => ["appended", "0 questions"];
    "a question can be opened and settled in one append", at_once =>
        ["appended", "1 undo_failed of approval for ops settled: abandon by anna"];
    "questions are listed oldest first, the open ones alone if asked", listed =>
        ["all 1 2 3", "open 1 3", "first page 1", "second page 3"];
    "of sixteen decisions one is accepted", concurrent => ["1 accepted, 15 told who was first"];
}

fn question(review: u32) -> ReviewRow {
    let report = |message: &str| FailureReport {
        class: Class::Unknown,
        code: Some("timeout\u{0}".to_owned()),
        reference: None,
        message: message.to_owned(),
    };
    ReviewRow {
        run: RunId(uuid::Uuid::nil()),
        saga: "not this".to_owned(),
        review,
        call: Some(CallNumber(3)),
        step: Some("charge".to_owned()),
        reason: Reason::UndoFailed,
        owner: "ops".to_owned(),
        last: report("the undo failed \u{1F980}"),
        first: Some(report("the body refused")),
        actions: vec![Action::Retry, Action::MarkUndone],
        opened: Timestamp(0),
        requested: None,
        settled: None,
    }
}

fn changed(run: RunId, length: u64, reviews: Vec<ReviewChange>) -> Append {
    Append { reviews, ..append(run, length) }
}

fn opening(review: u32) -> ReviewChange {
    ReviewChange::Open(Box::new(question(review)))
}

fn settling(review: u32, decision: &str) -> ReviewChange {
    ReviewChange::Settle { review, decision: decision.to_owned(), by: "anna".to_owned() }
}

/// A leased run of length 2 with question 1 open.
async fn asked(bench: &Bench) -> Result<RunId, StoreError> {
    let run = bench.leased("a", "w1").await?;
    bench.write(Write::Append(changed(run, 1, vec![opening(1)]))).await?;
    Ok(run)
}

async fn decide(bench: &Bench, run: RunId, review: u32) -> Result<String, StoreError> {
    bench.write(Write::Post(post(run, Poster::Decision { review }))).await
}

async fn questions(bench: &Bench) -> Result<String, StoreError> {
    let rows = bench.store.reviews(false, Page::first(9)).await?;
    Ok(rows.iter().map(words::review).collect::<Vec<_>>().join("; "))
}

async fn as_opened(bench: &Bench) -> Lines {
    let run = asked(bench).await?;
    let row = bench.store.reviews(true, Page::first(9)).await?.pop();
    let updated = bench.store.run(run).await?.map(|row| row.updated);
    let given = question(1);
    let same = row
        .as_ref()
        .is_some_and(|row| *row == ReviewRow { run: row.run, saga: row.saga.clone(), opened: row.opened, ..given });
    let filled = row.is_some_and(|row| row.run == run && Some(row.opened) == updated);
    Ok(vec![questions(bench).await?, format!("all else as given {same}"), format!("run and time filled in {filled}")])
}

async fn requested(bench: &Bench) -> Lines {
    let run = asked(bench).await?;
    let first = decide(bench, run, 1).await?;
    let second = InboxPost { by: "ben".to_owned(), ..post(run, Poster::Decision { review: 1 }) };
    Ok(vec![first, bench.write(Write::Post(second)).await?, questions(bench).await?])
}

async fn never_opened(bench: &Bench) -> Lines {
    let run = asked(bench).await?;
    Ok(vec![decide(bench, run, 2).await?, decide(bench, run, 0).await?])
}

async fn after(bench: &Bench, change: ReviewChange) -> Lines {
    let run = asked(bench).await?;
    let first = decide(bench, run, 1).await?;
    let taken = Append { inbox_taken: vec![1], ..changed(run, 2, vec![change]) };
    let appended = bench.write(Write::Append(taken)).await?;
    let listed = questions(bench).await?;
    Ok(vec![first, appended, listed, decide(bench, run, 1).await?])
}

async fn refused(bench: &Bench) -> Lines {
    after(bench, ReviewChange::Refuse { review: 1 }).await
}

async fn escalated(bench: &Bench) -> Lines {
    after(bench, ReviewChange::Escalate { review: 1, owner: "boss".to_owned() }).await
}

async fn settled(bench: &Bench) -> Lines {
    let lines = after(bench, settling(1, "retry")).await?;
    Ok(vec![lines[1].clone(), lines[3].clone(), lines[2].clone()])
}

async fn ended(bench: &Bench) -> Lines {
    let run = asked(bench).await?;
    let end = Append { head: head_in(State::Abandoned), ..append(run, 2) };
    Ok(vec![bench.write(Write::Append(end)).await?, decide(bench, run, 1).await?])
}

async fn unknown(bench: &Bench) -> Lines {
    Ok(vec![decide(bench, RunId::fresh(), 1).await?])
}

async fn twice(bench: &Bench) -> Lines {
    let run = asked(bench).await?;
    let again = bench.write(Write::Append(changed(run, 2, vec![opening(1)]))).await?;
    let entries = bench.store.journal(run, 0, 9).await?.len();
    Ok(vec![again, bench.head(run).await?, format!("{entries} entries")])
}

async fn zero(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let kept = bench.write(Write::Append(changed(run, 1, vec![opening(0)]))).await?;
    Ok(vec![kept, bench.head(run).await?])
}

async fn not_there(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let changes = vec![
        settling(1, "retry"),
        ReviewChange::Refuse { review: 2 },
        ReviewChange::Escalate { review: 3, owner: "boss".to_owned() },
    ];
    let appended = bench.write(Write::Append(changed(run, 1, changes))).await?;
    Ok(vec![appended, format!("{} questions", bench.store.reviews(false, Page::first(9)).await?.len())])
}

async fn at_once(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let both = changed(run, 1, vec![opening(1), settling(1, "abandon")]);
    Ok(vec![bench.write(Write::Append(both)).await?, questions(bench).await?])
}

async fn listed(bench: &Bench) -> Lines {
    let run = asked(bench).await?;
    for (review, length) in [(2, 2), (3, 3)] {
        bench.pass(1).await;
        bench.write(Write::Append(changed(run, length, vec![opening(review)]))).await?;
    }
    bench.write(Write::Append(changed(run, 4, vec![settling(2, "retry")]))).await?;
    let mut lines = Vec::new();
    let pages = [
        ("all", false, Page::first(9)),
        ("open", true, Page::first(9)),
        ("first page", true, Page::first(1)),
        ("second page", true, Page { skip: 1, limit: 1 }),
    ];
    for (name, only_open, page) in pages {
        let rows = bench.store.reviews(only_open, page).await?;
        let numbers: Vec<String> = rows.iter().map(|row| row.review.to_string()).collect();
        lines.push(format!("{name} {}", numbers.join(" ")));
    }
    Ok(lines)
}

async fn concurrent(bench: &Bench) -> Lines {
    let run = asked(bench).await?;
    let decisions: Vec<_> = (0..16)
        .map(|_| {
            let bench = bench.clone();
            tokio::spawn(async move { decide(&bench, run, 1).await })
        })
        .collect();
    let (mut accepted, mut told) = (0, 0);
    for answer in decisions {
        let answer = answer.await.map_err(|error| StoreError::Unavailable(error.to_string()))??;
        accepted += u32::from(answer == "posted 1");
        told += u32::from(answer == "review 1 already requested by anna");
    }
    Ok(vec![format!("{accepted} accepted, {told} told who was first")])
}
