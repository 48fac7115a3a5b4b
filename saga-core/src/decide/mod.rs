//! The core decision function: what follows from a journal.
//!
//! Pure. No clock, no I/O, no randomness, no store, no tokio: the time, the luck of the jitter and a fresh identity are
//! arguments. The engine, the simulator and the operator's console ask the same function, so they cannot disagree.
//!
//! `next` says what to do now; [`outcome`] turns what an attempt brought into entries. Whoever drives a run repeats:
//! ask it, do that, fold what it wrote, ask again.

mod actions;
mod command;
mod forward;
mod head;
mod outcome;
mod settle;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;
mod unwind;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod walk;

pub use actions::{actions_aside, legal_actions};
pub(crate) use command::left;
pub use command::{Command, Item};
pub use head::{Head, State};
pub use outcome::{Outcome, outcome};

use crate::contract::StepContract;
use crate::definition::Definition;
use crate::journal::{Cause, End, Entry, Phase, Reason, Run, RunPhase, StepState};
use crate::payload::Payload;
use crate::run::{CallNumber, Timestamp};
use crate::saga::{Answer, FailureReport, Request};
use uuid::Uuid;

/// A worker that is lost this often at the same place is not lost by chance: a person is asked.
pub const CRASH_LIMIT: u32 = 5;

/// The most entries that forward work may write; beyond it a person is asked while there is still room to undo.
pub const JOURNAL_LIMIT: u64 = 10_000;

/// The entry with which a journal is said to be nearly full: eighty in a hundred of the limit.
pub const JOURNAL_WARNING: u64 = JOURNAL_LIMIT / 5 * 4;

/// All that a decision may depend on.
#[derive(Debug)]
pub struct Situation<'a> {
    /// The run, folded from its journal.
    pub run: &'a Run,
    /// The machine it follows.
    pub definition: &'a Definition,
    /// Where the body is.
    pub(crate) body: &'a BodyAt,
    /// What arrived for the run and was not taken up, in order.
    pub inbox: &'a [Item],
    /// The time by the store's clock.
    pub now: Timestamp,
    /// Whether the attempt that the journal shows as running is running here.
    pub in_flight: bool,
    /// A fresh identity, for `new_uuid`.
    pub fresh: Uuid,
}

/// Where a body is, as whoever polls it sees.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum BodyAt {
    /// Not polled since the last answer, or not built at all.
    Unknown,
    /// It asks for something.
    Asks(Request),
    /// It returned.
    Returned(Result<Payload, (Payload, String)>),
    /// It cannot go on: it panicked, or asked for something that cannot be journaled.
    Stuck(String),
}

/// What to do now.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Next {
    /// Write these entries, fold them, and ask again. They may share a commit with what follows.
    Write(Vec<Entry>),
    /// Build or poll the body.
    Poll,
    /// Give the body this answer, then poll it.
    Answer(Answer),
    /// Nothing to do before `until`, or before something arrives.
    Rest { until: Option<Timestamp> },
    /// The body asks for something else than the journal has: its code changed, or it is not deterministic.
    Diverged(String),
    /// The run is over.
    Over,
}

/// What follows from the situation.
pub(crate) fn next(at: &Situation<'_>) -> Next {
    let run = at.run;
    if run.ended().is_some() {
        return Next::Over;
    }
    if let Some((call, phase)) = run.running() {
        return if at.in_flight {
            Next::Rest { until: None }
        } else {
            Next::Write(vec![Entry::AttemptLost { call, phase }])
        };
    }
    if let Some(next) = command::take(at) {
        return next;
    }
    if run.open_review().is_some() {
        return Next::Rest { until: None };
    }
    match &run.phase {
        RunPhase::Forward => forward::next(at),
        RunPhase::Unwinding(cause) => unwind::next(at, cause),
        RunPhase::Ended(_) => Next::Over,
    }
}

