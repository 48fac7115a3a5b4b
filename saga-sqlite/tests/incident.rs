//! The schema document is run: every query in it works on a file with runs of every kind, and finds what it should.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that ends is a test that says so")]

mod common;

use common::{Sagas, appended, head_in, new_run};
use rusqlite::Connection;
use saga_core::decide::State;
use saga_core::store::{Append, Due, ReviewChange, SetAside, Store, Then, Write};
use saga_core::{journal::Reason, store::rules};
use std::time::Duration;

fn queries() -> Vec<String> {
    let parts = saga_sqlite::SCHEMA.split("```sql\n").skip(1);
    parts.filter_map(|part| part.split("```").next()).map(str::to_owned).collect()
}

/// Runs a query and gives all that it shows.
fn shown(connection: &Connection, sql: &str) -> String {
    let mut statement = connection.prepare(sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
    let columns = statement.column_count();
    let mut rows = statement.query([]).unwrap();
    let mut text = String::new();
    while let Some(row) = rows.next().unwrap_or_else(|error| panic!("{sql}: {error}")) {
        for column in 0..columns {
            text.push_str(&format!("{:?} ", row.get_ref(column).unwrap()));
        }
        text.push('\n');
    }
    text
}

/// One run whose undo failed, one that is set aside, one that ended, one broken body.
async fn incident(sagas: &Sagas) {
    let entry = |kind, json: &str| appended(kind, Some(0), Some("charge"), json.as_bytes());
    let run = sagas.leased("order-1").await;
    let report = r#"{"class":"transient","reference":"pay_17","message":"the gateway is down"}"#;
    let mut question = rules::set_aside_review(
        run,
        "approval",
        "editors",
        Reason::UndoFailed,
        "refund refused",
        saga_core::Timestamp(0),
    );
    question.review = 1;
    let entries = vec![
        entry("step_intended", r#"{"step_intended":{"call":0,"step":"charge","inputs":"[]"}}"#),
        entry("attempt_failed", &format!(r#"{{"attempt_failed":{{"call":0,"phase":"forward","report":{report}}}}}"#)),
        entry("attempt_started", r#"{"attempt_started":{"call":0,"phase":"forward","attempt":2}}"#),
        entry("step_done", r#"{"step_done":{"call":0,"output":"1","by":"reply"}}"#),
        entry("attempt_started", r#"{"attempt_started":{"call":0,"phase":"undo","attempt":1}}"#),
        entry("attempt_failed", "this is \0 not JSON \u{fffd}"),
    ];
    let append = Append {
        entries,
        head: head_in(State::Review),
        reviews: vec![ReviewChange::Open(Box::new(question))],
        then: Then::Release(Due::Never),
        ..common::append(run, 1)
    };
    sagas.accepted(Write::Append(append)).await;
    let ended = sagas.leased("order-2").await;
    sagas.accepted(Write::Append(Append { head: head_in(State::Completed), ..common::append(ended, 1) })).await;
    let aside = sagas.leased("order-3").await;
    let why = SetAside {
        run: aside,
        fence: Some(1),
        reason: Reason::JournalBroken,
        cause: "the journal has a gap".to_owned(),
    };
    sagas.store.quarantine(why, Duration::from_secs(600)).await.unwrap().unwrap();
    sagas.accepted(Write::Create(new_run("order-4"))).await;
    sagas.accepted(Write::Post(common::signal(run))).await;
}

#[tokio::test]
async fn every_query_of_the_document_runs() {
    let sagas = Sagas::open();
    incident(&sagas).await;
    let connection = Connection::open(&sagas.path).unwrap();
    let queries = queries();
    assert!(queries.len() >= 14, "{} queries", queries.len());
    let copy = sagas.folder.path().join("copy.db");
    for sql in queries {
        let sql = sql.replace("copy.db", copy.to_str().unwrap());
        if sql.starts_with("SELECT") {
            shown(&connection, &sql);
        } else {
            connection.execute_batch(&sql).unwrap_or_else(|error| panic!("{sql}: {error}"));
        }
    }
    assert!(saga_sqlite::SqliteStore::open(copy).unwrap().find("order-1").await.unwrap().is_some());
}

#[tokio::test]
async fn the_views_show_what_happened() {
    let sagas = Sagas::open();
    incident(&sagas).await;
    let connection = Connection::open(&sagas.path).unwrap();
    let steps = shown(&connection, "SELECT step, status, attempts, undo_attempts FROM saga_steps");
    assert_eq!(steps.lines().count(), 1);
    for part in ["charge", "attempt failed", "Integer(2)", "Integer(1)"] {
        let bytes = format!("{:?}", part.as_bytes());
        assert!(steps.contains(&bytes) || steps.contains(part), "{part} in {steps}");
    }
    let text = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, Option<String>>(0)).unwrap();
    assert_eq!(text("SELECT undo_error FROM saga_compensation_failures").as_deref(), Some("refund refused"));
    assert_eq!(
        text("SELECT quarantined FROM saga_runs_readable WHERE key = 'order-3'").as_deref(),
        Some("the journal has a gap")
    );
    assert_eq!(text("SELECT due FROM saga_runs_readable WHERE key = 'order-2'"), None);
    let row = sagas.store.find("order-4").await.unwrap().unwrap();
    assert_eq!(text("SELECT created FROM saga_runs_readable WHERE key = 'order-4'"), Some(row.created.to_string()));
}

#[tokio::test]
async fn forgetting_a_run_forgets_all_of_it() {
    let sagas = Sagas::open();
    incident(&sagas).await;
    let connection = Connection::open(&sagas.path).unwrap();
    connection.execute_batch("PRAGMA foreign_keys = ON; DELETE FROM saga_runs").unwrap();
    for table in ["saga_journal", "saga_inbox", "saga_reviews"] {
        let left: i64 = connection.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        assert_eq!(left, 0, "{table}");
    }
}
