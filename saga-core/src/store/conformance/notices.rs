//! Who is to be told of a question: until that is done, by whoever comes first, and less and less often.

use super::bench::{Bench, append, post};
use crate::journal::Reason;
use crate::run::{RunId, Timestamp};
use crate::store::{
    Append, AsideDecision, InboxPost, Notice, Page, Poster, ReviewChange, ReviewRow, SetAside, StoreError, Write, rules,
};

type Lines = Result<Vec<String>, StoreError>;

super::cases! {
    "the owner of a question is to be told when it is opened, and not again when that is done", told =>
        ["ops of 1, attempt 1", "nobody", "nobody"];
    "the owner is told again while nobody says that it is done, after a time that doubles", again =>
        ["ops of 1, attempt 1", "nobody", "ops of 1, attempt 2", "nobody", "ops of 1, attempt 3", "nobody"];
    "nobody is told of a question that is settled", settled => ["nobody", "nobody"];
    "whoever a question goes to is told, whatever was told to the first owner", escalated =>
        ["ops of 1, attempt 1", "boss of 1, attempt 1", "nobody", "boss of 1, attempt 2"];
    "the owner of a run that is set aside is told, and not again when it is set aside again", aside =>
        ["editors of 0, attempt 1", "nobody", "boss of 0, attempt 1", "nobody", "editors of 0, attempt 1"];
    "what was told of an earlier question does not count for a later one of the same number", later =>
        ["editors of 0, attempt 1", "editors of 0, attempt 1", "editors of 0, attempt 2"];
    "those who wait longest are told first, at most as many as are asked for", order =>
        ["ops of 1, attempt 1; ops of 2, attempt 1", "ops of 3, attempt 1", "nobody"];
    "several who tell at the same time tell different people", at_once => ["16 notices, 16 different"];
    "a notice says what the question says, without words and payloads", says => ["as the question true"];
}

fn question(review: u32, owner: &str) -> ReviewChange {
    let row = rules::set_aside_review(RunId::fresh(), "", owner, Reason::UndoFailed, "secret", Timestamp(0));
    ReviewChange::Open(Box::new(ReviewRow { review, ..row }))
}

async fn change(bench: &Bench, run: RunId, length: u64, change: ReviewChange) -> Result<(), StoreError> {
    bench.write(Write::Append(Append { reviews: vec![change], ..append(run, length) })).await?;
    Ok(())
}

/// A leased run of length 2 whose question 1 is for `ops`.
async fn asked(bench: &Bench, key: &str) -> Result<RunId, StoreError> {
    let run = bench.leased_for(key, "w1", 500).await?;
    change(bench, run, 1, question(1, "ops")).await?;
    Ok(run)
}

async fn due(bench: &Bench, limit: u32) -> Result<Vec<Notice>, StoreError> {
    bench.store.notices(bench.ticks(2), limit).await
}

fn words(notices: &[Notice]) -> String {
    let one = |notice: &Notice| format!("{} of {}, attempt {}", notice.owner, notice.review, notice.attempt);
    if notices.is_empty() { "nobody".to_owned() } else { notices.iter().map(one).collect::<Vec<_>>().join("; ") }
}

async fn next(bench: &Bench) -> Result<String, StoreError> {
    Ok(words(&due(bench, 9).await?))
}

async fn done(bench: &Bench, notices: &[Notice]) -> Result<(), StoreError> {
    for notice in notices {
        bench.store.notified(notice).await?;
    }
    Ok(())
}

async fn told(bench: &Bench) -> Lines {
    asked(bench, "a").await?;
    let first = due(bench, 9).await?;
    done(bench, &first).await?;
    let mut lines = vec![words(&first), next(bench).await?];
    bench.pass(9).await;
    lines.push(next(bench).await?);
    Ok(lines)
}

async fn again(bench: &Bench) -> Lines {
    asked(bench, "a").await?;
    let mut lines = Vec::new();
    for ticks in [0, 1, 2, 3, 2, 6] {
        bench.pass(ticks).await;
        lines.push(next(bench).await?);
    }
    Ok(lines)
}

