//! Questions to a person: why they are asked, and what may be answered.

use crate::run::CallNumber;
use crate::saga::FailureReport;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The number of the question about a run that is set aside. The journal opens none with it: its own begin at 1.
pub const SET_ASIDE: u32 = 0;

/// Why a person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Reason {
    /// Whether the effect is there could not be found out.
    UnknownOutcome,
    /// The undo failed as often as its policy allows.
    UndoFailed,
    /// The undo was refused.
    UndoRefused,
    /// Forward work that must not be given up cannot go on.
    ForwardExhausted,
    /// The worker was lost again and again at the same place.
    CrashLoop,
    /// The stored journal cannot be read, or does not fit the code.
    JournalBroken,
    /// No worker has the run's definition.
    DefinitionMissing,
}

impl Reason {
    /// The name, as it stands in the store.
    pub fn name(self) -> &'static str {
        match self {
            Reason::UnknownOutcome => "unknown_outcome",
            Reason::UndoFailed => "undo_failed",
            Reason::UndoRefused => "undo_refused",
            Reason::ForwardExhausted => "forward_exhausted",
            Reason::CrashLoop => "crash_loop",
            Reason::JournalBroken => "journal_broken",
            Reason::DefinitionMissing => "definition_missing",
        }
    }
}

/// What a person may choose. Which of them are offered follows from the step's class: there is no "retry everything".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Send it again under the same key. Only if idempotent (an undo always is).
    Retry,
    /// Look the outcome up. Only if verifiable.
    Verify,
    /// Undo the possible effect; without a call: unwind the whole run.
    Compensate,
    /// The effect is there: give its output and the evidence.
    MarkApplied,
    /// The effect is not there: give the evidence.
    MarkNotApplied,
    /// The effect was undone by hand: give the evidence.
    MarkUndone,
    /// Ask somebody else.
    Escalate,
    /// End the run and leave its effects.
    Abandon,
}

impl Action {
    /// The name, as it stands in the store.
    pub fn name(self) -> &'static str {
        match self {
            Action::Retry => "retry",
            Action::Verify => "verify",
            Action::Compensate => "compensate",
            Action::MarkApplied => "mark_applied",
            Action::MarkNotApplied => "mark_not_applied",
            Action::MarkUndone => "mark_undone",
            Action::Escalate => "escalate",
            Action::Abandon => "abandon",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a person chose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// [`Action::Retry`].
    Retry,
    /// [`Action::Verify`].
    Verify,
    /// [`Action::Compensate`].
    Compensate,
    /// [`Action::MarkApplied`].
    MarkApplied {
        /// The output, as JSON text.
        output: crate::payload::Payload,
    },
    /// [`Action::MarkNotApplied`].
    MarkNotApplied,
    /// [`Action::MarkUndone`].
    MarkUndone,
    /// [`Action::Escalate`].
    Escalate {
        /// To whom.
        owner: String,
    },
    /// [`Action::Abandon`].
    Abandon,
}

impl Decision {
    /// The kind of the decision.
    pub fn action(&self) -> Action {
        match self {
            Decision::Retry => Action::Retry,
            Decision::Verify => Action::Verify,
            Decision::Compensate => Action::Compensate,
            Decision::MarkApplied { .. } => Action::MarkApplied,
            Decision::MarkNotApplied => Action::MarkNotApplied,
            Decision::MarkUndone => Action::MarkUndone,
            Decision::Escalate { .. } => Action::Escalate,
            Decision::Abandon => Action::Abandon,
        }
    }
}

/// One question, as the journal has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    /// Its number in the run.
    pub number: u32,
    /// The call it is about.
    pub call: Option<CallNumber>,
    /// Why.
    pub reason: Reason,
    /// Who is asked.
    pub owner: String,
    /// The last answer of the other side.
    pub last: FailureReport,
    /// What began it.
    pub first: Option<FailureReport>,
    /// What may be done.
    pub actions: Vec<Action>,
    /// Whether it waits for a decision.
    pub open: bool,
}
