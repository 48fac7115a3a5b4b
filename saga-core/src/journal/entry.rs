//! The entries of a journal. Append-only, typed, in the order in which they became durable.
//!
//! Instants are not in here: the store stamps each entry, and spans count from that stamp, so that no process's own clock is
//! ever stored (MailFathom#1989).

use super::review::{Action, Decision, Reason};
use crate::definition::Fingerprint;
use crate::payload::Payload;
use crate::run::CallNumber;
use crate::saga::{FailureReport, StepErrorRecord};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// One entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Entry {
    /// The run exists.
    Started {
        /// The saga's name.
        saga: String,
        /// Its version.
        version: u32,
        /// The fingerprint of its machine.
        fingerprint: Fingerprint,
        /// The parameters.
        inputs: Payload,
        /// How long forward work may go on.
        #[serde(default, skip_serializing_if = "Option::is_none", with = "micros::option")]
        deadline: Option<Duration>,
    },
    /// A step is about to be sent for the first time: from here on its effect is possible.
    StepIntended {
        /// The call.
        call: CallNumber,
        /// The step's name.
        step: String,
        /// Its inputs.
        inputs: Payload,
        /// Calls whose evidence it needs.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        needs: Vec<CallNumber>,
        /// Calls whose evidence it consumes.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        consumes: Vec<CallNumber>,
        /// Whether it was declared irreversible.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pivot: bool,
    },
    /// A further attempt, a check or an undo is about to be sent.
    AttemptStarted {
        /// The call.
        call: CallNumber,
        /// What is attempted.
        phase: Phase,
        /// The attempt's number: 1 for the first of its phase.
        attempt: u32,
    },
    /// An attempt ended without success.
    AttemptFailed {
        /// The call.
        call: CallNumber,
        /// What was attempted.
        phase: Phase,
        /// For people.
        report: FailureReport,
        /// The step's own error, where it returned one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<Payload>,
        /// How long to wait before the next attempt, if there is one.
        #[serde(default, skip_serializing_if = "Option::is_none", with = "micros::option")]
        again_in: Option<Duration>,
    },
    /// The worker that made an attempt is gone: its outcome is unknown.
    AttemptLost {
        /// The call.
        call: CallNumber,
        /// What was attempted.
        phase: Phase,
    },
    /// A worker that was asked to stop gave an attempt up: its outcome is unknown, and it is not a failed attempt.
    AttemptInterrupted {
        /// The call.
        call: CallNumber,
        /// What was attempted.
        phase: Phase,
    },
    /// A check answered something else than "applied".
    Looked {
        /// The call.
        call: CallNumber,
        /// The answer.
        found: Look,
        /// When to look again, if at all.
        #[serde(default, skip_serializing_if = "Option::is_none", with = "micros::option")]
        again_in: Option<Duration>,
    },
    /// The effect is confirmed.
    StepDone {
        /// The call.
        call: CallNumber,
        /// Its output.
        output: Payload,
        /// Who confirmed it.
        by: By,
    },
    /// The effect is known not to be there.
    StepFailed {
        /// The call.
        call: CallNumber,
        /// What the body is told.
        error: StepErrorRecord,
    },
    /// The effect, or the possibility of it, is neutralised.
    Undone {
        /// The call.
        call: CallNumber,
        /// Who confirmed it.
        by: By,
    },
    /// The effect stays, as declared.
    Kept {
        /// The call.
        call: CallNumber,
    },
    /// The body waits.
    WaitStarted {
        /// The call.
        call: CallNumber,
        /// For what, and for how long.
        wait: WaitKind,
    },
    /// A signal was delivered to the body.
    SignalReceived {
        /// The call.
        call: CallNumber,
        /// Its number in the run's inbox.
        signal: u64,
        /// The message.
        payload: Payload,
    },
    /// The time of a wait is over.
    WaitElapsed {
        /// The call.
        call: CallNumber,
    },
    /// A value was drawn for the body.
    ValueDrawn {
        /// The call.
        call: CallNumber,
        /// `now` or `new_uuid`.
        kind: String,
        /// The value.
        value: Payload,
    },
    /// A cancel was taken up.
    CancelTaken {
        /// Its number in the run's inbox.
        request: u64,
        /// Who asked.
        by: String,
        /// Why.
        reason: String,
    },
    /// From here on nothing goes forward: effects are undone.
    UnwindStarted {
        /// Why.
        cause: Cause,
    },
    /// A person is asked.
    ReviewOpened {
        /// Its number in the run: 1 for the first.
        review: u32,
        /// The call it is about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<CallNumber>,
        /// Why.
        reason: Reason,
        /// Who.
        owner: String,
        /// The last answer.
        last: FailureReport,
        /// What began it, where that was something else: the cause of the unwind.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first: Option<FailureReport>,
        /// What may be done.
        actions: Vec<Action>,
    },
    /// A person decided.
    ReviewSettled {
        /// The review.
        review: u32,
        /// Its number in the run's inbox.
        request: u64,
        /// The decision.
        decision: Decision,
        /// Who.
        by: String,
        /// Why; for marks, the evidence.
        note: String,
    },
    /// A decision could not be carried out; the review stays open.
    DecisionRefused {
        /// The review.
        review: u32,
        /// Its number in the run's inbox.
        request: u64,
        /// Who asked.
        by: String,
        /// Why not.
        why: String,
    },
    /// The run is over.
    Ended {
        /// How.
        end: End,
    },
}

