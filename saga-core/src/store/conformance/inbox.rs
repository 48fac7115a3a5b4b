//! Inboxes: what arrives, in which order, once.

use super::bench::{Bench, append, signal};
use crate::run::RunId;
use crate::store::{Append, InboxPost, StoreError, Write};

type Lines = Result<Vec<String>, StoreError>;

super::cases! {
    "items are numbered per run, in the order in which they arrived", numbered =>
        ["posted 1", "posted 1", "posted 2", "a: 1 2", "b: 1"];
    "an item comes back as it was posted", as_posted => ["1 by anna because why: {\"x\":1}", "not before its run true"];
    "a signal to an ended run is refused", to_ended => ["already completed", "completed length 2 fence 1 free never due claims 0"];
    "a signal to a run that is not there is refused", to_unknown => ["no such run"];
    "a second post with the same mark answers with the first number", once =>
        ["posted 1", "posted 1", "posted 2", "posted 3", "a: 1 2 3"];
    "a mark counts in its own run only", once_per_run => ["posted 1", "posted 1", "a: 1", "b: 1"];
    "a mark answers also when the run has ended, with the same time", once_after_end =>
        ["posted 1", "appended", "posted 1", "already completed", "same time true"];
    "items that were taken up are gone, and are counted no more", taken =>
        ["running length 1 fence 1 leased due later claims 1 inbox 3 signals 3", "appended", "a: 2",
         "running length 2 fence 1 leased due later claims 0 inbox 3 signals 1"];
    "taking up an item that is not there is no mistake", taken_unknown => ["appended", "a: 1"];
    "an inbox is read from a number on, a page at a time", paged => ["1 2", "3 4", "5", ""];
    "an unknown run has an empty inbox and an empty journal", empty => ["0 0"];
    "sixteen posters get sixteen numbers", concurrent => ["1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"];
}

pub(super) async fn numbers(bench: &Bench, run: RunId, after: u64, limit: u32) -> Result<String, StoreError> {
    let items = bench.store.inbox(run, after, limit).await?;
    Ok(items.iter().map(|item| item.number.to_string()).collect::<Vec<_>>().join(" "))
}

async fn posted(bench: &Bench, post: InboxPost) -> Result<String, StoreError> {
    bench.write(Write::Post(post)).await
}

fn marked(run: RunId, mark: &str) -> InboxPost {
    InboxPost { once: Some(mark.to_owned()), ..signal(run) }
}

async fn both(bench: &Bench, first: RunId, second: RunId) -> Lines {
    let (a, b) = (numbers(bench, first, 0, 100).await?, numbers(bench, second, 0, 100).await?);
    Ok(vec![format!("a: {a}"), format!("b: {b}")])
}

async fn numbered(bench: &Bench) -> Lines {
    let (first, second) = (bench.resting("a").await?, bench.resting("b").await?);
    let mut lines = Vec::new();
    for run in [first, second, first] {
        lines.push(posted(bench, signal(run)).await?);
    }
    lines.extend(both(bench, first, second).await?);
    Ok(lines)
}

async fn as_posted(bench: &Bench) -> Lines {
    let run = bench.resting("a").await?;
    let updated = bench.store.run(run).await?.map(|row| row.updated);
    let post = InboxPost { body: br#"{"x":1}"#.to_vec(), note: "why".to_owned(), ..signal(run) };
    posted(bench, post).await?;
    let mut lines = Vec::new();
    for item in bench.store.inbox(run, 0, 9).await? {
        let body = String::from_utf8_lossy(&item.body).into_owned();
        lines.push(format!("{} by {} because {}: {body}", item.number, item.by, item.note));
        lines.push(format!("not before its run {}", updated.is_some_and(|updated| item.at >= updated)));
    }
    Ok(lines)
}

async fn to_ended(bench: &Bench) -> Lines {
    let run = bench.ended("a").await?;
    Ok(vec![posted(bench, signal(run)).await?, bench.head(run).await?])
}

async fn to_unknown(bench: &Bench) -> Lines {
    Ok(vec![posted(bench, signal(RunId::fresh())).await?])
}

async fn once(bench: &Bench) -> Lines {
    let run = bench.resting("a").await?;
    let mut lines = Vec::new();
    for post in [marked(run, "m1"), marked(run, "m1"), marked(run, "m2"), signal(run)] {
        lines.push(posted(bench, post).await?);
    }
    lines.push(format!("a: {}", numbers(bench, run, 0, 100).await?));
    Ok(lines)
}

async fn once_per_run(bench: &Bench) -> Lines {
    let (first, second) = (bench.resting("a").await?, bench.resting("b").await?);
    let mut lines = vec![posted(bench, marked(first, "m1")).await?, posted(bench, marked(second, "m1")).await?];
    lines.extend(both(bench, first, second).await?);
    Ok(lines)
}

async fn once_after_end(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let mut lines = vec![posted(bench, marked(run, "m1")).await?];
    let first = bench.stamp(Write::Post(marked(run, "m1"))).await?;
    let end = Append { head: super::bench::head_in(crate::decide::State::Completed), ..append(run, 1) };
    lines.push(bench.write(Write::Append(end)).await?);
    bench.pass(1).await;
    lines.extend([posted(bench, marked(run, "m1")).await?, posted(bench, marked(run, "m2")).await?]);
    lines.push(format!("same time {}", first == bench.stamp(Write::Post(marked(run, "m1"))).await?));
    Ok(lines)
}

async fn taken(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    for _ in 0..3 {
        posted(bench, signal(run)).await?;
    }
    let before = bench.head(run).await?;
    let take = Append { inbox_seen: Some(3), inbox_taken: vec![1, 3], ..append(run, 1) };
    let appended = bench.write(Write::Append(take)).await?;
    Ok(vec![before, appended, format!("a: {}", numbers(bench, run, 0, 100).await?), bench.head(run).await?])
}

async fn taken_unknown(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    posted(bench, signal(run)).await?;
    let take = Append { inbox_taken: vec![0, 7, u64::MAX], ..append(run, 1) };
    let appended = bench.write(Write::Append(take)).await?;
    Ok(vec![appended, format!("a: {}", numbers(bench, run, 0, 100).await?)])
}

async fn paged(bench: &Bench) -> Lines {
    let run = bench.resting("a").await?;
    for _ in 0..5 {
        posted(bench, signal(run)).await?;
    }
    let mut lines = Vec::new();
    for after in [0, 2, 4, u64::MAX] {
        lines.push(numbers(bench, run, after, 2).await?);
    }
    Ok(lines)
}

async fn empty(bench: &Bench) -> Lines {
    let run = RunId::fresh();
    let (inbox, journal) = (bench.store.inbox(run, 0, 9).await?.len(), bench.store.journal(run, 0, 9).await?.len());
    Ok(vec![format!("{inbox} {journal}")])
}

async fn concurrent(bench: &Bench) -> Lines {
    let run = bench.resting("a").await?;
    let posters: Vec<_> = (0..16)
        .map(|_| {
            let bench = bench.clone();
            tokio::spawn(async move { bench.write(Write::Post(signal(run))).await })
        })
        .collect();
    for poster in posters {
        poster.await.map_err(|error| StoreError::Unavailable(error.to_string()))??;
    }
    Ok(vec![numbers(bench, run, 0, 100).await?])
}
