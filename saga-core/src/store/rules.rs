//! The answers that every store gives to the same question: what is refused, in which order, and when a run is due next.
//!
//! Decides from the few facts of a run's head that stand in [`Standing`]. Knows no database: a store reads the facts, asks
//! here within its transaction, and writes what follows. So stores cannot disagree.

use super::error::Refused;
use super::limits::LONGEST_BATCH;
use super::rows::{DefinitionRow, ReviewRow};
use super::writes::{Append, AsideDecision, Due, Then};
use crate::contract::Class;
use crate::decide::{State, actions_aside};
use crate::journal::Reason;
use crate::run::{RunId, Timestamp};
use crate::saga::{FailureReport, cut};
use std::time::Duration;

/// The number of the question that stands for a run which is set aside. Questions of the journal begin at 1.
pub use crate::journal::SET_ASIDE;

/// Who is asked about a run that is set aside where its record does not tell its saga's owner.
pub const OPERATORS: &str = "operators";

/// The facts of a run that decide about a write.
#[derive(Debug, Clone, Copy)]
pub struct Standing {
    /// The run.
    pub run: RunId,
    /// Its state.
    pub state: State,
    /// The fence of its last claim.
    pub fence: u64,
    /// Whether a worker has it.
    pub leased: bool,
    /// The length of its journal.
    pub length: u64,
    /// The number of the last item in its inbox.
    pub inbox_last: u64,
    /// Whether an irreversible effect is there or possible.
    pub past_pivot: bool,
    /// The inbox number of the cancel that was accepted.
    pub cancel: Option<u64>,
}

/// Who has a run after a write, and when it is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ownership {
    /// As before.
    Kept,
    /// Nobody; due then.
    Free(Option<Timestamp>),
}

impl Standing {
    fn open(&self) -> Result<(), Refused> {
        if self.state.is_terminal() {
            return Err(Refused::AlreadyEnded { run: self.run, state: self.state });
        }
        Ok(())
    }

    fn held(&self, fence: u64) -> Result<(), Refused> {
        if self.leased && self.fence == fence {
            return Ok(());
        }
        Err(Refused::StaleFence { run: self.run, fence })
    }

    /// Whether entries may be appended. A lease that has ended is good until somebody else claims the run.
    ///
    /// # Errors
    /// The first that applies of `AlreadyEnded`, `StaleFence`, `WrongLength`, `InboxMoved`.
    pub fn append(&self, append: &Append) -> Result<(), Refused> {
        self.open()?;
        self.held(append.fence)?;
        if self.length != append.length {
            return Err(Refused::WrongLength { run: self.run, expected: append.length, found: self.length });
        }
        match append.inbox_seen {
            Some(seen) if self.inbox_last > seen => Err(Refused::InboxMoved { run: self.run, last: self.inbox_last }),
            _ => Ok(()),
        }
    }

    /// Whether the run may be set aside by whoever claimed it under `fence`, or by anybody if that is not given.
    ///
    /// # Errors
    /// `AlreadyEnded` or `StaleFence`.
    pub fn set_aside(&self, fence: Option<u64>) -> Result<(), Refused> {
        self.open()?;
        fence.map_or(Ok(()), |fence| self.held(fence))
    }

    /// Whether a signal is accepted.
    ///
    /// # Errors
    /// `AlreadyEnded`.
    pub fn signal(&self) -> Result<(), Refused> {
        self.open()
    }

    /// Whether a cancel is accepted; the number of the one that was accepted before, if any.
    ///
    /// # Errors
    /// `AlreadyEnded`, `AlreadyUnwinding` or `PastPivot`.
    pub fn cancel(&self) -> Result<Option<u64>, Refused> {
        self.open()?;
        if self.state == State::Unwinding {
            return Err(Refused::AlreadyUnwinding(self.run));
        }
        if self.past_pivot {
            return Err(Refused::PastPivot(self.run));
        }
        Ok(self.cancel)
    }

    /// Whether a decision is accepted. `question` is, if it is there and open, who requested one already, and when.
    ///
    /// # Errors
    /// `AlreadyEnded`, `ReviewNotOpen` or `AlreadyRequested`.
    pub fn decision(&self, review: u32, question: Option<Option<(String, Timestamp)>>) -> Result<(), Refused> {
        self.open()?;
        match question.filter(|_| review != SET_ASIDE) {
            None => Err(Refused::ReviewNotOpen { run: self.run, review }),
            Some(None) => Ok(()),
            Some(Some((by, at))) => Err(Refused::AlreadyRequested { run: self.run, review, by, at }),
        }
    }

    /// Whether a decision about the run that is set aside is accepted. `question`: why the open question was opened, if there is one.
    ///
    /// # Errors
    /// The first that applies of `AlreadyEnded`, `ReviewNotOpen`, `NotOffered`, `NoEvidence`, `WrongLength`, `InboxMoved`.
    pub fn decide_aside(&self, question: Option<Reason>, decision: &AsideDecision, note: &str) -> Result<(), Refused> {
        self.open()?;
        let (run, review) = (self.run, SET_ASIDE);
        let reason = question.ok_or(Refused::ReviewNotOpen { run, review })?;
        let action = decision.action();
        if !actions_aside(reason).contains(&action) {
            return Err(Refused::NotOffered { run, review, action });
        }
        match decision {
            AsideDecision::Abandon { .. } if note.trim().is_empty() => Err(Refused::NoEvidence { run, review }),
            AsideDecision::Abandon { length, .. } if self.length != *length => {
                Err(Refused::WrongLength { run, expected: *length, found: self.length })
            }
            AsideDecision::Abandon { inbox_last, .. } if self.inbox_last > *inbox_last => {
                Err(Refused::InboxMoved { run, last: self.inbox_last })
            }
            _ => Ok(()),
        }
    }
}

