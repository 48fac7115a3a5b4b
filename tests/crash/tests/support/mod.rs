//! Files, workers and words for the crash tests. Decides nothing about what must be left.
#![allow(dead_code)] // each test uses a part of it

use saga_core::store::{Page, ReviewRow};
use saga_core::{Client, RunId};
use saga_crash::ledger::Ledger;
use saga_sqlite::SqliteStore;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A store and a ledger of their own, in a folder that goes away.
pub(crate) struct Files(TempDir);

impl Files {
    pub(crate) fn new() -> Files {
        Files(tempfile::tempdir().unwrap())
    }

    pub(crate) fn store(&self) -> PathBuf {
        self.0.path().join("sagas.db")
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(Arc::new(SqliteStore::open(self.store()).unwrap()))
    }

    pub(crate) fn ledger(&self) -> Ledger {
        Ledger::open(&self.0.path().join("ledger.db")).unwrap()
    }

    /// A worker on these files.
    pub(crate) fn worker(&self, arguments: &[&str]) -> Worker {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crash-worker"));
        command.arg("--store").arg(self.store()).arg("--ledger").arg(self.0.path().join("ledger.db")).args(arguments);
        Worker(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap())
    }

    /// The journal of a run, an entry a line, for whoever must find out why.
    pub(crate) fn journal(&self, run: RunId) -> String {
        let connection = rusqlite::Connection::open(self.store()).unwrap();
        let mut query = connection
            .prepare("SELECT sequence, kind, coalesce(step, ''), CAST(body AS TEXT) FROM saga_journal WHERE run = ?1")
            .unwrap();
        let lines = query.query_map([run.to_string()], |row| {
            let (sequence, kind, step): (i64, String, String) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let body: String = row.get(3)?;
            Ok(format!("    {sequence:>3} {kind:<20} {step:<10} {}", body.chars().take(120).collect::<String>()))
        });
        lines.unwrap().map(Result::unwrap).collect::<Vec<_>>().join("\n")
    }

    /// How many entries of a kind a run has.
    pub(crate) fn entries(&self, run: RunId, kind: &str) -> i64 {
        let connection = rusqlite::Connection::open(self.store()).unwrap();
        let sql = "SELECT count(*) FROM saga_journal WHERE run = ?1 AND kind = ?2";
        connection.query_row(sql, [run.to_string().as_str(), kind], |row| row.get(0)).unwrap()
    }
}

impl Files {
    /// Whether every wait of a run began once and, if it elapsed, lasted as long as was asked for; by the store's own stamps.
    /// The journal's words otherwise.
    pub(crate) fn waits_kept(&self, run: RunId, asked: Duration) -> Result<(), String> {
        let connection = rusqlite::Connection::open(self.store()).unwrap();
        let sql = "SELECT count(*), min(began.at), (SELECT ended.at FROM saga_journal ended
                     WHERE ended.run = began.run AND ended.call = began.call AND ended.kind = 'wait_elapsed')
                   FROM saga_journal began WHERE run = ?1 AND kind = 'wait_started' GROUP BY call";
        let mut query = connection.prepare(sql).unwrap();
        let waits = query.query_map([run.to_string()], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, Option<i64>>(2)?))
        });
        for (times, began, elapsed) in waits.unwrap().map(Result::unwrap) {
            if times != 1 {
                return Err(format!("a wait began {times} times"));
            }
            let lasted = elapsed.map(|elapsed| Duration::from_micros((elapsed - began).try_into().unwrap_or(0)));
            if lasted.is_some_and(|lasted| lasted < asked) {
                return Err(format!("a wait of {asked:?} lasted {lasted:?}"));
            }
        }
        Ok(())
    }
}

/// A worker process; killed when it is dropped.
pub(crate) struct Worker(Child);

impl Worker {
    /// How it ended, if it does within this time.
    pub(crate) async fn ended_within(&mut self, limit: Duration) -> Option<ExitStatus> {
        let until = Instant::now() + limit;
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return Some(status);
            }
            if Instant::now() > until {
                return None;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// SIGKILL.
    pub(crate) fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// SIGTERM.
    pub(crate) fn terminate(&self) {
        assert!(Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status().unwrap().success());
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Whether a process was ended by SIGKILL.
pub(crate) fn was_killed(status: ExitStatus) -> bool {
    status.signal() == Some(9)
}

/// How a run stands when nothing more happens by itself: `completed`, or `review/REASON/OWNER`; `None` while it moves.
pub(crate) async fn end(client: &Client, run: RunId) -> Option<String> {
    let row = client.store().run(run).await.unwrap().unwrap();
    if row.state.is_terminal() {
        return Some(row.state.name().to_owned());
    }
    if row.state.name() != "review" && row.quarantined.is_none() {
        return None;
    }
    review(client, run).await.map(|review| format!("review/{}/{}", review.reason.name(), review.owner))
}

/// The open review of a run.
pub(crate) async fn review(client: &Client, run: RunId) -> Option<ReviewRow> {
    let mut page = Page::first(200);
    loop {
        let reviews = client.store().reviews(true, page).await.unwrap();
        let full = reviews.len() == 200;
        if let Some(review) = reviews.into_iter().find(|review| review.run == run) {
            return Some(review);
        }
        if !full {
            return None;
        }
        page.skip += 200;
    }
}

/// Waits until a run ends or asks a person.
pub(crate) async fn settled(client: &Client, run: RunId, limit: Duration) -> Option<String> {
    let until = Instant::now() + limit;
    while Instant::now() < until {
        if let Some(end) = end(client, run).await {
            return Some(end);
        }
        tokio::time::sleep(Duration::from_millis(15)).await;
    }
    None
}
