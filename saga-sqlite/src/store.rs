//! The store: each request is a piece of work for the writer or for a reader. Decides which of the two.

use crate::connection::{Purpose, connect, named};
use crate::options::SqliteOptions;
use crate::readers::Readers;
use crate::watch::Watch;
use crate::writer::{Urgency, Writer};
use crate::{notices, read, schema, sweep, work, write};
use saga_core::store::{
    Claim, Claimed, Clock, DefinitionRow, Health, InboxItem, Lease, Notice, Page, Quarantined, Refused, ReviewRow,
    RunFilter, RunRow, SetAside, Store, StoreError, StoreFuture, StoredEntry, WorkerId, WorkerRow, Write, Written,
    rules,
};
use saga_core::{RunId, Timestamp};
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A store in a SQLite database. Clones use the same connections. It needs a Tokio runtime to read.
///
/// A write that was asked for is done even if the future is dropped before it is answered.
#[derive(Clone)]
pub struct SqliteStore {
    writer: Writer,
    readers: Readers,
    clock: Arc<dyn Clock>,
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").field("clock", &self.clock).finish_non_exhaustive()
    }
}

impl SqliteStore {
    /// Opens the store in this file, which is made if it is not there.
    ///
    /// # Errors
    /// See [`SqliteOptions::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<SqliteStore, StoreError> {
        SqliteOptions::file(path).open()
    }

    /// Opens a store in memory: it keeps nothing after it is dropped.
    ///
    /// # Errors
    /// See [`SqliteOptions::open`].
    pub fn open_in_memory() -> Result<SqliteStore, StoreError> {
        SqliteOptions::in_memory().open()
    }

    pub(crate) fn with(options: SqliteOptions) -> Result<SqliteStore, StoreError> {
        let SqliteOptions { place, patience, readers, clock } = options;
        let place = place.absolute()?;
        let connection = connect(&place, Purpose::Make, &patience)?;
        let watch = Watch::over(&place);
        schema::migrate(&connection, &patience, clock.reading()).map_err(|error| named(&place, error))?;
        let writer = Writer::start(connection, place.clone(), watch.clone(), patience)?;
        let readers = Readers::new(place, watch, patience, readers, &writer);
        Ok(SqliteStore { writer, readers, clock })
    }

    /// Work for the writer; it is given the time at which its transaction has the lock.
    fn write<T: Send + 'static>(
        &self,
        urgency: Urgency,
        work: impl FnOnce(&rusqlite::Connection, Timestamp) -> Result<T, crate::fault::Fault> + Send + 'static,
    ) -> StoreFuture<'_, T> {
        let clock = Arc::clone(&self.clock);
        Box::pin(self.writer.perform(urgency, move |connection| work(connection, clock.reading())))
    }

    fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&rusqlite::Connection) -> Result<T, crate::fault::Fault> + Send + 'static,
    ) -> StoreFuture<'_, T> {
        Box::pin(self.readers.read(work))
    }
}

impl Store for SqliteStore {
    fn now(&self) -> StoreFuture<'_, Timestamp> {
        Box::pin(std::future::ready(Ok(self.clock.reading())))
    }

    fn commit(&self, writes: Vec<Write>) -> StoreFuture<'_, Vec<Result<Written, Refused>>> {
        if writes.is_empty() {
            return Box::pin(std::future::ready(Ok(Vec::new())));
        }
        self.write(Urgency::Next, move |connection, now| write::batch(connection, writes, now))
    }

    fn claim(&self, claim: Claim) -> StoreFuture<'_, Vec<Claimed>> {
        self.write(Urgency::Next, move |connection, now| work::claim(connection, &claim, now))
    }

    fn renew(&self, worker: &WorkerId, lease: Duration) -> StoreFuture<'_, Vec<Lease>> {
        let worker = worker.clone();
        self.write(Urgency::First, move |connection, now| work::renew(connection, &worker, now.plus(lease)))
    }

    fn journal(&self, run: RunId, after: u64, limit: u32) -> StoreFuture<'_, Vec<StoredEntry>> {
        self.read(move |connection| read::journal(connection, run, after, limit))
    }

    fn inbox(&self, run: RunId, after: u64, limit: u32) -> StoreFuture<'_, Vec<InboxItem>> {
        self.read(move |connection| read::inbox(connection, run, after, limit))
    }

    fn run(&self, run: RunId) -> StoreFuture<'_, Option<RunRow>> {
        self.read(move |connection| read::run(connection, run))
    }

    fn find(&self, key: &str) -> StoreFuture<'_, Option<RunRow>> {
        let key = key.to_owned();
        self.read(move |connection| read::find(connection, &key))
    }

    fn list(&self, filter: RunFilter, page: Page) -> StoreFuture<'_, Vec<RunRow>> {
        self.read(move |connection| read::list(connection, &filter, page))
    }

    fn reviews(&self, only_open: bool, page: Page) -> StoreFuture<'_, Vec<ReviewRow>> {
        self.read(move |connection| read::reviews(connection, only_open, page))
    }

    fn sweep(&self, grace: Duration, limit: u32) -> StoreFuture<'_, Vec<RunId>> {
        let before = rules::missing_since(self.clock.reading(), grace);
        let candidates = self.read(move |connection| sweep::candidates(connection, before, limit));
        Box::pin(async move {
            let rows = candidates.await?;
            if rows.is_empty() {
                return Ok(Vec::new());
            }
            self.write(Urgency::Next, move |connection, now| sweep::set_aside(connection, &rows, before, now)).await
        })
    }

    fn notices(&self, wait: Duration, limit: u32) -> StoreFuture<'_, Vec<Notice>> {
        let now = self.clock.reading();
        let waiting = self.read(move |connection| notices::is_due(connection, now));
        Box::pin(async move {
            if !waiting.await? {
                return Ok(Vec::new());
            }
            self.write(Urgency::Next, move |connection, now| notices::take(connection, wait, limit, now)).await
        })
    }

    fn notified(&self, notice: &Notice) -> StoreFuture<'_, ()> {
        let told = notice.clone();
        self.write(Urgency::Next, move |connection, _| notices::told(connection, &told))
    }

    fn quarantine(&self, aside: SetAside, retry_in: Duration) -> StoreFuture<'_, Result<(), Refused>> {
        self.write(Urgency::Next, move |connection, now| {
            work::answer(work::quarantine(connection, &aside, retry_in, now))
        })
    }

    fn quarantined(&self, page: Page) -> StoreFuture<'_, Vec<Quarantined>> {
        self.read(move |connection| read::quarantined(connection, page))
    }

    fn enroll(&self, worker: &WorkerId, definitions: Vec<DefinitionRow>, lease: Duration) -> StoreFuture<'_, Vec<u64>> {
        let worker = worker.clone();
        self.write(Urgency::Next, move |connection, now| work::enroll(connection, &worker, &definitions, now, lease))
    }

    fn leave(&self, worker: &WorkerId) -> StoreFuture<'_, ()> {
        let worker = worker.clone();
        self.write(Urgency::Next, move |connection, now| work::leave(connection, &worker, now))
    }

    fn workers(&self) -> StoreFuture<'_, Vec<WorkerRow>> {
        let now = self.clock.reading();
        self.read(move |connection| read::workers(connection, now))
    }

    fn health(&self) -> StoreFuture<'_, Health> {
        let now = self.clock.reading();
        self.read(move |connection| read::health(connection, now))
    }
}
