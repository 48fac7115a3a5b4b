//! A store with something before it: tests hold it up, cut it off, change what it is given or what it answers. Decides
//! nothing of its own: whatever is not overridden goes through.

use saga_core::store::{
    Claim, Claimed, DefinitionRow, Health, InboxItem, Lease, Notice, Page, Quarantined, Refused, ReviewRow, RunFilter,
    RunRow, SetAside, Store, StoreError, StoreFuture, StoredEntry, WorkerId, WorkerRow, Write, Written,
};
use saga_core::{RunId, Timestamp};
use std::sync::Arc;
use std::time::Duration;

/// What stands before a store.
pub trait Before: Send + Sync + 'static {
    /// Called before each request, with its name; an error is answered in its place.
    fn request<'a>(&'a self, name: &'static str) -> StoreFuture<'a, ()> {
        let _ = name;
        Box::pin(std::future::ready(Ok(())))
    }

    /// A commit.
    fn commit<'a>(
        &'a self,
        store: &'a dyn Store,
        writes: Vec<Write>,
    ) -> StoreFuture<'a, Vec<Result<Written, Refused>>> {
        store.commit(writes)
    }

    /// What was read of a journal.
    fn journal(&self, run: RunId, limit: u32, entries: Vec<StoredEntry>) -> Vec<StoredEntry> {
        let _ = (run, limit);
        entries
    }

    /// What was read of a head.
    fn head(&self, row: Option<RunRow>) -> Option<RunRow> {
        row
    }
}

/// A store with something before it.
pub struct Behind<B> {
    store: Arc<dyn Store>,
    /// What stands before it.
    pub before: Arc<B>,
}

impl<B> std::fmt::Debug for Behind<B> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Behind").finish_non_exhaustive()
    }
}

impl<B: Before> Behind<B> {
    /// This store with this before it.
    pub fn new(store: Arc<dyn Store>, before: Arc<B>) -> Behind<B> {
        Behind { store, before }
    }

    fn through<'a, T: Send + 'a>(
        &'a self,
        name: &'static str,
        ask: impl FnOnce(&'a dyn Store) -> StoreFuture<'a, T> + Send + 'a,
    ) -> StoreFuture<'a, T> {
        Box::pin(async move {
            self.before.request(name).await?;
            ask(&*self.store).await
        })
    }
}

impl<B: Before> Store for Behind<B> {
    fn now(&self) -> StoreFuture<'_, Timestamp> {
        self.through("now", |store| store.now())
    }
    fn commit(&self, writes: Vec<Write>) -> StoreFuture<'_, Vec<Result<Written, Refused>>> {
        self.through("commit", move |store| self.before.commit(store, writes))
    }
    fn claim(&self, claim: Claim) -> StoreFuture<'_, Vec<Claimed>> {
        self.through("claim", move |store| store.claim(claim))
    }
    fn renew(&self, worker: &WorkerId, lease: Duration) -> StoreFuture<'_, Vec<Lease>> {
        let worker = worker.clone();
        Box::pin(async move {
            self.before.request("renew").await?;
            self.store.renew(&worker, lease).await
        })
    }
    fn journal(&self, run: RunId, after: u64, limit: u32) -> StoreFuture<'_, Vec<StoredEntry>> {
        let asked = self.through("journal", move |store| store.journal(run, after, limit));
        Box::pin(async move { Ok(self.before.journal(run, limit, asked.await?)) })
    }
    fn inbox(&self, run: RunId, after: u64, limit: u32) -> StoreFuture<'_, Vec<InboxItem>> {
        self.through("inbox", move |store| store.inbox(run, after, limit))
    }
    fn run(&self, run: RunId) -> StoreFuture<'_, Option<RunRow>> {
        let asked = self.through("run", move |store| store.run(run));
        Box::pin(async move { Ok(self.before.head(asked.await?)) })
    }
    fn find(&self, key: &str) -> StoreFuture<'_, Option<RunRow>> {
        let key = key.to_owned();
        Box::pin(async move {
            self.before.request("find").await?;
            Ok(self.before.head(self.store.find(&key).await?))
        })
    }
    fn list(&self, filter: RunFilter, page: Page) -> StoreFuture<'_, Vec<RunRow>> {
        self.through("list", move |store| store.list(filter, page))
    }
    fn reviews(&self, only_open: bool, page: Page) -> StoreFuture<'_, Vec<ReviewRow>> {
        self.through("reviews", move |store| store.reviews(only_open, page))
    }
    fn quarantine(&self, aside: SetAside, retry_in: Duration) -> StoreFuture<'_, Result<(), Refused>> {
        self.through("quarantine", move |store| store.quarantine(aside, retry_in))
    }
    fn notices(&self, wait: Duration, limit: u32) -> StoreFuture<'_, Vec<Notice>> {
        self.through("notices", move |store| store.notices(wait, limit))
    }
    fn notified(&self, notice: &Notice) -> StoreFuture<'_, ()> {
        let notice = notice.clone();
        Box::pin(async move {
            self.before.request("notified").await?;
            self.store.notified(&notice).await
        })
    }
    fn sweep(&self, grace: Duration, limit: u32) -> StoreFuture<'_, Vec<RunId>> {
        self.through("sweep", move |store| store.sweep(grace, limit))
    }
    fn quarantined(&self, page: Page) -> StoreFuture<'_, Vec<Quarantined>> {
        self.through("quarantined", move |store| store.quarantined(page))
    }
    fn enroll(&self, worker: &WorkerId, definitions: Vec<DefinitionRow>, lease: Duration) -> StoreFuture<'_, Vec<u64>> {
        let worker = worker.clone();
        Box::pin(async move {
            self.before.request("enroll").await?;
            self.store.enroll(&worker, definitions, lease).await
        })
    }
    fn leave(&self, worker: &WorkerId) -> StoreFuture<'_, ()> {
        let worker = worker.clone();
        Box::pin(async move {
            self.before.request("leave").await?;
            self.store.leave(&worker).await
        })
    }
    fn workers(&self) -> StoreFuture<'_, Vec<WorkerRow>> {
        self.through("workers", |store| store.workers())
    }
    fn health(&self) -> StoreFuture<'_, Health> {
        self.through("health", |store| store.health())
    }
}

/// The answer of a store that cannot be reached.
///
/// # Errors
/// Always.
pub fn cut_off<T>() -> Result<T, StoreError> {
    Err(StoreError::Unavailable("cut off, as told".to_owned()))
}
