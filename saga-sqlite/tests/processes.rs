//! Several processes on one file: no run is claimed twice, and a lock that somebody holds shows nowhere.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that ends is a test that says so"
)]

mod common;

use common::{Sagas, append, claim, new_run, process};
use rusqlite::Connection;
use saga_core::RunId;
use saga_core::store::{Append, Store, StoreError, Write};
use saga_sqlite::{SqliteOptions, SqliteStore};
use std::collections::HashSet;
use std::process::Stdio;
use std::time::{Duration, Instant};

const RUNS: usize = 120;

/// Holds the write lock of the file for a while; returns when it has it.
fn hold_lock(connection: Connection, span: Duration) -> std::thread::JoinHandle<()> {
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::spawn(move || {
        std::thread::sleep(span);
        connection.execute_batch("ROLLBACK").unwrap();
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_that_is_held_for_two_seconds_is_waited_for() {
    let sagas = Sagas::open_with(|options| options.busy_timeout(Duration::from_millis(20)));
    let run = sagas.leased("order-1").await;
    let holder = hold_lock(sagas.sql(), Duration::from_secs(2));
    let started = Instant::now();
    let (append, create, claimed, renewed) = tokio::join!(
        sagas.store.commit(vec![Write::Append(append(run, 1))]),
        sagas.store.commit(vec![Write::Create(new_run("order-2"))]),
        claim(&sagas.store, "w1", 10),
        sagas.store.renew(&saga_core::store::WorkerId("w0".to_owned()), Duration::from_secs(60)),
    );
    assert!(started.elapsed() > Duration::from_millis(1_500), "the lock was not held");
    assert!(append.unwrap()[0].is_ok() && create.unwrap()[0].is_ok());
    assert_eq!((claimed.len(), renewed.unwrap().len()), (1, 1));
    holder.join().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_do_not_wait_for_writers() {
    let sagas = Sagas::open();
    let run = sagas.leased("order-1").await;
    let holder = hold_lock(sagas.sql(), Duration::from_secs(1));
    let started = Instant::now();
    assert!(sagas.store.run(run).await.unwrap().is_some());
    assert!(sagas.store.health().await.is_ok());
    assert!(started.elapsed() < Duration::from_millis(700));
    holder.join().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_without_end_is_a_failure_of_the_store_and_not_a_refusal() {
    let sagas = Sagas::open_with(|options| {
        options.busy_timeout(Duration::from_millis(10)).patience(Duration::from_millis(300))
    });
    let holder = hold_lock(sagas.sql(), Duration::from_secs(2));
    let failed = sagas.store.commit(vec![Write::Create(new_run("order-1"))]).await;
    assert!(matches!(failed, Err(StoreError::Unavailable(_))), "{failed:?}");
    holder.join().unwrap();
    sagas.accepted(Write::Create(new_run("order-1"))).await;
}

/// Not a test: a process that claims all it can get and writes an entry to each.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "started as a process by another test"]
async fn claims_and_writes() {
    let store = SqliteOptions::file(common::file_of_process()).busy_timeout(Duration::from_millis(5)).open().unwrap();
    let name = std::process::id().to_string();
    let workers: Vec<_> = (0..4)
        .map(|number| {
            let (store, name) = (store.clone(), format!("{name}-{number}"));
            tokio::spawn(async move {
                let mut got = Vec::new();
                loop {
                    let claimed = claim(&store, &name, 2).await;
                    if claimed.is_empty() {
                        return got;
                    }
                    for one in claimed {
                        let more = Append { fence: one.row.fence, ..append(one.row.run, one.row.length) };
                        common::accepted(&store, Write::Append(more)).await;
                        got.push(one.row.run);
                    }
                }
            })
        })
        .collect();
    for worker in workers {
        for run in worker.await.unwrap() {
            println!("\nclaimed {run}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_processes_and_a_third_that_locks_claim_each_run_once() {
    let sagas = Sagas::open();
    let creates = (0..RUNS).map(|number| Write::Create(new_run(&format!("order-{number}")))).collect();
    assert!(sagas.store.commit(creates).await.unwrap().iter().all(Result::is_ok));
    let start =
        || process("claims_and_writes", &sagas.path).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let children = [start(), start()];
    let locker = sagas.path.clone();
    let locks = std::thread::spawn(move || {
        for span in [30, 80, 200, 50] {
            let connection = Connection::open(&locker).unwrap();
            connection.busy_timeout(Duration::from_secs(10)).unwrap();
            hold_lock(connection, Duration::from_millis(span)).join().unwrap();
        }
    });
    let mut claimed = Vec::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        claimed.extend(text.lines().filter_map(|line| line.strip_prefix("claimed ")?.parse::<RunId>().ok()));
    }
    locks.join().unwrap();
    assert_eq!(claimed.len(), RUNS);
    assert_eq!(claimed.iter().collect::<HashSet<_>>().len(), RUNS);
    for run in claimed {
        let row = sagas.store.run(run).await.unwrap().unwrap();
        assert_eq!((row.length, row.fence), (2, 1));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_openers_of_a_new_file_migrate_it_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sagas.db");
    let openers: Vec<_> = (0..8)
        .map(|_| {
            let path = path.clone();
            std::thread::spawn(move || SqliteStore::open(path).map(drop))
        })
        .collect();
    for opener in openers {
        opener.join().unwrap().unwrap();
    }
    let applied: i64 = Connection::open(&path)
        .unwrap()
        .query_row("SELECT count(*) FROM saga_migrations", [], |row| row.get(0))
        .unwrap();
    assert_eq!(applied, 2);
}
