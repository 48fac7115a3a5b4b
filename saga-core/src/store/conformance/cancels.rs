//! Cancels: accepted, or told in one of four ways why not.

use super::bench::{Bench, append, head_in, post};
use crate::decide::State;
use crate::run::RunId;
use crate::store::{Append, Poster, StoreError, Write};

type Lines = Result<Vec<String>, StoreError>;

super::cases! {
    "a cancel is accepted, and a second one is answered with the first", accepted =>
        ["posted 1", "posted 1", "waiting length 2 fence 1 free due claims 0 inbox 1 signals 0 cancel", "same time true"];
    "a cancel is remembered after it was taken up", remembered =>
        ["appended", "posted 1", "running length 2 fence 1 leased due later claims 0 inbox 1 signals 0 cancel"];
    "a cancel of an unwinding run is refused", unwinding => ["already unwinding"];
    "a cancel past the pivot is refused", past_pivot => ["past the pivot"];
    "a cancel of an ended run is refused, and says how it ended", ended => ["already refused"];
    "a cancel of a run that is not there is refused", unknown => ["no such run"];
    "that a run has ended is said before all else", ended_first => ["already abandoned"];
    "a cancel of a run in review is accepted", in_review => ["posted 1"];
    "a refused cancel leaves no trace", no_trace =>
        ["past the pivot", "running length 2 fence 1 leased due later claims 0 pivot", "0 items"];
    "sixteen cancels are one", concurrent => ["16 answers posted 1", "1 items"];
}

async fn cancel(bench: &Bench, run: RunId) -> Result<String, StoreError> {
    bench.write(Write::Post(post(run, Poster::Cancel))).await
}

/// Moves a run to a head and cancels it.
async fn cancelled_at(bench: &Bench, state: State, past_pivot: bool) -> Result<(RunId, String), StoreError> {
    let run = bench.leased("a", "w1").await?;
    let mut head = head_in(state);
    head.past_pivot = past_pivot;
    bench.write(Write::Append(Append { head, ..append(run, 1) })).await?;
    Ok((run, cancel(bench, run).await?))
}

async fn accepted(bench: &Bench) -> Lines {
    let run = bench.resting("a").await?;
    let first = cancel(bench, run).await?;
    bench.pass(1).await;
    let at = bench.store.inbox(run, 0, 1).await?.pop().map(|item| item.at);
    let again = bench.stamp(Write::Post(post(run, Poster::Cancel))).await?;
    Ok(vec![first, cancel(bench, run).await?, bench.head(run).await?, format!("same time {}", at == Some(again))])
}

async fn remembered(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    cancel(bench, run).await?;
    let taken = bench.write(Write::Append(Append { inbox_taken: vec![1], ..append(run, 1) })).await?;
    Ok(vec![taken, cancel(bench, run).await?, bench.head(run).await?])
}

async fn unwinding(bench: &Bench) -> Lines {
    Ok(vec![cancelled_at(bench, State::Unwinding, false).await?.1])
}

async fn past_pivot(bench: &Bench) -> Lines {
    Ok(vec![cancelled_at(bench, State::Running, true).await?.1])
}

async fn ended(bench: &Bench) -> Lines {
    Ok(vec![cancelled_at(bench, State::Refused, false).await?.1])
}

async fn unknown(bench: &Bench) -> Lines {
    Ok(vec![cancel(bench, RunId::fresh()).await?])
}

async fn ended_first(bench: &Bench) -> Lines {
    Ok(vec![cancelled_at(bench, State::Abandoned, true).await?.1])
}

async fn in_review(bench: &Bench) -> Lines {
    Ok(vec![cancelled_at(bench, State::Review, false).await?.1])
}

async fn no_trace(bench: &Bench) -> Lines {
    let (run, refused) = cancelled_at(bench, State::Running, true).await?;
    let items = bench.store.inbox(run, 0, 9).await?.len();
    Ok(vec![refused, bench.head(run).await?, format!("{items} items")])
}

async fn concurrent(bench: &Bench) -> Lines {
    let run = bench.resting("a").await?;
    let cancels: Vec<_> = (0..16)
        .map(|_| {
            let bench = bench.clone();
            tokio::spawn(async move { cancel(&bench, run).await })
        })
        .collect();
    let mut first = 0;
    for answer in cancels {
        let answer = answer.await.map_err(|error| StoreError::Unavailable(error.to_string()))??;
        first += u32::from(answer == "posted 1");
    }
    let items = bench.store.inbox(run, 0, 99).await?.len();
    Ok(vec![format!("{first} answers posted 1"), format!("{items} items")])
}
