//! What the tests of the file have in common: a store in a folder of its own, and the usual requests.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that ends is a test that says so")]
#![allow(dead_code, reason = "each test uses a part")]

use saga_core::decide::{Head, State};
use saga_core::definition::Fingerprint;
use saga_core::store::{
    Append, Claim, Claimed, DefinitionRow, Due, InboxPost, NewEntry, NewRun, Poster, Store, Then, WorkerId, Write,
    Written,
};
use saga_core::{CallNumber, RunId};
use saga_sqlite::{SqliteOptions, SqliteStore};
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) struct Sagas {
    pub(crate) store: SqliteStore,
    pub(crate) path: PathBuf,
    pub(crate) folder: tempfile::TempDir,
}

impl Sagas {
    pub(crate) fn open() -> Sagas {
        Sagas::open_with(|options| options)
    }

    pub(crate) fn open_with(change: impl FnOnce(SqliteOptions) -> SqliteOptions) -> Sagas {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sagas.db");
        let store = change(SqliteOptions::file(&path)).open().unwrap();
        Sagas { store, path, folder }
    }

    pub(crate) async fn accepted(&self, write: Write) -> Written {
        accepted(&self.store, write).await
    }

    /// A run that w0 has, with one entry and fence 1.
    pub(crate) async fn leased(&self, key: &str) -> RunId {
        let claim = Some((WorkerId("w0".to_owned()), Duration::from_secs(60)));
        let new = NewRun { claim, ..new_run(key) };
        let run = new.run;
        self.accepted(Write::Create(new)).await;
        run
    }

    pub(crate) fn sql(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(&self.path).unwrap()
    }
}

pub(crate) async fn accepted(store: &SqliteStore, write: Write) -> Written {
    store.commit(vec![write]).await.unwrap().remove(0).unwrap()
}

pub(crate) async fn claim(store: &SqliteStore, worker: &str, limit: u32) -> Vec<Claimed> {
    let (worker, lease) = (WorkerId(worker.to_owned()), Duration::from_secs(60));
    store.claim(Claim { worker, lease, limit, definitions: vec![definition()] }).await.unwrap()
}

pub(crate) fn definition() -> DefinitionRow {
    DefinitionRow { saga: "approval".to_owned(), version: 1, fingerprint: Fingerprint(7) }
}

pub(crate) fn head_in(state: State) -> Head {
    Head { state, step: None, why: None, error: None, past_pivot: false, until: None }
}

pub(crate) fn appended(kind: &'static str, call: Option<u32>, step: Option<&str>, body: &[u8]) -> NewEntry {
    NewEntry { kind, call: call.map(CallNumber), step: step.map(str::to_owned), body: body.to_vec() }
}

pub(crate) fn new_run(key: &str) -> NewRun {
    NewRun {
        run: RunId::fresh(),
        key: key.to_owned(),
        definition: definition(),
        owner: "editors".to_owned(),
        input_digest: "digest".to_owned(),
        input_size: 2,
        entries: vec![appended("started", None, None, b"{}")],
        head: head_in(State::Running),
        claim: None,
        then: Then::Release(Due::Now),
    }
}

pub(crate) fn append(run: RunId, length: u64) -> Append {
    Append {
        run,
        fence: 1,
        length,
        entries: vec![appended("value_drawn", None, None, b"{}")],
        head: head_in(State::Running),
        inbox_seen: None,
        inbox_taken: Vec::new(),
        reviews: Vec::new(),
        then: Then::Keep,
    }
}

pub(crate) fn signal(run: RunId) -> InboxPost {
    let kind = Poster::Signal { name: "Decision".to_owned() };
    InboxPost { run, kind, body: b"{}".to_vec(), by: "anna".to_owned(), note: String::new(), once: None }
}

/// Starts this test binary again as a process that runs one ignored test, with a file to work on.
pub(crate) fn process(test: &str, path: &Path) -> std::process::Command {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--ignored", "--nocapture", "--test-threads", "1"]).env("SAGA_FILE", path);
    command
}

/// The file that a process was started for.
pub(crate) fn file_of_process() -> PathBuf {
    PathBuf::from(std::env::var_os("SAGA_FILE").unwrap())
}
