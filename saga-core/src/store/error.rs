//! How a store fails: a failure of the store, or a write that it refuses.

use crate::decide::State;
use crate::journal::Action;
use crate::run::{RunId, Timestamp};

/// The store could not do it; nothing is wrong with what was asked.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// It cannot be reached or is failing.
    #[error("the store is not available: {0}")]
    Unavailable(String),
    /// What it has was written by a newer version of the library.
    #[error(
        "the store has schema {found}, this library knows up to {known}: upgrade the library, or use the store it was written for"
    )]
    NewerSchema {
        /// The schema it has.
        found: u32,
        /// The newest schema that is known.
        known: u32,
    },
    /// It does not give the guarantees that it must.
    #[error("the store cannot keep its promises: {0}")]
    Unsafe(String),
    /// It is no longer the one that was opened: what is written to it would be lost. Nothing is acknowledged until it is opened
    /// anew, or the old one is back.
    #[error("the store is not the one that was opened: {0}")]
    Replaced(String),
    /// What it has is not a store of ours, or is damaged.
    #[error("this is not a usable store: {0}")]
    NotAStore(String),
}

/// One write was refused; it left no trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// Somebody else has claimed the run since, or the lease was given up.
    #[error("run {run} was claimed by another worker: fence {fence} is stale")]
    StaleFence {
        /// The run.
        run: RunId,
        /// The fence that was named.
        fence: u64,
    },
    /// The journal has another length than the write was computed from.
    #[error("the journal of run {run} has {found} entries, not {expected}")]
    WrongLength {
        /// The run.
        run: RunId,
        /// The length that was named.
        expected: u64,
        /// The length it has.
        found: u64,
    },
    /// Something arrived in the inbox that the write had not seen.
    #[error("the inbox of run {run} has an item {last} that was not seen")]
    InboxMoved {
        /// The run.
        run: RunId,
        /// The number of the last item.
        last: u64,
    },
    /// No such run.
    #[error("there is no run {0}")]
    NoSuchRun(RunId),
    /// The key belongs to a run of another saga, another version, or with another input.
    #[error("the key `{key}` belongs to run {run}, which has another {other}")]
    KeyTaken {
        /// The key.
        key: String,
        /// The run it belongs to.
        run: RunId,
        /// What differs: `saga`, `version` or `input`.
        other: &'static str,
    },
    /// The run is over.
    #[error("run {run} is already {state}")]
    AlreadyEnded {
        /// The run.
        run: RunId,
        /// How it ended.
        state: State,
    },
    /// A cancel came too late to change anything: effects are being undone already.
    #[error("run {0} is already unwinding")]
    AlreadyUnwinding(RunId),
    /// A cancel was refused: an irreversible effect is there or possible.
    #[error("run {0} is past its pivot: it can only go forward")]
    PastPivot(RunId),
    /// A decision was refused: the review is not open.
    #[error("review {review} of run {run} is not open")]
    ReviewNotOpen {
        /// The run.
        run: RunId,
        /// The review.
        review: u32,
    },
    /// A decision was refused: another one is on its way.
    #[error("a decision on review {review} of run {run} was already requested by {by} at {at}")]
    AlreadyRequested {
        /// The run.
        run: RunId,
        /// The review.
        review: u32,
        /// Who was first.
        by: String,
        /// When.
        at: Timestamp,
    },
    /// A decision was refused: the question does not offer it.
    #[error("review {review} of run {run} does not offer {action}")]
    NotOffered {
        /// The run.
        run: RunId,
        /// The review.
        review: u32,
        /// What was decided.
        action: Action,
    },
    /// A decision was refused: it needs evidence, and the note is empty.
    #[error("say on what evidence: the note about review {review} of run {run} is empty")]
    NoEvidence {
        /// The run.
        run: RunId,
        /// The review.
        review: u32,
    },
    /// Larger than the limit.
    #[error("{what} takes {size} bytes; the limit is {limit}")]
    TooLarge {
        /// What.
        what: &'static str,
        /// Its size in bytes.
        size: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// Not acceptable where an identifier is expected: empty, or with control characters.
    #[error("{what} must be 1 to {limit} bytes of text without control characters")]
    BadText {
        /// What.
        what: &'static str,
        /// The limit in bytes.
        limit: usize,
    },
    /// The database refuses this write for a reason of its own; repeating it will not help.
    #[error("the store refuses the write: {0}")]
    Rejected(String),
}
