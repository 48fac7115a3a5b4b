//! What is read from a store.

use super::writes::WorkerId;
use crate::decide::State;
use crate::definition::Fingerprint;
use crate::journal::{Action, Reason};
use crate::run::{CallNumber, RunId, Timestamp};
use crate::saga::FailureReport;

/// Which machine a run follows, or a worker has.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct DefinitionRow {
    /// The saga's name.
    pub saga: String,
    /// Its version.
    pub version: u32,
    /// The fingerprint of its machine.
    pub fingerprint: Fingerprint,
}

/// The head of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRow {
    /// Its identity.
    pub run: RunId,
    /// Its key.
    pub key: String,
    /// Its definition.
    pub definition: DefinitionRow,
    /// Who is asked about the run when it is set aside: the owner that its saga declared when it was started.
    pub owner: String,
    /// Its state.
    pub state: State,
    /// The step it is at.
    pub step: Option<String>,
    /// Why it is not moving.
    pub why: Option<String>,
    /// The last error.
    pub error: Option<String>,
    /// Whether an irreversible effect is there or possible.
    pub past_pivot: bool,
    /// Whether a cancel was accepted.
    pub cancel_requested: bool,
    /// The length of its journal.
    pub length: u64,
    /// The number of the last item in its inbox; 0 if there was none.
    pub inbox_last: u64,
    /// Signals that no wait has taken up.
    pub unconsumed_signals: u64,
    /// Raised by every claim.
    pub fence: u64,
    /// Who has it.
    pub worker: Option<WorkerId>,
    /// When it is due, or its lease ends; `None` if it waits for something to arrive, or has ended.
    pub due: Option<Timestamp>,
    /// Claims since the last append, with entries or without, the creator's included: who appends or releases has not crashed.
    pub claims: u32,
    /// Why it is set aside.
    pub quarantined: Option<String>,
    /// When it was created.
    pub created: Timestamp,
    /// When its last entry was written.
    pub updated: Timestamp,
}

/// A claimed run. Its row could be read; its journal has not been looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claimed {
    /// The head, with the new fence.
    pub row: RunRow,
    /// The time of the claim.
    pub at: Timestamp,
}

/// A lease that a worker holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The run.
    pub run: RunId,
    /// The fence.
    pub fence: u64,
    /// The number of the last item in its inbox.
    pub inbox_last: u64,
}

/// An entry as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEntry {
    /// Its number: 1 for the first.
    pub sequence: u64,
    /// When it was written.
    pub at: Timestamp,
    /// Its kind.
    pub kind: String,
    /// The call it is about.
    pub call: Option<CallNumber>,
    /// The step it is about.
    pub step: Option<String>,
    /// The entry, as JSON text.
    pub body: Vec<u8>,
}

/// An inbox item as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxItem {
    /// Its number in the run's inbox: 1 for the first.
    pub number: u64,
    /// When it arrived.
    pub at: Timestamp,
    /// The item, as JSON text.
    pub body: Vec<u8>,
    /// Who sent it.
    pub by: String,
    /// Why.
    pub note: String,
}

/// A question to a person.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewRow {
    /// The run.
    pub run: RunId,
    /// The saga.
    pub saga: String,
    /// Its number in the run.
    pub review: u32,
    /// The call it is about.
    pub call: Option<CallNumber>,
    /// The step it is about.
    pub step: Option<String>,
    /// Why.
    pub reason: Reason,
    /// Who is asked.
    pub owner: String,
    /// The last answer.
    pub last: FailureReport,
    /// What began it.
    pub first: Option<FailureReport>,
    /// What may be done.
    pub actions: Vec<Action>,
    /// When it was opened.
    pub opened: Timestamp,
    /// A decision that is on its way: by whom, and when.
    pub requested: Option<(String, Timestamp)>,
    /// How it was settled: the decision, by whom, and when.
    pub settled: Option<(String, String, Timestamp)>,
}

/// Tells the owner of a question that there is one. It holds no payload, and no words of an error: those stay with whoever may
/// read the store.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Notice {
    /// The run.
    pub run: RunId,
    /// The saga.
    pub saga: String,
    /// The question's number in the run.
    pub review: u32,
    /// The call it is about.
    pub call: Option<CallNumber>,
    /// The step it is about.
    pub step: Option<String>,
    /// Why.
    pub reason: Reason,
    /// Who is asked.
    pub owner: String,
    /// The code of the last answer.
    pub code: Option<String>,
    /// The reference under which the other side knows it.
    pub reference: Option<String>,
    /// What may be done.
    pub actions: Vec<Action>,
    /// When the question was opened.
    pub opened: Timestamp,
    /// Which attempt to tell this owner it is: 1 for the first.
    pub attempt: u32,
}

impl Notice {
    /// The notice about a question.
    pub fn of(row: ReviewRow, attempt: u32) -> Notice {
        let ReviewRow { run, saga, review, call, step, reason, owner, last, actions, opened, .. } = row;
        let FailureReport { code, reference, .. } = last;
        Notice { run, saga, review, call, step, reason, owner, code, reference, actions, opened, attempt }
    }
}

/// A run that is set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quarantined {
    /// The run, as text: the identity itself may be what cannot be read.
    pub run: String,
    /// The fence it was claimed under, if it was.
    pub fence: Option<u64>,
    /// Who is asked.
    pub owner: String,
    /// Why: `JournalBroken`, `DefinitionMissing` or `CrashLoop`.
    pub reason: Reason,
    /// The cause, in words.
    pub cause: String,
    /// When the question was opened, if there is one: a row that cannot be read has none until somebody meets it.
    pub since: Option<Timestamp>,
}

/// A live worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerRow {
    /// Its identity.
    pub worker: WorkerId,
    /// Until when it is believed to live.
    pub until: Timestamp,
    /// What it can run.
    pub definitions: Vec<DefinitionRow>,
}

/// Which runs to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Only in these states; all if empty.
    pub states: Vec<State>,
    /// Only of this saga.
    pub saga: Option<String>,
}

/// Which part of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    /// How many to skip.
    pub skip: u64,
    /// At most how many; at most [`super::limits::LONGEST_BATCH`].
    pub limit: u32,
}

impl Page {
    /// The first page of this size.
    pub const fn first(limit: u32) -> Page {
        Page { skip: 0, limit }
    }
}

/// Numbers for dashboards.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Health {
    /// Runs by state, in the order of [`State::ALL`].
    pub runs: Vec<(State, u64)>,
    /// Runs that are due and not claimed.
    pub due: u64,
    /// Open questions.
    pub open_reviews: u64,
    /// Runs set aside.
    pub quarantined: u64,
    /// Live workers.
    pub workers: u64,
    /// Open runs whose definition no live worker has.
    pub without_worker: u64,
}
