//! The state of a run, as its journal gives it.

use super::entry::{By, Cause, End, Phase, WaitKind};
use super::review::Review;
use crate::definition::Fingerprint;
use crate::payload::Payload;
use crate::run::{CallNumber, RunId, Timestamp};
use crate::saga::{FailureReport, StepErrorRecord};
use std::collections::BTreeSet;

/// A run, folded from its journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Its identity.
    pub id: RunId,
    /// The saga.
    pub saga: String,
    /// Its version.
    pub version: u32,
    /// The fingerprint of its machine when the run started.
    pub fingerprint: Fingerprint,
    /// The parameters.
    pub inputs: Payload,
    /// When it started.
    pub started: Timestamp,
    /// Until when forward work may go on.
    pub deadline: Option<Timestamp>,
    /// How many entries the journal has.
    pub length: u64,
    /// When the last entry was written.
    pub updated: Timestamp,
    /// Calls, waits and values, by number.
    pub calls: Vec<CallState>,
    /// Where the run is.
    pub phase: RunPhase,
    /// Why effects are, or were, undone.
    pub cause: Option<Cause>,
    /// An accepted cancel: who and why.
    pub cancel: Option<(String, String)>,
    /// All questions so far.
    pub reviews: Vec<Review>,
    /// The inbox items that were taken up.
    pub inbox_taken: Vec<u64>,
    /// Where to look, so that no question walks a long run.
    pub(super) index: Index,
}

/// The few calls that questions are about. Kept by the fold: cost per step must not grow with the length of the run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Index {
    /// Steps that are not settled.
    pub(super) open: BTreeSet<CallNumber>,
    /// Steps about which an unwind may still have something to do.
    pub(super) unsettled: BTreeSet<CallNumber>,
    /// Steps with an attempt that has no recorded end.
    pub(super) running: BTreeSet<CallNumber>,
    /// Irreversible steps whose effect is there or possible.
    pub(super) pivots: BTreeSet<CallNumber>,
    /// The wait that has not ended.
    pub(super) wait: Option<CallNumber>,
}

/// Where a run is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunPhase {
    /// Forward work.
    Forward,
    /// Effects are undone.
    Unwinding(Cause),
    /// Over.
    Ended(End),
}

/// One call of the body.
#[derive(Debug, Clone, PartialEq)]
pub enum CallState {
    /// A step.
    Step(Box<StepState>),
    /// A wait.
    Wait(WaitState),
    /// A value.
    Value {
        /// `now` or `new_uuid`.
        kind: String,
        /// The value.
        value: Payload,
    },
}

/// A wait.
#[derive(Debug, Clone, PartialEq)]
pub struct WaitState {
    /// For what.
    pub kind: WaitKind,
    /// Until when.
    pub until: Option<Timestamp>,
    /// How it ended: the signal, or `None` when the time was over.
    pub ended: Option<Option<Payload>>,
}

/// A step that was intended.
#[derive(Debug, Clone, PartialEq)]
pub struct StepState {
    /// Its name.
    pub step: String,
    /// Its inputs.
    pub inputs: Payload,
    /// Calls whose evidence it needs.
    pub needs: Vec<CallNumber>,
    /// Calls whose evidence it consumes.
    pub consumes: Vec<CallNumber>,
    /// Whether it is irreversible.
    pub pivot: bool,
    /// When it was first intended.
    pub intended: Timestamp,
    /// What is known of the effect.
    pub status: StepStatus,
    /// Attempts of the effect.
    pub forward: Attempts,
    /// Lookups since the last unknown outcome.
    pub check: Attempts,
    /// Attempts of the undo.
    pub undo: Attempts,
    /// Since when an effect is possible but not known; `None` when every attempt so far is accounted for.
    pub doubt: Option<Timestamp>,
    /// The first unknown outcome, for the review.
    pub first_unknown: Option<FailureReport>,
    /// A person asked for the undo although the outcome is unknown, or evidence ran out and the undo is safe.
    pub neutralise: bool,
    /// The call that consumed its obligation.
    pub consumed_by: Option<CallNumber>,
    /// Whether it was neutralised.
    pub undone: Option<By>,
    /// Whether it was recorded as staying.
    pub kept: bool,
}

/// What is known of a step's effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepStatus {
    /// Not settled.
    Open,
    /// There.
    Done {
        /// The output.
        output: Payload,
        /// Who confirmed it.
        by: By,
    },
    /// Not there.
    Failed {
        /// What the body is told.
        error: StepErrorRecord,
    },
}

/// The attempts of one phase of a call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attempts {
    /// The number of the last attempt that was started.
    pub started: u32,
    /// Ended without success, within the present budget. What a policy's `times` counts.
    pub failed: u32,
    /// Lost one after the other, with no answer in between. What tells a crash loop.
    pub lost: u32,
    /// The last one has no recorded end.
    pub running: bool,
    /// Not before this.
    pub again: Option<Timestamp>,
    /// The last failure, with the step's own error.
    pub last: Option<(FailureReport, Option<Payload>)>,
    /// The last answer of a check.
    pub look: Option<super::entry::Look>,
    /// Why another attempt is due whatever the policy says.
    pub urge: Urge,
}