/// What is attempted of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// The effect.
    Forward,
    /// A lookup of an unknown outcome.
    Check,
    /// The undo.
    Undo,
}

/// Who confirmed something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The step's own reply.
    Reply,
    /// A check.
    Check,
    /// A person, with evidence in the review.
    Person,
}

/// What a check found, short of "applied".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// Not there, and the settle window is over: known not applied.
    NotApplied,
    /// Not there yet: proves nothing.
    NotYet,
    /// The other side is working on it.
    Pending,
    /// The other side cannot tell.
    CannotTell,
}

/// What a body waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WaitKind {
    /// A signal.
    Signal {
        /// The signal's name.
        name: String,
        /// At most how long.
        #[serde(default, skip_serializing_if = "Option::is_none", with = "micros::option")]
        within: Option<Duration>,
    },
    /// Time.
    Sleep {
        /// How long.
        #[serde(with = "micros")]
        length: Duration,
    },
}

/// Why effects are undone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The body returned this error.
    Refused {
        /// The error.
        error: Payload,
        /// Its words, cut.
        message: String,
    },
    /// A cancel was accepted.
    Cancelled {
        /// Who asked.
        by: String,
        /// Why.
        reason: String,
    },
    /// The saga's deadline passed.
    DeadlineExceeded,
    /// A person decided it in a review.
    Decided {
        /// Who.
        by: String,
    },
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The body returned this.
    Completed {
        /// The output.
        output: Payload,
    },
    /// Undone, for a business reason.
    Refused {
        /// The body's error.
        error: Payload,
    },
    /// Undone, because somebody or the deadline asked for it.
    Cancelled,
    /// Given up by a person.
    Abandoned {
        /// Who.
        by: String,
        /// The calls whose effects, certain or possible, are left.
        left: Vec<CallNumber>,
    },
}

impl Entry {
    /// The entry's name, as it stands in the store.
    pub fn kind(&self) -> &'static str {
        match self {
            Entry::Started { .. } => "started",
            Entry::StepIntended { .. } => "step_intended",
            Entry::AttemptStarted { .. } => "attempt_started",
            Entry::AttemptFailed { .. } => "attempt_failed",
            Entry::AttemptLost { .. } => "attempt_lost",
            Entry::AttemptInterrupted { .. } => "attempt_interrupted",
            Entry::Looked { .. } => "looked",
            Entry::StepDone { .. } => "step_done",
            Entry::StepFailed { .. } => "step_failed",
            Entry::Undone { .. } => "undone",
            Entry::Kept { .. } => "kept",
            Entry::WaitStarted { .. } => "wait_started",
            Entry::SignalReceived { .. } => "signal_received",
            Entry::WaitElapsed { .. } => "wait_elapsed",
            Entry::ValueDrawn { .. } => "value_drawn",
            Entry::CancelTaken { .. } => "cancel_taken",
            Entry::UnwindStarted { .. } => "unwind_started",
            Entry::ReviewOpened { .. } => "review_opened",
            Entry::ReviewSettled { .. } => "review_settled",
            Entry::DecisionRefused { .. } => "decision_refused",
            Entry::Ended { .. } => "ended",
        }
    }

    /// The call it is about.
    pub fn call(&self) -> Option<CallNumber> {
        match self {
            Entry::StepIntended { call, .. }
            | Entry::AttemptStarted { call, .. }
            | Entry::AttemptFailed { call, .. }
            | Entry::AttemptLost { call, .. }
            | Entry::AttemptInterrupted { call, .. }
            | Entry::Looked { call, .. }
            | Entry::StepDone { call, .. }
            | Entry::StepFailed { call, .. }
            | Entry::Undone { call, .. }
            | Entry::Kept { call }
            | Entry::WaitStarted { call, .. }
            | Entry::SignalReceived { call, .. }
            | Entry::WaitElapsed { call }
            | Entry::ValueDrawn { call, .. } => Some(*call),
            Entry::ReviewOpened { call, .. } => *call,
            _ => None,
        }
    }
}

/// Spans as whole microseconds, rounded up: a wait never ends early.
mod micros {
    use serde::{Deserialize, Deserializer, Serializer};
    use std::time::Duration;

    pub(super) fn serialize<S: Serializer>(span: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        let micros = u64::try_from(span.as_nanos().div_ceil(1_000)).unwrap_or(u64::MAX);
        serializer.serialize_u64(micros)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        u64::deserialize(deserializer).map(Duration::from_micros)
    }

    pub(super) mod option {
        use serde::{Deserialize, Deserializer, Serializer};
        use std::time::Duration;

        pub(in super::super) fn serialize<S: Serializer>(
            span: &Option<Duration>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            match span {
                Some(span) => super::serialize(span, serializer),
                None => serializer.serialize_none(),
            }
        }

        pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<Duration>, D::Error> {
            Ok(Option::<u64>::deserialize(deserializer)?.map(Duration::from_micros))
        }
    }
}
