//! The one connection that writes, on a thread of its own.
//!
//! Decides what travels in one commit: everything that arrived while the last one ran. Knows no saga. A job that fails is
//! rolled back alone; answers are given only after the commit.

use crate::connection::{Purpose, connect};
use crate::fault::{Fault, patiently};
use crate::options::{Patience, Place};
use crate::watch::Watch;
use rusqlite::Connection;
use saga_core::store::StoreError;
use std::sync::mpsc::{Receiver, Sender, channel};
use tokio::sync::oneshot;

/// The most jobs in one commit: one job's answer does not wait for too many others.
const MOST_JOBS: usize = 128;

/// How soon a job is done among those that wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Urgency {
    /// Renewals: a lease must not be lost because others write.
    First,
    /// All others, in the order in which they arrived.
    Next,
}

/// Work within a transaction, and whom to tell when that is durable.
trait Job: Send {
    fn urgency(&self) -> Urgency;
    fn work(&mut self, connection: &Connection) -> Result<(), Fault>;
    fn answer(self: Box<Self>, durable: Result<(), StoreError>);
}

struct Task<T, F> {
    urgency: Urgency,
    work: Option<F>,
    value: Option<T>,
    answer: oneshot::Sender<Result<T, StoreError>>,
}

impl<T: Send, F: FnOnce(&Connection) -> Result<T, Fault> + Send> Job for Task<T, F> {
    fn urgency(&self) -> Urgency {
        self.urgency
    }

    fn work(&mut self, connection: &Connection) -> Result<(), Fault> {
        if let Some(work) = self.work.take() {
            self.value = Some(work(connection)?);
        }
        Ok(())
    }

    fn answer(self: Box<Self>, durable: Result<(), StoreError>) {
        let Task { value, answer, .. } = *self;
        // Nobody may be waiting any more; the work is done all the same.
        drop(answer.send(durable.and_then(|()| value.ok_or_else(gone))));
    }
}

fn gone() -> StoreError {
    StoreError::Unavailable("the writer's thread has ended".to_owned())
}

/// The way to the writer's thread. It ends when this is dropped and everything that was asked for is done.
#[derive(Clone)]
pub(crate) struct Writer(Sender<Box<dyn Job>>);

impl Writer {
    /// Starts the thread with a connection that is ready.
    pub(crate) fn start(
        connection: Connection,
        place: Place,
        watch: Watch,
        patience: Patience,
    ) -> Result<Writer, StoreError> {
        let (sender, jobs) = channel();
        std::thread::Builder::new()
            .name("saga-sqlite".to_owned())
            .spawn(move || Thread { connection: Some(connection), place, watch, patience }.run(&jobs))
            .map_err(|error| StoreError::Unavailable(format!("no thread for the writer: {error}")))?;
        Ok(Writer(sender))
    }

    /// Does `work` in a transaction and answers when it is durable. It is done even if nobody waits for the answer.
    pub(crate) async fn perform<T: Send + 'static>(
        &self,
        urgency: Urgency,
        work: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let task = Task { urgency, work: Some(work), value: None, answer };
        self.0.send(Box::new(task)).map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }
}

struct Thread {
    /// `None` after a failure: it is opened again for the next jobs.
    connection: Option<Connection>,
    place: Place,
    watch: Watch,
    patience: Patience,
}

impl Thread {
    fn run(mut self, jobs: &Receiver<Box<dyn Job>>) {
        while let Ok(first) = jobs.recv() {
            let mut batch = vec![first];
            batch.extend(jobs.try_iter().take(MOST_JOBS - 1));
            batch.sort_by_key(|job| job.urgency());
            let mut failures = Vec::new();
            let durable = self.transact(&mut batch, &mut failures);
            for (place, job) in batch.into_iter().enumerate() {
                let own = failures.iter().find(|(failed, _)| *failed == place).map(|(_, error)| error.clone());
                job.answer(durable.clone().and(own.map_or(Ok(()), Err)));
            }
        }
    }

    /// Does all jobs and commits once. `failures`: those that failed alone.
    fn transact(
        &mut self,
        batch: &mut [Box<dyn Job>],
        failures: &mut Vec<(usize, StoreError)>,
    ) -> Result<(), StoreError> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => {
                self.watch.check()?;
                connect(&self.place, Purpose::Write, &self.patience)?
            }
        };
        // Looked at after the commit: what was durable before the file went is no longer ours to lose.
        let outcome = attempt(&connection, &self.patience, batch, failures).and_then(|()| self.watch.check());
        if let Err(error) = &outcome {
            tracing::warn!(%error, "a commit of the SQLite store failed; nothing of it is acknowledged");
        }
        let clean = connection.is_autocommit() || connection.execute_batch("ROLLBACK").is_ok();
        // After a failure a connection is in doubt: a file is opened again, memory has nowhere else to go.
        if matches!(self.place, Place::Memory) || (outcome.is_ok() && clean) {
            self.connection = Some(connection);
        }
        outcome
    }
}

fn attempt(
    connection: &Connection,
    patience: &Patience,
    batch: &mut [Box<dyn Job>],
    failures: &mut Vec<(usize, StoreError)>,
) -> Result<(), StoreError> {
    patiently(patience, || connection.prepare_cached("BEGIN IMMEDIATE")?.execute([]))?;
    for (place, job) in batch.iter_mut().enumerate() {
        match alone(connection, || job.work(connection)).map_err(Fault::store)? {
            Ok(()) => {}
            Err(fault) => failures.push((place, fault.store())),
        }
    }
    patiently(patience, || connection.prepare_cached("COMMIT")?.execute([]))?;
    Ok(())
}

/// Does `work` so that it leaves no trace if it fails. The outer error says that the transaction itself is lost.
pub(crate) fn alone<T>(
    connection: &Connection,
    work: impl FnOnce() -> Result<T, Fault>,
) -> Result<Result<T, Fault>, Fault> {
    connection.prepare_cached("SAVEPOINT alone")?.execute([])?;
    let outcome = work();
    let undo = |statement| connection.prepare_cached(statement)?.execute([]);
    if let Err(fault) = outcome {
        // A full disk, for one, ends the transaction by itself: then the fault is what is told, not that nothing is left.
        return if undo("ROLLBACK TO alone").and_then(|_| undo("RELEASE alone")).is_ok() {
            Ok(Err(fault))
        } else {
            Err(fault)
        };
    }
    undo("RELEASE alone")?;
    Ok(outcome)
}