/// Why an attempt is due whatever the policy says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Urge {
    /// It is not.
    #[default]
    None,
    /// The last one was lost or interrupted: that was not a failed attempt.
    Repeat,
    /// The effect was looked up and is known not to be there.
    Resend,
    /// A person asked for it.
    Asked,
}

impl StepState {
    /// The attempts of a phase.
    pub fn attempts(&self, phase: Phase) -> &Attempts {
        match phase {
            Phase::Forward => &self.forward,
            Phase::Check => &self.check,
            Phase::Undo => &self.undo,
        }
    }

    pub(super) fn attempts_mut(&mut self, phase: Phase) -> &mut Attempts {
        match phase {
            Phase::Forward => &mut self.forward,
            Phase::Check => &mut self.check,
            Phase::Undo => &mut self.undo,
        }
    }

    /// The phase whose attempt has no recorded end.
    pub fn running(&self) -> Option<Phase> {
        [Phase::Forward, Phase::Check, Phase::Undo].into_iter().find(|phase| self.attempts(*phase).running)
    }

    /// The confirmed output.
    pub fn output(&self) -> Option<&Payload> {
        match &self.status {
            StepStatus::Done { output, .. } => Some(output),
            _ => None,
        }
    }

    /// Whether an unwind may still have something to do about it.
    pub(crate) fn is_unsettled(&self) -> bool {
        match self.status {
            StepStatus::Open => true,
            StepStatus::Done { .. } => self.undone.is_none() && self.consumed_by.is_none() && !self.kept,
            StepStatus::Failed { .. } => false,
        }
    }

    /// Whether an effect may be out there that is neither undone nor consumed.
    pub fn may_have_an_effect(&self) -> bool {
        self.undone.is_none()
            && self.consumed_by.is_none()
            && match self.status {
                StepStatus::Open => self.doubt.is_some() || self.forward.running,
                StepStatus::Done { .. } => true,
                StepStatus::Failed { .. } => false,
            }
    }
}

impl Run {
    /// The step of a call.
    pub fn step(&self, call: CallNumber) -> Option<&StepState> {
        match self.calls.get(call.0 as usize) {
            Some(CallState::Step(step)) => Some(step),
            _ => None,
        }
    }

    /// All steps, in the order of their calls.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = (CallNumber, &StepState)> {
        self.calls.iter().enumerate().filter_map(|(number, call)| match call {
            CallState::Step(step) => Some((CallNumber(u32::try_from(number).unwrap_or(u32::MAX)), &**step)),
            _ => None,
        })
    }

    /// The step that is not settled, if any.
    pub fn open_step(&self) -> Option<(CallNumber, &StepState)> {
        let call = *self.index.open.last()?;
        Some((call, self.step(call)?))
    }

    /// The steps about which an unwind may still have something to do, in the order of their calls.
    pub fn unsettled_steps(&self) -> impl DoubleEndedIterator<Item = (CallNumber, &StepState)> {
        self.index.unsettled.iter().filter_map(|call| Some((*call, self.step(*call)?)))
    }

    /// The attempt that has no recorded end, if any.
    pub fn running(&self) -> Option<(CallNumber, Phase)> {
        let call = *self.index.running.first()?;
        Some((call, self.step(call)?.running()?))
    }

    /// The wait that has not ended, if any.
    pub fn open_wait(&self) -> Option<(CallNumber, &WaitState)> {
        let call = self.index.wait?;
        match self.calls.get(call.0 as usize) {
            Some(CallState::Wait(wait)) => Some((call, wait)),
            _ => None,
        }
    }

    /// Whether an irreversible effect is there, or may be: then nothing is undone any more.
    pub fn past_pivot(&self) -> bool {
        !self.index.pivots.is_empty()
    }

    /// Whether the irreversible effect of another call than this is there.
    pub fn past_pivot_besides(&self, call: CallNumber) -> bool {
        self.index.pivots.iter().any(|pivot| *pivot != call)
    }

    /// Looks at one call again after an entry about it.
    pub(super) fn reindex(&mut self, call: CallNumber) {
        fn keep(set: &mut BTreeSet<CallNumber>, call: CallNumber, wanted: bool) {
            if wanted {
                set.insert(call);
            } else {
                set.remove(&call);
            }
        }
        match self.calls.get(call.0 as usize) {
            Some(CallState::Step(step)) => {
                keep(&mut self.index.open, call, step.status == StepStatus::Open);
                keep(&mut self.index.unsettled, call, step.is_unsettled());
                keep(&mut self.index.running, call, step.running().is_some());
                keep(&mut self.index.pivots, call, step.pivot && step.may_have_an_effect());
            }
            Some(CallState::Wait(wait)) => self.index.wait = wait.ended.is_none().then_some(call),
            _ => {}
        }
    }

    /// The question that waits for a decision.
    pub fn open_review(&self) -> Option<&Review> {
        self.reviews.iter().find(|review| review.open)
    }

    /// Whether the run is over.
    pub fn ended(&self) -> Option<&End> {
        match &self.phase {
            RunPhase::Ended(end) => Some(end),
            _ => None,
        }
    }
}
