//! What the file promises: it outlives the store, its settings are the documented ones, and its claims use the index.

use saga_core::decide::{Head, State};
use saga_core::definition::Fingerprint;
use saga_core::store::{Claim, DefinitionRow, Due, NewEntry, NewRun, Store, Then, WorkerId, Write, Written};
use saga_core::{CallNumber, RunId};
use saga_sqlite::SqliteStore;
use std::time::Duration;

fn new_run(key: &str) -> NewRun {
    let definition = DefinitionRow { saga: "approval".to_owned(), version: 1, fingerprint: Fingerprint(7) };
    NewRun {
        run: RunId::fresh(),
        key: key.to_owned(),
        definition,
        input_digest: "d".to_owned(),
        input_size: 2,
        entries: vec![NewEntry { kind: "started", call: Some(CallNumber(0)), step: None, body: b"{}".to_vec() }],
        head: Head { state: State::Running, step: None, why: None, error: None, past_pivot: false, until: None },
        claim: None,
        then: Then::Release(Due::Now),
    }
}

#[tokio::test]
async fn what_was_acknowledged_is_there_when_the_file_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sagas.db");
    let new = new_run("order-1");
    let store = SqliteStore::open(&path).unwrap();
    let written = store.commit(vec![Write::Create(new.clone())]).await.unwrap();
    assert!(matches!(written[0], Ok(Written::Created { .. })));
    drop(store);
    let store = SqliteStore::open(&path).unwrap();
    let row = store.find("order-1").await.unwrap().unwrap();
    assert_eq!((row.run, row.length), (new.run, 1));
    let claim = Claim {
        worker: WorkerId::fresh("w"),
        lease: Duration::from_secs(5),
        limit: 10,
        definitions: vec![new.definition],
    };
    assert_eq!(store.claim(claim).await.unwrap().len(), 1);
    assert_eq!(store.journal(new.run, 0, 10).await.unwrap()[0].body, b"{}");
    assert_eq!(store.health().await.unwrap().due, 0);
}