/// Whether a run that is there may answer for a new one with the same key.
///
/// # Errors
/// `KeyTaken`, with the first difference.
pub fn same_run(key: &str, run: RunId, there: (&str, u32, &str), wanted: (&str, u32, &str)) -> Result<(), Refused> {
    let other = if there.0 != wanted.0 {
        "saga"
    } else if there.1 != wanted.1 {
        "version"
    } else if there.2 != wanted.2 {
        "input"
    } else {
        return Ok(());
    };
    Err(Refused::KeyTaken { key: key.to_owned(), run, other })
}

/// The run's identity is taken: two different runs were given the same one.
pub fn identity_taken(run: RunId) -> Refused {
    Refused::Rejected(format!("there is a run {run} already, with another key"))
}

/// Whether a question with this number may be opened.
///
/// # Errors
/// `Rejected` if there is one, or if the number is kept for runs that are set aside.
pub fn open_review(run: RunId, review: u32, there: bool) -> Result<(), Refused> {
    if review == SET_ASIDE {
        return Err(Refused::Rejected(format!("review {SET_ASIDE} is kept for runs that are set aside")));
    }
    if there {
        return Err(Refused::Rejected(format!("run {run} has a review {review} already")));
    }
    Ok(())
}

/// The stamp of what is written now to a run that was last written to at `updated`: a clock that steps back does not make
/// a journal run backwards.
pub fn stamp(now: Timestamp, updated: Timestamp) -> Timestamp {
    now.max(updated).min(Timestamp::LATEST)
}

/// When a released run is due.
pub fn instant(due: Due, now: Timestamp) -> Option<Timestamp> {
    match due {
        Due::Now => Some(now),
        Due::After(span) => Some(now.plus(span)),
        Due::At(at) => Some(at.clamp(Timestamp(0), Timestamp::LATEST)),
        Due::Never => None,
    }
}

/// Who has a run after an append. `wanted`: its inbox has something that makes it due; see [`wants`].
pub fn ownership(state: State, then: Then, now: Timestamp, wanted: bool) -> Ownership {
    match then {
        _ if state.is_terminal() => Ownership::Free(None),
        Then::Keep => Ownership::Kept,
        Then::Release(_) if wanted => Ownership::Free(Some(now)),
        Then::Release(due) => Ownership::Free(instant(due, now)),
    }
}

/// Whether an inbox item that was not taken up makes a released run due now: a cancel or a decision always; a signal only if
/// the append did not see it. A run that waits for another signal would be claimed for ever.
pub fn wants(is_signal: bool, number: u64, seen: Option<u64>) -> bool {
    !is_signal || number > seen.unwrap_or(0)
}

/// At most how many rows a page has.
pub fn page(limit: u32) -> usize {
    limit.min(LONGEST_BATCH) as usize
}

/// A cause in words, short enough to be stored for certain.
pub fn cause(words: &str) -> String {
    cut(words)
}

/// The question that stands for a run which is set aside. The run is tried again by itself, and an accepted append settles it.
pub fn set_aside_review(run: RunId, saga: &str, owner: &str, reason: Reason, words: &str, at: Timestamp) -> ReviewRow {
    ReviewRow {
        run,
        saga: saga.to_owned(),
        review: SET_ASIDE,
        call: None,
        step: None,
        reason,
        owner: if owner.is_empty() { OPERATORS } else { owner }.to_owned(),
        last: FailureReport::seen(Class::Unknown, reason.name(), words),
        first: None,
        actions: actions_aside(reason),
        opened: at,
        requested: None,
        settled: None,
    }
}

/// How [`set_aside_review`] is settled when the run goes on: the decision and by whom.
pub const REPAIRED: (&str, &str) = ("repaired", "the store");

/// Why a run is not moving whose definition no worker has.
pub fn definition_missing(definition: &DefinitionRow) -> String {
    let DefinitionRow { saga, version, fingerprint } = definition;
    format!("no running worker has {saga} v{version} with fingerprint {fingerprint}")
}

/// The instant before which a run must have become due, and the last worker with its definition been lost, for a person to
/// be asked about it. Workers that stop and start again within `grace` are missed by nobody.
pub fn missing_since(now: Timestamp, grace: Duration) -> Timestamp {
    Timestamp(now.0.saturating_sub(i64::try_from(grace.as_micros()).unwrap_or(i64::MAX)))
}

/// The longest time between two attempts to tell the owner of a question.
pub const LONGEST_NOTIFY_WAIT: Duration = Duration::from_secs(3_600);

/// When the owner of a question is to be told again, after this many attempts: after `wait`, doubled with each attempt.
pub fn notify_again(now: Timestamp, wait: Duration, attempts: u32) -> Timestamp {
    let doubled = wait.saturating_mul(2_u32.saturating_pow(attempts.saturating_sub(1)));
    now.plus(doubled.min(LONGEST_NOTIFY_WAIT))
}

/// How long a worker that is gone stays on record: it tells since when nobody has its definitions.
pub const FORGET_WORKERS: Duration = Duration::from_secs(7 * 24 * 3_600);
