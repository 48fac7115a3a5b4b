//! The memory store: the same answers as every other store, for tests and simulations. It keeps nothing after the process.
//!
//! Decides how runs lie in memory. Everything that it answers follows from [`super::rules`], as in the stores with a database.

mod notices;
mod read;
mod state;
mod work;
mod write;

use super::clock::{Clock, SystemClock};
use super::rows::{
    Claimed, DefinitionRow, Health, InboxItem, Lease, Notice, Page, Quarantined, ReviewRow, RunFilter, RunRow,
    StoredEntry, WorkerRow,
};
use super::writes::{Claim, SetAside, WorkerId, Write, Written};
use super::{Refused, Store, StoreError, StoreFuture};
use crate::run::{RunId, Timestamp};
use state::Runs;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A store in memory. Clones share what they hold.
#[derive(Debug, Clone)]
pub struct MemoryStore {
    runs: Arc<Mutex<Runs>>,
    clock: Arc<dyn Clock>,
}

impl Default for MemoryStore {
    fn default() -> Self {
        MemoryStore::new()
    }
}

impl MemoryStore {
    /// An empty store with the machine's clock.
    pub fn new() -> MemoryStore {
        MemoryStore::with_clock(SystemClock)
    }

    /// An empty store with another clock.
    pub fn with_clock(clock: impl Clock) -> MemoryStore {
        MemoryStore { runs: Arc::default(), clock: Arc::new(clock) }
    }

    /// A store that holds the same, shares nothing with this one, and has another clock: for whoever looks at every way in which
    /// things can go on.
    #[cfg(feature = "conformance")]
    pub fn fork(&self, clock: impl Clock) -> MemoryStore {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner).clone();
        MemoryStore { runs: Arc::new(Mutex::new(runs)), clock: Arc::new(clock) }
    }

    /// Does `work` alone, at one instant; the answer is ready at once.
    fn with<T: Send + 'static>(&self, work: impl FnOnce(&mut Runs, Timestamp) -> T) -> StoreFuture<'_, T> {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let answer: Result<T, StoreError> = Ok(work(&mut runs, self.clock.reading()));
        Box::pin(std::future::ready(answer))
    }
}

impl Store for MemoryStore {
    fn now(&self) -> StoreFuture<'_, Timestamp> {
        self.with(|_, now| now)
    }

    fn commit(&self, writes: Vec<Write>) -> StoreFuture<'_, Vec<Result<Written, Refused>>> {
        self.with(|runs, now| writes.into_iter().map(|write| runs.write(write, now)).collect())
    }

    fn claim(&self, claim: Claim) -> StoreFuture<'_, Vec<Claimed>> {
        self.with(|runs, now| runs.claim(&claim, now))
    }

    fn renew(&self, worker: &WorkerId, lease: Duration) -> StoreFuture<'_, Vec<Lease>> {
        self.with(|runs, now| runs.renew(worker, now.plus(lease)))
    }

    fn journal(&self, run: RunId, after: u64, limit: u32) -> StoreFuture<'_, Vec<StoredEntry>> {
        self.with(|runs, _| runs.journal(run, after, limit))
    }

    fn inbox(&self, run: RunId, after: u64, limit: u32) -> StoreFuture<'_, Vec<InboxItem>> {
        self.with(|runs, _| runs.inbox(run, after, limit))
    }

    fn run(&self, run: RunId) -> StoreFuture<'_, Option<RunRow>> {
        self.with(|runs, _| runs.row(run))
    }

    fn find(&self, key: &str) -> StoreFuture<'_, Option<RunRow>> {
        self.with(|runs, _| runs.find(key))
    }

    fn list(&self, filter: RunFilter, page: Page) -> StoreFuture<'_, Vec<RunRow>> {
        self.with(|runs, _| runs.list(&filter, page))
    }

    fn reviews(&self, only_open: bool, page: Page) -> StoreFuture<'_, Vec<ReviewRow>> {
        self.with(|runs, _| runs.reviews(only_open, page))
    }

    fn notices(&self, wait: Duration, limit: u32) -> StoreFuture<'_, Vec<Notice>> {
        self.with(|runs, now| runs.notices(wait, limit, now))
    }

    fn notified(&self, notice: &Notice) -> StoreFuture<'_, ()> {
        self.with(|runs, _| runs.notified(notice))
    }

    fn quarantine(&self, aside: SetAside, retry_in: Duration) -> StoreFuture<'_, Result<(), Refused>> {
        self.with(|runs, now| runs.quarantine(&aside, retry_in, now))
    }

    fn sweep(&self, grace: Duration, limit: u32) -> StoreFuture<'_, Vec<RunId>> {
        self.with(|runs, now| runs.sweep(grace, limit, now))
    }

    fn quarantined(&self, page: Page) -> StoreFuture<'_, Vec<Quarantined>> {
        self.with(|runs, _| runs.quarantined(page))
    }

    fn enroll(&self, worker: &WorkerId, definitions: Vec<DefinitionRow>, lease: Duration) -> StoreFuture<'_, Vec<u64>> {
        self.with(|runs, now| runs.enroll(worker, definitions, now.plus(lease), now))
    }

    fn leave(&self, worker: &WorkerId) -> StoreFuture<'_, ()> {
        self.with(|runs, now| runs.leave(worker, now))
    }

    fn workers(&self) -> StoreFuture<'_, Vec<WorkerRow>> {
        self.with(|runs, now| runs.live(now))
    }

    fn health(&self) -> StoreFuture<'_, Health> {
        self.with(|runs, now| runs.health(now))
    }
}
