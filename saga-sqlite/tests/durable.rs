//! What the file promises: it outlives the store and the process, and a process that dies mid-way leaves whole runs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that ends is a test that says so")]

mod common;

use common::{Sagas, append, claim, new_run, process};
use saga_core::Timestamp;
use saga_core::decide::State;
use saga_core::store::{Append, Clock, NewRun, Store, StoreError, WorkerId, Write};
use saga_sqlite::SqliteStore;
use std::io::{BufRead, BufReader, Write as _};
use std::process::Stdio;
use std::time::Duration;

#[tokio::test]
async fn what_was_acknowledged_is_there_when_the_file_is_opened_again() {
    let Sagas { store, path, folder: _folder } = Sagas::open();
    common::accepted(&store, Write::Create(new_run("order-1"))).await;
    drop(store);
    let store = SqliteStore::open(&path).unwrap();
    let row = store.find("order-1").await.unwrap().unwrap();
    assert_eq!((row.length, row.state), (1, State::Running));
    assert_eq!(claim(&store, "w1", 10).await.len(), 1);
    assert_eq!(store.journal(row.run, 0, 10).await.unwrap()[0].body, b"{}");
}

/// Not a test: the process that is killed. It says what was acknowledged, and goes on until then.
#[tokio::test]
#[ignore = "started as a process by another test"]
async fn writes_until_it_is_killed() {
    let store = SqliteStore::open(common::file_of_process()).unwrap();
    let mut out = std::io::stdout();
    for number in 0_u64.. {
        let claim = Some((WorkerId("killed".to_owned()), Duration::from_secs(60)));
        let new = NewRun { claim, ..new_run(&format!("order-{number}")) };
        let run = new.run;
        let mut writes = vec![Write::Create(new)];
        writes.extend((1..=20).map(|length| Write::Append(append(run, length))));
        let outcome = store.commit(writes).await.unwrap();
        assert!(outcome.iter().all(Result::is_ok));
        writeln!(out, "acknowledged {run} 21").unwrap();
        for length in 21..24 {
            common::accepted(&store, Write::Append(append(run, length))).await;
            writeln!(out, "acknowledged {run} {}", length + 1).unwrap();
        }
    }
}

#[tokio::test]
async fn a_process_that_is_killed_leaves_all_that_it_acknowledged_and_no_half_run() {
    for round in 1..=5 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sagas.db");
        let mut child =
            process("writes_until_it_is_killed", &path).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut acknowledged = Vec::new();
        while acknowledged.len() < 17 * round {
            let line = lines.next().unwrap().unwrap();
            // The harness writes on the same line.
            if let Some(at) = line.find("acknowledged ") {
                acknowledged.push(line[at..].to_owned());
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        acknowledged.extend(lines.map_while(Result::ok).filter(|line| line.starts_with("acknowledged ")));

        let store = SqliteStore::open(&path).unwrap();
        for line in &acknowledged {
            let mut words = line.split(' ').skip(1);
            let (Some(run), Some(length)) = (words.next(), words.next()) else { continue };
            let (Ok(run), Ok(length)) = (run.parse(), length.parse::<u64>()) else { continue };
            let row = store.run(run).await.unwrap().unwrap();
            assert!(row.length >= length, "{line}, but it has {}", row.length);
            let journal = store.journal(run, 0, 100).await.unwrap();
            assert!(journal.iter().map(|entry| entry.sequence).eq(1..=row.length), "{line}");
            assert!(row.length >= 21, "a batch is there whole or not at all");
        }
        let check: String = rusqlite::Connection::open(&path)
            .unwrap()
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(check, "ok");
    }
}

#[tokio::test]
async fn a_request_that_fails_leaves_nothing_and_the_store_goes_on() {
    let sagas = Sagas::open();
    let run = sagas.leased("order-1").await;
    sagas.sql().execute_batch("ALTER TABLE saga_inbox RENAME TO gone").unwrap();
    let writes = vec![Write::Append(append(run, 1)), Write::Post(common::signal(run))];
    let error = sagas.store.commit(writes).await.unwrap_err();
    assert!(error.to_string().contains("saga_inbox"), "{error}");
    sagas.sql().execute_batch("ALTER TABLE gone RENAME TO saga_inbox").unwrap();
    assert_eq!(sagas.store.journal(run, 0, 10).await.unwrap().len(), 1);
    sagas.accepted(Write::Append(append(run, 1))).await;
}

#[tokio::test]
async fn a_row_that_the_database_refuses_fails_alone() {
    let sagas = Sagas::open();
    let (first, second) = (sagas.leased("order-1").await, sagas.leased("order-2").await);
    let trigger = format!(
        "CREATE TRIGGER refuse BEFORE INSERT ON saga_journal WHEN new.run = '{first}' AND new.sequence = 3
         BEGIN SELECT raise(ABORT, 'not this one'); END"
    );
    sagas.sql().execute_batch(&trigger).unwrap();
    let two = |run| {
        let entries = vec![append(run, 1).entries.remove(0); 2];
        Write::Append(Append { entries, ..append(run, 1) })
    };
    let outcome = sagas.store.commit(vec![two(first), two(second)]).await.unwrap();
    let refused = outcome[0].as_ref().unwrap_err().to_string();
    assert!(refused.contains("not this one"), "{refused}");
    assert!(outcome[1].is_ok());
    assert_eq!(sagas.store.journal(first, 0, 10).await.unwrap().len(), 1);
    assert_eq!(sagas.store.run(first).await.unwrap().unwrap().length, 1);
    assert_eq!(sagas.store.journal(second, 0, 10).await.unwrap().len(), 3);
}

#[derive(Debug)]
struct BrokenClock;

impl Clock for BrokenClock {
    fn now(&self) -> Timestamp {
        assert!(std::thread::current().name() != Some("saga-sqlite"), "the clock is broken");
        Timestamp(1)
    }
}

#[tokio::test]
async fn a_writer_that_died_is_a_store_that_is_not_available() {
    let sagas = Sagas::open_with(|options| options.clock(BrokenClock));
    for _ in 0..2 {
        let failed = sagas.store.commit(vec![Write::Create(new_run("order-1"))]).await;
        assert!(matches!(failed, Err(StoreError::Unavailable(_))), "{failed:?}");
    }
    assert!(sagas.store.find("order-1").await.unwrap().is_none());
}