/// Writes the start of an attempt; whoever writes it performs it: see [`to_perform`].
fn start(call: CallNumber, phase: Phase, step: &StepState) -> Next {
    Next::Write(vec![Entry::AttemptStarted { call, phase, attempt: step.attempts(phase).started + 1 }])
}

/// An attempt that is to be performed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Perform {
    pub(crate) call: CallNumber,
    pub(crate) phase: Phase,
    pub(crate) attempt: u32,
}

/// The attempt that an entry makes due for whoever wrote it, once it and everything before it is durable. To anybody else
/// who finds that entry at the end of a journal it says that the attempt may have been made.
pub(crate) fn to_perform(entry: &Entry) -> Option<Perform> {
    match entry {
        Entry::StepIntended { call, .. } => Some(Perform { call: *call, phase: Phase::Forward, attempt: 1 }),
        Entry::AttemptStarted { call, phase, attempt } => {
            Some(Perform { call: *call, phase: *phase, attempt: *attempt })
        }
        _ => None,
    }
}

impl Situation<'_> {
    /// Whether forward work must not go on: a cancel was accepted or the deadline passed, and no pivot stands in the way.
    fn stop_wanted(&self) -> Option<Cause> {
        if self.run.past_pivot() {
            return None;
        }
        if let Some((by, reason)) = &self.run.cancel {
            return Some(Cause::Cancelled { by: by.clone(), reason: reason.clone() });
        }
        self.run.deadline.is_some_and(|deadline| deadline <= self.now).then_some(Cause::DeadlineExceeded)
    }

    fn contract(&self, step: &StepState) -> Result<&'static StepContract, Next> {
        self.definition.step(&step.step).ok_or_else(|| {
            Next::Diverged(format!(
                "step `{}` of the journal is unknown in {} v{}",
                step.step, self.definition.name, self.definition.version
            ))
        })
    }

    /// Waits until `instant`, or goes on at once if it has come.
    fn not_before(&self, instant: Option<Timestamp>, go_on: impl FnOnce() -> Next) -> Next {
        match instant {
            Some(instant) if instant > self.now => {
                let deadline =
                    self.run.deadline.filter(|_| self.run.phase == RunPhase::Forward && !self.run.past_pivot());
                Next::Rest { until: Some(deadline.map_or(instant, |deadline| deadline.min(instant))) }
            }
            _ => go_on(),
        }
    }

    fn review(&self, call: Option<CallNumber>, reason: Reason, last: FailureReport) -> Next {
        let step = call.and_then(|call| self.run.step(call));
        let contract = step.and_then(|step| self.definition.step(&step.step));
        let owner = contract.and_then(|contract| contract.owner).unwrap_or(self.definition.owner);
        let first = match &self.run.phase {
            RunPhase::Unwinding(cause) => Some(report_of(cause)),
            _ => step.and_then(|step| step.first_unknown.clone()).filter(|first| *first != last),
        };
        Next::Write(vec![Entry::ReviewOpened {
            review: u32::try_from(self.run.reviews.len()).unwrap_or(u32::MAX - 1) + 1,
            call,
            reason,
            owner: owner.to_owned(),
            last,
            first,
            actions: legal_actions(reason, self.run, call, contract),
        }])
    }
}

/// A cause in the words of a failure, for the review that must hold both.
fn report_of(cause: &Cause) -> FailureReport {
    use crate::contract::Class;
    match cause {
        Cause::Refused { message, .. } => FailureReport::seen(Class::Refused, "refused", message),
        Cause::Cancelled { by, reason } => {
            FailureReport::seen(Class::Refused, "cancelled", format!("cancelled by {by}: {reason}"))
        }
        Cause::DeadlineExceeded => FailureReport::seen(Class::Refused, "deadline", "the saga's deadline passed"),
        Cause::Decided { by } => FailureReport::seen(Class::Refused, "decided", format!("{by} decided to unwind")),
    }
}

/// How a run ends when everything is undone.
fn end_of(cause: &Cause) -> End {
    match cause {
        Cause::Refused { error, .. } => End::Refused { error: error.clone() },
        _ => End::Cancelled,
    }
}
