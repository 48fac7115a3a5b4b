//! What is written to a store.

use super::rows::{DefinitionRow, ReviewRow, RunRow};
use crate::decide::Head;
use crate::journal::{Action, Reason};
use crate::run::{CallNumber, RunId, Timestamp};
use std::fmt;
use std::time::Duration;

/// The identity of one start of a worker process: never used twice, whatever the worker is called.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WorkerId(pub String);

impl WorkerId {
    /// A new identity for a worker with this name.
    pub fn fresh(name: &str) -> WorkerId {
        WorkerId(format!("{name}/{}", uuid::Uuid::now_v7()))
    }
}

impl fmt::Display for WorkerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One write.
#[derive(Debug, Clone)]
pub enum Write {
    /// A new run, unless its key is known.
    Create(NewRun),
    /// More entries of a run.
    Append(Append),
    /// An item for a run's inbox.
    Post(InboxPost),
}

/// A new run.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// Its identity.
    pub run: RunId,
    /// Its key: unique in the store.
    pub key: String,
    /// Its definition.
    pub definition: DefinitionRow,
    /// Who is asked about it when it is set aside: the owner that its saga declares.
    pub owner: String,
    /// The digest of its input; the same key with another digest is a conflict.
    pub input_digest: String,
    /// The size of its input in bytes.
    pub input_size: usize,
    /// Its first entries, `started` first.
    pub entries: Vec<NewEntry>,
    /// Its head after them.
    pub head: Head,
    /// Whether the creator claims it (fence 1), and for how long. Not if it has ended already.
    pub claim: Option<(WorkerId, Duration)>,
    /// What happens to it next, if it is not claimed; [`Then::Keep`] is due now.
    pub then: Then,
}

/// An entry to be written: the store adds its number and its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEntry {
    /// Its kind.
    pub kind: &'static str,
    /// The call it is about.
    pub call: Option<CallNumber>,
    /// The step it is about.
    pub step: Option<String>,
    /// The entry, as JSON text.
    pub body: Vec<u8>,
}

/// More entries of a run.
#[derive(Debug, Clone)]
pub struct Append {
    /// The run.
    pub run: RunId,
    /// The fence it was claimed under.
    pub fence: u64,
    /// The length of the journal that the entries were computed from.
    pub length: u64,
    /// The entries; none, to release only.
    pub entries: Vec<NewEntry>,
    /// The head after them.
    pub head: Head,
    /// If given: refused with [`super::Refused::InboxMoved`] when the inbox has an item above this number.
    pub inbox_seen: Option<u64>,
    /// Inbox items that these entries take up.
    pub inbox_taken: Vec<u64>,
    /// What these entries do to questions.
    pub reviews: Vec<ReviewChange>,
    /// What happens to the lease.
    pub then: Then,
}

/// What happens to a run after a write. A run that has ended is free and never due, whatever is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// The lease goes on.
    Keep,
    /// The lease ends; the run is due as said. A cancel or a decision in the inbox that was not taken up makes it due now, and so
    /// does a signal above [`Append::inbox_seen`]; signals that were seen do not, or a run that waits for another would spin.
    Release(Due),
}

/// When a run is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// Now.
    Now,
    /// After this span, by the store's clock.
    After(Duration),
    /// At this instant, which came from the store; outside of what a store keeps, the nearest instant that it does.
    At(Timestamp),
    /// Only when something arrives.
    Never,
}

/// What an append does to the list of questions. A change to a question that is not open changes nothing.
#[derive(Debug, Clone, PartialEq)]
pub enum ReviewChange {
    /// A question is opened. The store fills in `run`, `saga`, `opened` and leaves the rest as given. The append is rejected if
    /// there is one with that number, or if it is [`super::rules::SET_ASIDE`].
    Open(Box<ReviewRow>),
    /// A question is settled.
    Settle {
        /// Its number.
        review: u32,
        /// How, in a word.
        decision: String,
        /// By whom.
        by: String,
    },
    /// A question goes to somebody else.
    Escalate {
        /// Its number.
        review: u32,
        /// To whom.
        owner: String,
    },
    /// A decision could not be carried out: another may be requested.
    Refuse {
        /// Its number.
        review: u32,
    },
}

/// An item for a run's inbox.
#[derive(Debug, Clone)]
pub struct InboxPost {
    /// The run.
    pub run: RunId,
    /// Its kind, which decides when it is accepted.
    pub kind: Poster,
    /// The item, as JSON text.
    pub body: Vec<u8>,
    /// Who sends it.
    pub by: String,
    /// Why.
    pub note: String,
    /// If given: a second post with the same value to the same run is answered with the first one's number, also after the end.
    pub once: Option<String>,
}

/// Kinds of inbox items, and when they are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Poster {
    /// Accepted until the run has ended.
    Signal {
        /// The signal's name.
        name: String,
    },
    /// Accepted while the run goes forward, before its pivot; a second one is answered with the first one's number.
    Cancel,
    /// Accepted while the review is open and no other decision on it is on its way. A run takes it up.
    Decision {
        /// The review.
        review: u32,
    },
    /// A decision about the question of a run that is set aside. Accepted while that question is open and offers it. The store
    /// carries it out with this write, since there may be no worker that could; the item counts as taken up.
    Aside(AsideDecision),
}

/// What is decided about a run that is set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AsideDecision {
    /// It is tried again: due now unless somebody has it, its claims forgotten, the question settled.
    Retry,
    /// The question goes to somebody else, and nothing else changes.
    Escalate {
        /// To whom.
        owner: String,
    },
    /// The run ends, whoever has it, and all its questions are settled. Refused with an empty note.
    Abandon {
        /// The length of the journal that this was computed from.
        length: u64,
        /// The number of the last item in the inbox at that time.
        inbox_last: u64,
        /// The entries that end it. They follow whatever the journal has, also beyond its length.
        entries: Vec<NewEntry>,
        /// The head after them.
        head: Head,
    },
}

impl AsideDecision {
    /// The kind of the decision.
    pub fn action(&self) -> Action {
        match self {
            AsideDecision::Retry => Action::Retry,
            AsideDecision::Escalate { .. } => Action::Escalate,
            AsideDecision::Abandon { .. } => Action::Abandon,
        }
    }
}

/// A run that is to be set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// The run.
    pub run: RunId,
    /// The fence it was claimed under, if it was.
    pub fence: Option<u64>,
    /// Why: `JournalBroken`, `DefinitionMissing` or `CrashLoop`.
    pub reason: Reason,
    /// The cause, in words.
    pub cause: String,
}

/// What became of an accepted write.
#[derive(Debug, Clone)]
pub enum Written {
    /// The run was created.
    Created {
        /// When.
        at: Timestamp,
    },
    /// The run was there already, with the same saga, version and input.
    Existing(Box<RunRow>),
    /// The entries were appended.
    Appended {
        /// When.
        at: Timestamp,
    },
    /// The item is in the inbox.
    Posted {
        /// Its number.
        number: u64,
        /// When.
        at: Timestamp,
    },
}

/// A request for runs.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Who asks.
    pub worker: WorkerId,
    /// For how long.
    pub lease: Duration,
    /// At most how many.
    pub limit: u32,
    /// What it can run.
    pub definitions: Vec<DefinitionRow>,
}
