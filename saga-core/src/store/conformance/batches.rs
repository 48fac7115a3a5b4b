//! Batches: made durable together, answered one by one.

use super::bench::{Bench, append, new_run, post, signal, worker_id};
use crate::run::RunId;
use crate::store::{NewRun, Poster, StoreError, Write};

type Lines = Result<Vec<String>, StoreError>;

super::cases! {
    "an empty batch is answered with nothing", empty => ["0 answers"];
    "a refused write between accepted ones disturbs neither", between =>
        ["appended", "wrong length 9, found 1", "no such run", "posted 1", "length 2", "length 1"];
    "a later write of a batch sees the earlier ones", sees_earlier =>
        ["appended", "appended", "wrong length 2, found 3", "running length 3 fence 1 leased due later claims 0"];
    "a run can be created, written to and cancelled in one batch", whole_life =>
        ["created", "appended", "posted 1", "posted 2", "posted 2", "running length 2 fence 1 leased due later claims 0 inbox 2 signals 1 cancel"];
    "the same key twice in a batch is one run", same_key => ["created", "existing a", "1 runs"];
    "answers come in the order of the writes", in_order => ["100 answers", "all odd refused true"];
    "writers at the same time do not disturb each other", concurrent =>
        ["16 times 20 appended", "every journal 1 to 21 true"];
    "of writers to one run only one is accepted at each length", contended => ["10 appended of 160", "1 to 11 true"];
}

async fn empty(bench: &Bench) -> Lines {
    Ok(vec![format!("{} answers", bench.store.commit(Vec::new()).await?.len())])
}

async fn between(bench: &Bench) -> Lines {
    let (first, second) = (bench.leased("a", "w1").await?, bench.leased("b", "w1").await?);
    let mut lines = bench
        .commit(vec![
            Write::Append(append(first, 1)),
            Write::Append(append(second, 9)),
            Write::Append(append(RunId::fresh(), 1)),
            Write::Post(signal(second)),
        ])
        .await?;
    for run in [first, second] {
        lines.push(format!("length {}", bench.store.journal(run, 0, 9).await?.len()));
    }
    Ok(lines)
}

async fn sees_earlier(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let mut lines = bench.commit([1, 2, 2].map(|length| Write::Append(append(run, length))).to_vec()).await?;
    lines.push(bench.head(run).await?);
    Ok(lines)
}

async fn whole_life(bench: &Bench) -> Lines {
    let new = NewRun { claim: Some((worker_id("w1"), bench.ticks(5))), ..new_run("a") };
    let run = new.run;
    let cancel = || Write::Post(post(run, Poster::Cancel));
    let mut lines = bench
        .commit(vec![Write::Create(new), Write::Append(append(run, 1)), Write::Post(signal(run)), cancel(), cancel()])
        .await?;
    lines.push(bench.head(run).await?);
    Ok(lines)
}

async fn same_key(bench: &Bench) -> Lines {
    let mut lines = bench.commit(vec![Write::Create(new_run("a")), Write::Create(new_run("a"))]).await?;
    let rows = bench.store.list(crate::store::RunFilter::default(), crate::store::Page::first(9)).await?;
    lines.push(format!("{} runs", rows.len()));
    Ok(lines)
}

async fn in_order(bench: &Bench) -> Lines {
    let write = |number: u32| {
        Write::Create(NewRun {
            input_size: if number % 2 == 1 { usize::MAX } else { 1 },
            ..new_run(&number.to_string())
        })
    };
    let answers = bench.store.commit((0..100).map(write).collect()).await?;
    let odd = answers.iter().enumerate().all(|(number, answer)| answer.is_err() == (number % 2 == 1));
    Ok(vec![format!("{} answers", answers.len()), format!("all odd refused {odd}")])
}

async fn concurrent(bench: &Bench) -> Lines {
    let mut writers = Vec::new();
    for number in 0..16 {
        let run = bench.leased(&format!("order-{number}"), "w1").await?;
        let bench = bench.clone();
        writers.push(tokio::spawn(async move {
            let mut appended = 0;
            for length in 1..=20 {
                appended += u32::from(bench.write(Write::Append(append(run, length))).await? == "appended");
            }
            let journal = bench.store.journal(run, 0, 99).await?;
            let whole = journal.iter().map(|entry| entry.sequence).eq(1..=21);
            Ok::<_, StoreError>((appended, whole))
        }));
    }
    let (mut twenty, mut whole) = (0, true);
    for writer in writers {
        let (appended, journal) = writer.await.map_err(|error| StoreError::Unavailable(error.to_string()))??;
        twenty += u32::from(appended == 20);
        whole &= journal;
    }
    Ok(vec![format!("{twenty} times 20 appended"), format!("every journal 1 to 21 {whole}")])
}

async fn contended(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let mut appended = 0;
    for length in 1..=10 {
        let writers: Vec<_> = (0..16)
            .map(|_| {
                let bench = bench.clone();
                tokio::spawn(async move { bench.write(Write::Append(append(run, length))).await })
            })
            .collect();
        for writer in writers {
            let answer = writer.await.map_err(|error| StoreError::Unavailable(error.to_string()))??;
            appended += u32::from(answer == "appended");
        }
    }
    let whole = bench.store.journal(run, 0, 99).await?.iter().map(|entry| entry.sequence).eq(1..=11);
    Ok(vec![format!("{appended} appended of 160"), format!("1 to 11 {whole}")])
}
