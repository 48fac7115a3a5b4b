//! A file that is removed or replaced under an open store: nothing is acknowledged into it, and nothing read from it.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that ends is a test that says so")]

mod common;

use common::new_run;
use saga_core::store::{Page, RunFilter, Store, StoreError, Write};
use saga_sqlite::SqliteStore;
use std::path::{Path, PathBuf};

async fn create(store: &SqliteStore, key: &str) -> Result<(), StoreError> {
    store.commit(vec![Write::Create(new_run(key))]).await?.remove(0).unwrap();
    Ok(())
}

async fn keys(store: &SqliteStore) -> Result<Vec<String>, StoreError> {
    let rows = store.list(RunFilter::default(), Page::first(9)).await?;
    Ok(rows.into_iter().map(|row| row.key).collect())
}

/// Moves a store's files.
fn shift(from: &Path, to: &Path) {
    for end in ["", "-wal", "-shm"] {
        let with = |path: &Path| PathBuf::from(format!("{}{end}", path.display()));
        if with(from).exists() {
            std::fs::rename(with(from), with(to)).unwrap();
        }
    }
}

#[tokio::test]
async fn a_start_into_a_file_that_was_removed_is_not_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sagas.db");
    let store = SqliteStore::open(&path).unwrap();
    create(&store, "before").await.unwrap();
    assert_eq!(keys(&store).await.unwrap(), ["before"]);
    shift(&path, &folder.path().join("away.db"));
    for _ in 0..2 {
        let error = create(&store, "lost").await.unwrap_err();
        assert!(matches!(&error, StoreError::Replaced(words) if words.ends_with("sagas.db was removed")), "{error}");
        assert!(matches!(keys(&store).await.unwrap_err(), StoreError::Replaced(_)));
    }
    assert!(!path.exists(), "no empty store was made in its place");
    shift(&folder.path().join("away.db"), &path);
    create(&store, "after").await.unwrap();
    assert!(keys(&store).await.unwrap().contains(&"before".to_owned()));
}

#[tokio::test]
async fn a_file_in_the_place_of_the_one_that_was_opened_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (folder.path().join("sagas.db"), folder.path().join("copy.db"));
    let store = SqliteStore::open(&path).unwrap();
    create(&store, "mine").await.unwrap();
    create(&SqliteStore::open(&copy).unwrap(), "theirs").await.unwrap();
    shift(&path, &folder.path().join("away.db"));
    shift(&copy, &path);
    for _ in 0..2 {
        let error = create(&store, "lost").await.unwrap_err();
        assert!(
            matches!(&error, StoreError::Replaced(words) if words.ends_with("was replaced by another file")),
            "{error}"
        );
        assert!(matches!(keys(&store).await.unwrap_err(), StoreError::Replaced(_)));
    }
    assert_eq!(keys(&SqliteStore::open(&path).unwrap()).await.unwrap(), ["theirs"]);
}
