//! Lists: a page at a time, in an order that does not change under the reader.

use super::bench::{Bench, append, entry, new_run};
use crate::decide::State;
use crate::store::limits::LONGEST_BATCH;
use crate::store::{Append, NewRun, Page, RunFilter, StoreError, Write};
use std::collections::BTreeSet;

type Lines = Result<Vec<String>, StoreError>;

super::cases! {
    "runs are listed newest first, a page at a time", newest_first => ["5 4", "3 2", "1", ""];
    "runs that begin while a list is read hide none that were there", under_inserts => ["all 6 seen true"];
    "runs are listed by state and by saga", filtered =>
        ["c b", "d", "d c b", "e", "", "e d c b a"];
    "a page has at most 1000 rows", most => ["1000", "1", "0", "0"];
    "a journal is read from a number on, a page at a time", journal => ["1 2 3", "4 5", "5", "", "1 2 3 4 5"];
    "a row of a list is the row of the run", same_row => ["3 of 3"];
    "runs that are set aside are in the list too", aside => ["a"];
}

async fn keys(bench: &Bench, filter: RunFilter, page: Page) -> Result<String, StoreError> {
    let rows = bench.store.list(filter, page).await?;
    Ok(rows.into_iter().map(|row| row.key).collect::<Vec<_>>().join(" "))
}

async fn create(bench: &Bench, keys: &[&str]) -> Result<(), StoreError> {
    for key in keys {
        bench.write(Write::Create(new_run(key))).await?;
        bench.pass(1).await;
    }
    Ok(())
}

async fn newest_first(bench: &Bench) -> Lines {
    create(bench, &["1", "2", "3", "4", "5"]).await?;
    let mut lines = Vec::new();
    for skip in [0, 2, 4, u64::MAX] {
        lines.push(keys(bench, RunFilter::default(), Page { skip, limit: 2 }).await?);
    }
    Ok(lines)
}

async fn under_inserts(bench: &Bench) -> Lines {
    let there = ["1", "2", "3", "4", "5", "6"];
    create(bench, &there).await?;
    let mut seen = BTreeSet::new();
    let mut skip = 0;
    loop {
        let rows = bench.store.list(RunFilter::default(), Page { skip, limit: 2 }).await?;
        if rows.is_empty() {
            break;
        }
        skip += rows.len() as u64;
        seen.extend(rows.into_iter().map(|row| row.key));
        if skip < 6 {
            create(bench, &[&format!("new {skip}")]).await?;
        }
    }
    Ok(vec![format!("all 6 seen {}", there.iter().all(|key| seen.contains(*key)))])
}

async fn filtered(bench: &Bench) -> Lines {
    bench.ended("a").await?;
    bench.pass(1).await;
    create(bench, &["b", "c"]).await?;
    bench.resting("d").await?;
    bench.pass(1).await;
    let mut refund = new_run("e");
    refund.definition.saga = "refund".to_owned();
    refund.head.state = State::Refused;
    bench.write(Write::Create(refund)).await?;
    let filter =
        |states: &[State], saga: Option<&str>| RunFilter { states: states.to_vec(), saga: saga.map(str::to_owned) };
    let filters = [
        filter(&[State::Running], None),
        filter(&[State::Waiting], Some("approval")),
        filter(&[State::Waiting, State::Running], None),
        filter(&[], Some("refund")),
        filter(&[State::Running], Some("refund")),
        filter(&[], None),
    ];
    let mut lines = Vec::new();
    for filter in filters {
        lines.push(keys(bench, filter, Page::first(9)).await?);
    }
    Ok(lines)
}

async fn most(bench: &Bench) -> Lines {
    let runs =
        (0..=LONGEST_BATCH).map(|number| Write::Create(NewRun { entries: Vec::new(), ..new_run(&number.to_string()) }));
    bench.commit(runs.collect()).await?;
    let mut lines = Vec::new();
    for (skip, limit) in [(0, u32::MAX), (1_000, u32::MAX), (1_001, 9), (0, 0)] {
        let rows = bench.store.list(RunFilter::default(), Page { skip, limit }).await?;
        lines.push(rows.len().to_string());
    }
    Ok(lines)
}

async fn journal(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    bench.write(Write::Append(Append { entries: vec![entry("{}"); 4], ..append(run, 1) })).await?;
    let mut lines = Vec::new();
    for (after, limit) in [(0, 3), (3, 3), (4, 1), (u64::MAX, 9), (0, u32::MAX)] {
        let entries = bench.store.journal(run, after, limit).await?;
        lines.push(entries.iter().map(|entry| entry.sequence.to_string()).collect::<Vec<_>>().join(" "));
    }
    Ok(lines)
}

async fn same_row(bench: &Bench) -> Lines {
    bench.leased("a", "w1").await?;
    bench.resting("b").await?;
    bench.ended("c").await?;
    let rows = bench.store.list(RunFilter::default(), Page::first(9)).await?;
    let mut same = 0;
    for row in &rows {
        let (by_run, by_key) = (bench.store.run(row.run).await?, bench.store.find(&row.key).await?);
        same += u32::from(by_run.as_ref() == Some(row) && by_key == by_run);
    }
    Ok(vec![format!("{same} of {}", rows.len())])
}

async fn aside(bench: &Bench) -> Lines {
    let run = bench.leased("a", "w1").await?;
    let aside = crate::store::SetAside {
        run,
        fence: None,
        reason: crate::journal::Reason::CrashLoop,
        cause: "crashed".to_owned(),
    };
    let refused = bench.store.quarantine(aside, bench.ticks(5)).await?.is_err();
    Ok(vec![if refused { "refused".to_owned() } else { keys(bench, RunFilter::default(), Page::first(9)).await? }])
}
