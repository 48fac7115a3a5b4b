//! Rows that cannot be read, written directly into the file: they are set aside, and stop no other run.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that ends is a test that says so")]

mod common;

use common::{Sagas, append, claim, new_run};
use saga_core::journal::Reason;
use saga_core::store::{
    Append, AsideDecision, InboxPost, ManualClock, Page, Poster, Quarantined, RunFilter, SetAside, Store, Write,
};
use saga_core::{RunId, Timestamp};
use std::time::Duration;

const NOW: i64 = 1_773_285_073_000_000;

/// What is done to a good row, and whether it looks due to the worker all the same.
const POISONS: [(&str, &str); 8] = [
    ("run", "run = 'not-a-uuid'"),
    ("run in capitals", "run = upper(run)"),
    ("state", "state = 'runing'"),
    ("instant", "created = -5"),
    ("instant in another unit", "updated = 9223372036854775807"),
    ("counter", "fence = -1"),
    ("text", "key = CAST(x'ff00' AS TEXT)"),
    ("number", "claims = 4294967296"),
];

async fn poisoned() -> (Sagas, ManualClock, Vec<RunId>) {
    let clock = ManualClock::at(Timestamp(NOW));
    let sagas = Sagas::open_with(|options| options.clock(clock.clone()));
    let mut poisons = Vec::new();
    for number in 0..100 {
        sagas.accepted(Write::Create(new_run(&format!("good-{number}")))).await;
        if let Some((name, change)) = POISONS.get(number / 10).filter(|_| number % 10 == 0) {
            let new = saga_core::store::NewRun { entries: Vec::new(), ..new_run(&format!("bad {name}")) };
            poisons.push(new.run);
            sagas.accepted(Write::Create(new)).await;
            let sql = format!("UPDATE saga_runs SET {change} WHERE key = 'bad {name}'");
            assert_eq!(sagas.sql().execute(&sql, []).unwrap(), 1, "{name}");
        }
    }
    (sagas, clock, poisons)
}

async fn quarantined(sagas: &Sagas) -> Vec<Quarantined> {
    sagas.store.quarantined(Page::first(100)).await.unwrap()
}

#[tokio::test]
async fn good_runs_are_claimed_next_to_rows_that_cannot_be_read() {
    let (sagas, _, _) = poisoned().await;
    let mut good = 0;
    loop {
        let claimed = claim(&sagas.store, "w1", 7).await;
        if claimed.is_empty() {
            break;
        }
        for one in claimed {
            assert!(one.row.key.starts_with("good-"), "{}", one.row.key);
            let more = Append { fence: one.row.fence, ..append(one.row.run, 1) };
            sagas.accepted(Write::Append(more)).await;
            good += 1;
        }
    }
    assert_eq!(good, 100);
    let aside = quarantined(&sagas).await;
    assert_eq!(aside.len(), POISONS.len());
    for row in &aside {
        assert_eq!(row.reason, Reason::JournalBroken);
        assert!(row.cause.contains("the column"), "{}", row.cause);
    }
    let health = sagas.store.health().await.unwrap();
    assert_eq!(health.quarantined, POISONS.len() as u64);
    // All but the two whose identity cannot be read have a question.
    assert_eq!(health.open_reviews, POISONS.len() as u64 - 2);
    assert_eq!(sagas.store.list(RunFilter::default(), Page::first(1_000)).await.unwrap().len(), 100);
}

#[tokio::test]
async fn a_row_that_cannot_be_read_is_listed_before_anybody_claims_it() {
    let (sagas, _, _) = poisoned().await;
    let aside = quarantined(&sagas).await;
    // The text is only found out when the row is read.
    assert_eq!(aside.len(), POISONS.len() - 1);
    let pages = sagas.store.quarantined(Page { skip: 2, limit: 3 }).await.unwrap();
    assert_eq!(pages, aside[2..5]);
}

