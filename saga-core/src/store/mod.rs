//! How runs are stored, as a contract. A store keeps journals, heads, inboxes and leases; it decides nothing about sagas.
//!
//! # The contract
//!
//! 1. **Durable before acknowledged.** When [`Store::commit`] returns, everything it accepted survives a power failure.
//! 2. **One commit, many runs.** All writes of one call are made durable together; each is accepted or refused on its own.
//!    A refused write leaves no trace and does not disturb its neighbours.
//! 3. **Fenced.** A claim raises the run's fence; every append names the fence it was claimed under and the length of the
//!    journal it was computed from, and is refused if either is stale. Exactly one row changes, or none.
//! 4. **The store's clock decides.** Due and expired are judged by the store's own clock; spans, never instants, come in.
//!    All entries of a write have one time, never before the run's last entry, even if the clock steps back.
//! 5. **Exact.** Bytes and texts come back as they were written, NUL and look-alike escapes included.
//! 6. **Row by row.** A row that cannot be read never hides another: it is reported in its place.
//! 7. **History is cheap.** Claims look at runnable runs only; their cost does not grow with the number of ended runs.
//!
//! What is refused, in which order, and when a run is due follows from [`rules`], which stores ask within their transaction.
//!
//! The conformance suite (feature `conformance`) checks all of this; a third-party store runs it in a ten-line test.

mod clock;
mod error;
pub mod limits;
mod memory;
mod rows;
pub mod rules;
mod writes;

#[cfg(feature = "conformance")]
pub mod conformance;

pub use clock::{Clock, ManualClock, SystemClock};
pub use error::{Refused, StoreError};
pub use memory::MemoryStore;
pub use rows::{
    Claimed, DefinitionRow, Health, InboxItem, Lease, Notice, Page, Quarantined, ReviewRow, RunFilter, RunRow,
    StoredEntry, WorkerRow,
};
pub use writes::{
    Append, AsideDecision, Claim, Due, InboxPost, NewEntry, NewRun, Poster, ReviewChange, SetAside, Then, WorkerId,
    Write, Written,
};

use crate::run::{RunId, Timestamp};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// A boxed answer of a store.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Where runs live. See the [module](self) for the contract.
pub trait Store: Send + Sync + 'static {
    /// The time by the store's clock.
    fn now(&self) -> StoreFuture<'_, Timestamp>;

    /// Makes writes durable, together. The answers are in the order of the writes.
    ///
    /// # Errors
    /// Only when *nothing* was written and none of the writes is known to be at fault: the caller repeats all of them.
    /// A busy store is retried inside and never shows here.
    fn commit(&self, writes: Vec<Write>) -> StoreFuture<'_, Vec<Result<Written, Refused>>>;

    /// Takes runs that are due and whose definition the worker has, oldest due first; raises their fences.
    ///
    /// A leased run whose lease has ended is due. Ended runs, and runs in review with an empty inbox, are never due.
    fn claim(&self, claim: Claim) -> StoreFuture<'_, Vec<Claimed>>;

    /// Prolongs all leases of a worker by `lease` from now, in one statement, and keeps the worker in the list of live
    /// workers. Answers with the leases that it still holds; a run that is missing was lost.
    fn renew(&self, worker: &WorkerId, lease: Duration) -> StoreFuture<'_, Vec<Lease>>;

    /// The entries of a run's journal with a sequence number above `after`, in order, at most `limit`.
    fn journal(&self, run: RunId, after: u64, limit: u32) -> StoreFuture<'_, Vec<StoredEntry>>;

    /// The items of a run's inbox that no entry has taken up, with a number above `after`, in order, at most `limit`.
    fn inbox(&self, run: RunId, after: u64, limit: u32) -> StoreFuture<'_, Vec<InboxItem>>;

    /// The head of a run.
    fn run(&self, run: RunId) -> StoreFuture<'_, Option<RunRow>>;

    /// The run that was started with this key.
    fn find(&self, key: &str) -> StoreFuture<'_, Option<RunRow>>;

    /// Runs, newest first, a page at a time. Rows that cannot be read are left out here and listed by [`Store::quarantined`].
    fn list(&self, filter: RunFilter, page: Page) -> StoreFuture<'_, Vec<RunRow>>;

    /// Questions to people, oldest first, a page at a time; only open ones if asked.
    fn reviews(&self, only_open: bool, page: Page) -> StoreFuture<'_, Vec<ReviewRow>>;

    /// Takes at most `limit` open questions whose owner is to be told, longest due first. One is due when it is opened or goes to
    /// somebody else, and, unless [`Store::notified`] is told so, again after [`rules::notify_again`]: whoever takes it may be
    /// lost before anybody was told. Several takers at once get different ones.
    fn notices(&self, wait: Duration, limit: u32) -> StoreFuture<'_, Vec<Notice>>;

    /// That owner was told of that question: not again. Changes nothing if it has meanwhile been opened anew, or has another
    /// owner, who is still to be told.
    fn notified(&self, notice: &Notice) -> StoreFuture<'_, ()>;

    /// Sets a run aside because it cannot be read or does not fit its code. It keeps its state, its lease ends, a question
    /// with that reason and the number 0 is opened once, for the owner that the run was created with, and it becomes due again
    /// after `retry_in`, in case it is repaired: the next accepted append settles the question. To be set aside again changes
    /// neither the age nor the owner of a question that is open. Refused like an append if the run has ended or the fence is stale.
    fn quarantine(&self, aside: SetAside, retry_in: Duration) -> StoreFuture<'_, Result<(), Refused>>;

    /// Sets aside, as `DefinitionMissing`, at most `limit` runs that have been due for `grace` while no worker with their
    /// definition lived, oldest due first, and answers which. They stay due, so that a worker with the definition takes them at
    /// once. Any worker may ask at any time: who is asked about already is not asked about again.
    fn sweep(&self, grace: Duration, limit: u32) -> StoreFuture<'_, Vec<RunId>>;

    /// The runs that are set aside, or whose row cannot be read.
    fn quarantined(&self, page: Page) -> StoreFuture<'_, Vec<Quarantined>>;

    /// Makes a worker and its definitions known, in place of those that it had. Answers, for each, with the number of open runs
    /// of the same saga and version under another fingerprint: more than zero means that its body was changed under an unchanged
    /// version.
    fn enroll(&self, worker: &WorkerId, definitions: Vec<DefinitionRow>, lease: Duration) -> StoreFuture<'_, Vec<u64>>;

    /// A worker leaves: it is no longer listed, and leases that it still has end now. A renewal does not bring it back. What it
    /// could run stays on record for [`rules::FORGET_WORKERS`], for [`Store::sweep`].
    fn leave(&self, worker: &WorkerId) -> StoreFuture<'_, ()>;

    /// The live workers and what they can run.
    fn workers(&self) -> StoreFuture<'_, Vec<WorkerRow>>;

    /// Numbers for dashboards.
    fn health(&self) -> StoreFuture<'_, Health>;
}