async fn settled(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let settle = || ReviewChange::Settle { review: 1, decision: "retry".to_owned(), by: "anna".to_owned() };
    let both = Append { reviews: vec![question(1, "ops"), settle()], ..append(run, 1) };
    bench.write(Write::Append(both)).await?;
    let mut lines = vec![next(bench).await?];
    let run = asked(bench, "b").await?;
    due(bench, 9).await?;
    change(bench, run, 2, settle()).await?;
    bench.pass(9).await;
    lines.push(next(bench).await?);
    Ok(lines)
}

async fn escalated(bench: &Bench) -> Lines {
    let run = asked(bench, "a").await?;
    let first = due(bench, 9).await?;
    change(bench, run, 2, ReviewChange::Escalate { review: 1, owner: "boss".to_owned() }).await?;
    let second = next(bench).await?;
    done(bench, &first).await?;
    let mut lines = vec![words(&first), second, next(bench).await?];
    bench.pass(3).await;
    lines.push(next(bench).await?);
    Ok(lines)
}

async fn set_aside(bench: &Bench, run: RunId) -> Result<(), StoreError> {
    let aside = SetAside { run, fence: None, reason: Reason::CrashLoop, cause: "it crashed".to_owned() };
    bench.store.quarantine(aside, bench.ticks(0)).await?.ok();
    Ok(())
}

async fn decide(bench: &Bench, run: RunId, decision: AsideDecision) -> Result<(), StoreError> {
    bench.write(Write::Post(InboxPost { note: "seen".to_owned(), ..post(run, Poster::Aside(decision)) })).await?;
    Ok(())
}

async fn aside(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    set_aside(bench, run).await?;
    let first = due(bench, 9).await?;
    done(bench, &first).await?;
    set_aside(bench, run).await?;
    let mut lines = vec![words(&first), next(bench).await?];
    decide(bench, run, AsideDecision::Escalate { owner: "boss".to_owned() }).await?;
    let second = due(bench, 9).await?;
    lines.push(words(&second));
    decide(bench, run, AsideDecision::Retry).await?;
    bench.pass(3).await;
    lines.push(next(bench).await?);
    set_aside(bench, run).await?;
    lines.push(next(bench).await?);
    Ok(lines)
}

async fn later(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    set_aside(bench, run).await?;
    let first = due(bench, 9).await?;
    decide(bench, run, AsideDecision::Retry).await?;
    bench.pass(1).await;
    set_aside(bench, run).await?;
    let second = next(bench).await?;
    done(bench, &first).await?;
    bench.pass(3).await;
    Ok(vec![words(&first), second, next(bench).await?])
}

async fn order(bench: &Bench) -> Lines {
    let run = asked(bench, "a").await?;
    for (review, length) in [(2, 2), (3, 3)] {
        bench.pass(1).await;
        change(bench, run, length, question(review, "ops")).await?;
    }
    let first = words(&due(bench, 2).await?);
    Ok(vec![first, words(&due(bench, 2).await?), words(&due(bench, 2).await?)])
}

async fn at_once(bench: &Bench) -> Lines {
    for number in 0..16 {
        asked(bench, &number.to_string()).await?;
    }
    let takers: Vec<_> = (0..8)
        .map(|_| {
            let bench = bench.clone();
            tokio::spawn(async move { bench.store.notices(bench.ticks(500), 3).await })
        })
        .collect();
    let mut runs = Vec::new();
    for taker in takers {
        let taken = taker.await.map_err(|error| StoreError::Unavailable(error.to_string()))??;
        runs.extend(taken.into_iter().map(|notice| notice.run));
    }
    let count = runs.len();
    runs.sort();
    runs.dedup();
    Ok(vec![format!("{count} notices, {} different", runs.len())])
}

async fn says(bench: &Bench) -> Lines {
    asked(bench, "a").await?;
    let row = bench.store.reviews(true, Page::first(9)).await?.pop();
    let notice = due(bench, 9).await?.pop();
    Ok(vec![format!("as the question {}", notice.is_some() && notice == row.map(|row| Notice::of(row, 1)))])
}
