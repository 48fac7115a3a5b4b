//! What is opened: a new file, ours, and nothing else.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that ends is a test that says so")]

use rusqlite::Connection;
use saga_core::store::StoreError;
use saga_sqlite::SqliteStore;
use std::path::Path;

fn refused(path: &Path) -> StoreError {
    SqliteStore::open(path).map(drop).unwrap_err()
}

#[tokio::test]
async fn another_applications_database_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE orders (id INTEGER)").unwrap();
    drop(other);
    let before = std::fs::read(&path).unwrap();
    assert!(matches!(refused(&path), StoreError::NotAStore(_)));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn a_file_that_is_no_database_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.txt");
    std::fs::write(&path, "not a database, but long enough to be read as the header of one".repeat(40)).unwrap();
    assert!(matches!(refused(&path), StoreError::NotAStore(_)));
    assert!(std::fs::read_to_string(&path).unwrap().starts_with("not a database"));
}

#[tokio::test]
async fn an_empty_file_becomes_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sagas.db");
    std::fs::write(&path, "").unwrap();
    assert!(SqliteStore::open(&path).is_ok());
}

#[tokio::test]
async fn a_newer_schema_is_named_and_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sagas.db");
    drop(SqliteStore::open(&path).unwrap());
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = refused(&path);
    assert!(matches!(error, StoreError::NewerSchema { found: 99, .. }), "{error}");
}

#[tokio::test]
async fn a_folder_and_a_missing_folder_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let error = refused(folder.path());
    assert!(matches!(error, StoreError::NotAStore(_)) && error.to_string().contains("is a directory"), "{error}");
    let error = refused(&folder.path().join("missing").join("sagas.db"));
    assert!(matches!(error, StoreError::Unavailable(_)) && error.to_string().contains("missing"), "{error}");
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_no_file_is_named() {
    let error = refused(Path::new("/dev/null")).to_string();
    assert!(error.contains("/dev/null"), "{error}");
}

#[tokio::test]
async fn a_file_that_can_only_be_read_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sagas.db");
    drop(SqliteStore::open(&path).unwrap());
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    // A privileged user may write all the same: then there is nothing to refuse.
    if std::fs::OpenOptions::new().write(true).open(&path).is_err() {
        let error = refused(&path);
        assert!(matches!(error, StoreError::Unsafe(_) | StoreError::Unavailable(_)), "{error}");
    }
}

#[tokio::test]
async fn a_damaged_file_is_not_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sagas.db");
    drop(SqliteStore::open(&path).unwrap());
    // The writer's thread closes the file soon after.
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.truncate(bytes.len().max(100) / 2);
    for byte in &mut bytes[100..] {
        *byte = 0xaa;
    }
    let damaged = folder.path().join("damaged.db");
    std::fs::write(&damaged, bytes).unwrap();
    let error = refused(&damaged);
    assert!(matches!(error, StoreError::NotAStore(_)), "{error}");
}
