//! A store that dies around commits. Everything else is the store's own.

use crate::deaths::{Deaths, Place};
use saga_core::store::{
    Claim, Claimed, DefinitionRow, Health, InboxItem, Lease, NewEntry, Notice, Page, Quarantined, Refused, ReviewRow,
    RunFilter, RunRow, SetAside, Store, StoreFuture, StoredEntry, WorkerId, WorkerRow, Write, Written,
};
use saga_core::{RunId, Timestamp};
use std::sync::Arc;
use std::time::Duration;

/// A store whose process may die before or after a commit that contains an entry of a given kind.
pub struct KillingStore {
    inner: Arc<dyn Store>,
    deaths: Deaths,
}

impl std::fmt::Debug for KillingStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KillingStore").field("deaths", &self.deaths).finish_non_exhaustive()
    }
}

impl KillingStore {
    /// This store with these deaths.
    pub fn new(inner: Arc<dyn Store>, deaths: Deaths) -> KillingStore {
        KillingStore { inner, deaths }
    }
}

/// What a commit contains, as deaths name it: `kind` and `kind:step`, once for each entry.
fn contents(writes: &[Write]) -> Vec<String> {
    let entries = writes.iter().flat_map(|write| match write {
        Write::Create(new) => new.entries.iter(),
        Write::Append(append) => append.entries.iter(),
        Write::Post(_) => [].iter(),
    });
    entries.flat_map(names).collect()
}

fn names(entry: &NewEntry) -> Vec<String> {
    let kind = entry.kind.to_owned();
    match &entry.step {
        Some(step) => vec![format!("{kind}:{step}"), kind],
        None => vec![kind],
    }
}

impl Store for KillingStore {
    fn commit(&self, writes: Vec<Write>) -> StoreFuture<'_, Vec<Result<Written, Refused>>> {
        Box::pin(async move {
            let contents = contents(&writes);
            for what in &contents {
                self.deaths.at(Place::BeforeCommit, what);
            }
            let answers = self.inner.commit(writes).await;
            for what in &contents {
                self.deaths.at(Place::AfterCommit, what);
            }
            answers
        })
    }

    fn now(&self) -> StoreFuture<'_, Timestamp> {
        self.inner.now()
    }
    fn claim(&self, claim: Claim) -> StoreFuture<'_, Vec<Claimed>> {
        self.inner.claim(claim)
    }
    fn renew(&self, worker: &WorkerId, lease: Duration) -> StoreFuture<'_, Vec<Lease>> {
        self.inner.renew(worker, lease)
    }
    fn journal(&self, run: RunId, after: u64, limit: u32) -> StoreFuture<'_, Vec<StoredEntry>> {
        self.inner.journal(run, after, limit)
    }
    fn inbox(&self, run: RunId, after: u64, limit: u32) -> StoreFuture<'_, Vec<InboxItem>> {
        self.inner.inbox(run, after, limit)
    }
    fn run(&self, run: RunId) -> StoreFuture<'_, Option<RunRow>> {
        self.inner.run(run)
    }
    fn find(&self, key: &str) -> StoreFuture<'_, Option<RunRow>> {
        self.inner.find(key)
    }
    fn list(&self, filter: RunFilter, page: Page) -> StoreFuture<'_, Vec<RunRow>> {
        self.inner.list(filter, page)
    }
    fn reviews(&self, only_open: bool, page: Page) -> StoreFuture<'_, Vec<ReviewRow>> {
        self.inner.reviews(only_open, page)
    }
    fn quarantine(&self, aside: SetAside, retry_in: Duration) -> StoreFuture<'_, Result<(), Refused>> {
        self.inner.quarantine(aside, retry_in)
    }
    fn notices(&self, wait: Duration, limit: u32) -> StoreFuture<'_, Vec<Notice>> {
        self.inner.notices(wait, limit)
    }
    fn notified(&self, notice: &Notice) -> StoreFuture<'_, ()> {
        self.inner.notified(notice)
    }
    fn sweep(&self, grace: Duration, limit: u32) -> StoreFuture<'_, Vec<RunId>> {
        self.inner.sweep(grace, limit)
    }
    fn quarantined(&self, page: Page) -> StoreFuture<'_, Vec<Quarantined>> {
        self.inner.quarantined(page)
    }
    fn enroll(&self, worker: &WorkerId, definitions: Vec<DefinitionRow>, lease: Duration) -> StoreFuture<'_, Vec<u64>> {
        self.inner.enroll(worker, definitions, lease)
    }
    fn leave(&self, worker: &WorkerId) -> StoreFuture<'_, ()> {
        self.inner.leave(worker)
    }
    fn workers(&self) -> StoreFuture<'_, Vec<WorkerRow>> {
        self.inner.workers()
    }
    fn health(&self) -> StoreFuture<'_, Health> {
        self.inner.health()
    }
}
