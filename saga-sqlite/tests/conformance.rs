//! SQLite in a file and in memory give the answers of the memory store, case by case.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that ends is a test that says so")]

use saga_core::store::conformance::{Fresh, answers, run};
use saga_core::store::{ManualClock, MemoryStore};
use saga_sqlite::SqliteOptions;
use std::path::Path;

fn in_memory_store() -> Fresh {
    let clock = ManualClock::at(Fresh::START);
    Fresh::new(MemoryStore::with_clock(clock.clone())).with_clock(clock)
}

fn opened(options: SqliteOptions) -> Fresh {
    let clock = ManualClock::at(Fresh::START);
    Fresh::new(options.clock(clock.clone()).open().unwrap()).with_clock(clock)
}

fn file(folder: &Path) -> Fresh {
    opened(SqliteOptions::file(folder.join(format!("{}.db", uuid::Uuid::new_v4()))))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_keeps_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    run(async || file(folder.path())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_in_memory_keeps_the_contract() {
    run(async || opened(SqliteOptions::in_memory())).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn all_stores_give_the_same_answers() {
    let folder = tempfile::tempdir().unwrap();
    let expected = answers(async || in_memory_store()).await;
    let in_file = answers(async || file(folder.path())).await;
    let in_memory = answers(async || opened(SqliteOptions::in_memory())).await;
    for (memory, (file, other)) in expected.iter().zip(in_file.iter().zip(&in_memory)) {
        assert_eq!(memory, file);
        assert_eq!(memory, other);
    }
    assert_eq!((expected.len(), expected.len()), (in_file.len(), in_memory.len()));
}