#[tokio::test]
async fn a_row_that_cannot_be_read_is_looked_at_again_after_some_minutes_and_goes_on_when_it_is_repaired() {
    let (sagas, clock, poisons) = poisoned().await;
    assert_eq!(claim(&sagas.store, "w1", 1_000).await.len(), 100);
    clock.advance(Duration::from_secs(59));
    assert_eq!(claim(&sagas.store, "w1", 1_000).await.len(), 0);
    sagas.sql().execute("UPDATE saga_runs SET state = 'running' WHERE key = 'bad state'", []).unwrap();
    sagas.store.renew(&saga_core::store::WorkerId("w1".to_owned()), Duration::from_secs(9_000)).await.unwrap();
    clock.advance(Duration::from_secs(250));
    let claimed = claim(&sagas.store, "w1", 1_000).await;
    assert_eq!(claimed.len(), 1);
    assert_eq!((claimed[0].row.key.as_str(), claimed[0].row.run), ("bad state", poisons[2]));
    assert!(claimed[0].row.quarantined.is_some());
    sagas.accepted(Write::Append(append(poisons[2], 0))).await;
    assert_eq!(quarantined(&sagas).await.len(), POISONS.len() - 1);
}

#[tokio::test]
async fn writes_to_a_row_that_cannot_be_read_are_refused_and_say_why() {
    let (sagas, _, poisons) = poisoned().await;
    let writes = vec![Write::Post(common::signal(poisons[2])), Write::Create(new_run("bad state"))];
    for outcome in sagas.store.commit(writes).await.unwrap() {
        let refused = outcome.unwrap_err().to_string();
        assert!(refused.contains("cannot be read") && refused.contains("runing"), "{refused}");
    }
    assert!(sagas.store.run(poisons[2]).await.unwrap().is_none());
}

#[tokio::test]
async fn a_time_as_text_does_not_get_into_the_file() {
    let (sagas, _, _) = poisoned().await;
    let sql = "UPDATE saga_runs SET due = '2026-03-12 03:11:13' WHERE key = 'good-1'";
    let refused = sagas.sql().execute(sql, []).unwrap_err().to_string();
    assert!(refused.contains("cannot store TEXT value in INTEGER column"), "{refused}");
}

#[tokio::test]
async fn a_journal_is_shown_as_it_is_stored() {
    let sagas = Sagas::open();
    let run = sagas.leased("order-1").await;
    sagas.accepted(Write::Append(append(run, 1))).await;
    let sql =
        "UPDATE saga_journal SET at = -1, kind = CAST(x'ff' AS TEXT), call = -7, body = x'00ff7b' WHERE sequence = 1";
    assert_eq!(sagas.sql().execute(sql, []).unwrap(), 1);
    let journal = sagas.store.journal(run, 0, 10).await.unwrap();
    assert_eq!(journal.iter().map(|entry| entry.sequence).collect::<Vec<_>>(), [1, 2]);
    assert_eq!((journal[0].body.as_slice(), journal[0].call), (&[0x00, 0xff, 0x7b][..], None));
}

#[tokio::test]
async fn a_run_whose_journal_reaches_beyond_its_length_can_be_given_up() {
    let sagas = Sagas::open();
    let run = sagas.leased("order-1").await;
    sagas.accepted(Write::Append(append(run, 1))).await;
    assert_eq!(sagas.sql().execute("UPDATE saga_runs SET length = 1", []).unwrap(), 1);
    let aside = SetAside { run, fence: None, reason: Reason::JournalBroken, cause: "a gap".to_owned() };
    sagas.store.quarantine(aside, Duration::from_secs(9)).await.unwrap().unwrap();
    let head = saga_core::decide::Head::abandoned("anna", 0, false);
    let entries = append(run, 1).entries;
    let decision = AsideDecision::Abandon { length: 1, inbox_last: 0, entries, head };
    let post = InboxPost { kind: Poster::Aside(decision), note: "seen".to_owned(), ..common::signal(run) };
    sagas.accepted(Write::Post(post)).await;
    let row = sagas.store.run(run).await.unwrap().unwrap();
    assert_eq!((row.state.name(), row.length, row.due), ("abandoned", 3, None));
    assert_eq!(sagas.store.journal(run, 2, 9).await.unwrap().len(), 1);
}
