//! Folds entries into the state of a run. Accepts exactly what the engine can write; everything else is told apart and
//! named, never guessed over.

use super::entry::{By, End, Entry, Look, Phase, WaitKind};
use super::review::{Action, Decision, Review, SET_ASIDE};
use super::state::{Attempts, CallState, Index, Run, RunPhase, StepState, StepStatus, Urge, WaitState};
use crate::contract::Class;
use crate::payload::PayloadError;
use crate::run::{CallNumber, RunId, Timestamp};

/// A journal that the engine cannot have written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Broken {
    /// It does not begin with `started`, or there is nothing at all.
    #[error("the journal does not begin with `started`")]
    NoBeginning,
    /// A sequence number is missing.
    #[error("the journal has a gap: entry {expected} is missing, the next one is {found}")]
    Gap {
        /// The number that is missing.
        expected: u64,
        /// The number that was found.
        found: u64,
    },
    /// An entry that cannot follow the ones before it.
    #[error("entry {sequence} (`{kind}`) cannot follow the entries before it: {why}")]
    Foreign {
        /// Its number.
        sequence: u64,
        /// Its kind.
        kind: &'static str,
        /// Why not.
        why: &'static str,
    },
    /// An entry that this version of the library cannot read.
    #[error("entry {sequence} (`{kind}`) cannot be read: {why}")]
    Unreadable {
        /// Its number.
        sequence: u64,
        /// Its kind, as stored.
        kind: String,
        /// Why not.
        why: String,
    },
    /// An entry whose payload cannot be decoded.
    #[error("entry {sequence} (`{kind}`): {source}")]
    Undecodable {
        /// Its number.
        sequence: u64,
        /// Its kind.
        kind: &'static str,
        /// Why not.
        source: PayloadError,
    },
}

impl Run {
    /// The run after its first entry.
    ///
    /// # Errors
    /// When that entry is not `started`.
    pub fn begin(id: RunId, first: &Entry, at: Timestamp) -> Result<Run, Broken> {
        let Entry::Started { saga, version, fingerprint, inputs, deadline } = first else {
            return Err(Broken::NoBeginning);
        };
        Ok(Run {
            id,
            saga: saga.clone(),
            version: *version,
            fingerprint: *fingerprint,
            inputs: inputs.clone(),
            started: at,
            deadline: deadline.map(|span| at.plus(span)),
            length: 1,
            updated: at,
            calls: Vec::new(),
            phase: RunPhase::Forward,
            cause: None,
            cancel: None,
            reviews: Vec::new(),
            inbox_taken: Vec::new(),
            index: Index::default(),
        })
    }

    /// The run after one more entry, written at `at`. On an error the run is unchanged.
    ///
    /// # Errors
    /// When the entry cannot follow the ones before it.
    pub fn apply(&mut self, entry: &Entry, at: Timestamp) -> Result<(), Broken> {
        let sequence = self.length + 1;
        self.take(entry, at).map_err(|why| Broken::Foreign { sequence, kind: entry.kind(), why })?;
        let about = match entry {
            Entry::ReviewSettled { review, .. } => {
                self.reviews.iter().find(|known| known.number == *review).and_then(|known| known.call)
            }
            _ => entry.call(),
        };
        if let Some(call) = about {
            self.reindex(call);
        }
        self.length = sequence;
        self.updated = at;
        Ok(())
    }

    fn take(&mut self, entry: &Entry, at: Timestamp) -> Result<(), &'static str> {
        if self.ended().is_some() {
            return Err("the run is over");
        }
        let answers =
            matches!(entry, Entry::ReviewSettled { .. } | Entry::DecisionRefused { .. } | Entry::CancelTaken { .. });
        if !answers && self.open_review().is_some() {
            return Err("a review is open: nothing goes on before it is settled");
        }
        let forward = self.phase == RunPhase::Forward;
        match entry {
            Entry::Started { .. } => Err("the run has already started"),
            Entry::StepIntended { call, step, inputs, needs, consumes, pivot } => {
                if !forward {
                    return Err("no forward work may begin during an unwind");
                }
                self.is_next(*call)?;
                needs.iter().chain(consumes).try_for_each(|evidence| self.is_evidence(*evidence))?;
                self.calls.push(CallState::Step(Box::new(StepState {
                    step: step.clone(),
                    inputs: inputs.clone(),
                    needs: needs.clone(),
                    consumes: consumes.clone(),
                    pivot: *pivot,
                    intended: at,
                    status: StepStatus::Open,
                    forward: Attempts { started: 1, running: true, ..Attempts::default() },
                    check: Attempts::default(),
                    undo: Attempts::default(),
                    doubt: None,
                    first_unknown: None,
                    neutralise: false,
                    consumed_by: None,
                    undone: None,
                    kept: false,
                })));
                Ok(())
            }
            Entry::AttemptStarted { call, phase, attempt } => self.attempt_started(*call, *phase, *attempt, forward),
            Entry::AttemptFailed { call, phase, report, error, again_in } => {
                let step = self.running_mut(*call, *phase)?;
                let attempts = step.attempts_mut(*phase);
                attempts.running = false;
                attempts.failed += 1;
                attempts.lost = 0;
                attempts.again = again_in.map(|span| at.plus(span));
                attempts.last = Some((report.clone(), error.clone()));
                if *phase == Phase::Forward && report.class == Class::Unknown {
                    step.doubt_since(at, report.clone());
                }
                Ok(())
            }
            Entry::AttemptLost { call, phase } => {
                let step = self.running_mut(*call, *phase)?;
                let attempts = step.attempts_mut(*phase);
                attempts.running = false;
                attempts.lost += 1;
                let report = lost();
                attempts.last = Some((report.clone(), None));
                attempts.urge = Urge::Repeat;
                if *phase == Phase::Forward {
                    step.doubt_since(at, report);
                }
                Ok(())
            }
            Entry::AttemptInterrupted { call, phase } => {
                let step = self.running_mut(*call, *phase)?;
                let attempts = step.attempts_mut(*phase);
                attempts.running = false;
                attempts.urge = Urge::Repeat;
                let report = crate::saga::FailureReport::seen(
                    Class::Unknown,
                    "interrupted",
                    "the worker was asked to stop before the step answered",
                );
                attempts.last = Some((report.clone(), None));
                if *phase == Phase::Forward {
                    step.doubt_since(at, report);
                }
                Ok(())
            }
            Entry::Looked { call, found, again_in } => {
                let step = self.running_mut(*call, Phase::Check)?;
                step.check.running = false;
                step.check.lost = 0;
                step.check.look = Some(*found);
                step.check.failed += 1;
                step.check.last = None;
                step.check.again = again_in.map(|span| at.plus(span));
                if *found == Look::NotApplied {
                    step.doubt = None;
                    step.forward.urge = Urge::Resend;
                }
                Ok(())
            }
            Entry::StepDone { call, output, by } => self.step_done(*call, output.clone(), *by),
            Entry::StepFailed { call, error } => {
                let step = self.open(*call)?;
                if step.running().is_some() {
                    return Err("an attempt of the step is still running");
                }
                step.status = StepStatus::Failed { error: error.clone() };
                step.doubt = None;
                Ok(())
            }
            Entry::Undone { call, by } => {
                let step = self.step_mut(*call)?;
                step.can_be_undone()?;
                step.undo.running = false;
                step.undone = Some(*by);
                step.doubt = None;
                Ok(())
            }
            Entry::Kept { call } => {
                let step = self.step_mut(*call)?;
                step.can_be_undone()?;
                if step.output().is_none() {
                    return Err("only an effect that is there can be kept");
                }
                step.kept = true;
                Ok(())
            }
            Entry::WaitStarted { call, wait } => {
                if !forward {
                    return Err("no wait may begin during an unwind");
                }
                if self.open_wait().is_some() {
                    return Err("another wait has not ended");
                }
                self.is_next(*call)?;
                let until = match wait {
                    WaitKind::Signal { within, .. } => within.map(|span| at.plus(span)),
                    WaitKind::Sleep { length } => Some(at.plus(*length)),
                };
                self.calls.push(CallState::Wait(WaitState { kind: wait.clone(), until, ended: None }));
                Ok(())
            }
            Entry::SignalReceived { call, signal, payload } => {
                self.wait_mut(*call)?.ended = Some(Some(payload.clone()));
                self.inbox_taken.push(*signal);
                Ok(())
            }
            Entry::WaitElapsed { call } => {
                self.wait_mut(*call)?.ended = Some(None);
                Ok(())
            }
            Entry::ValueDrawn { call, kind, value } => {
                self.is_next(*call)?;
                self.calls.push(CallState::Value { kind: kind.clone(), value: value.clone() });
                Ok(())
            }
            Entry::CancelTaken { request, by, reason } => {
                self.inbox_taken.push(*request);
                self.cancel.get_or_insert((by.clone(), reason.clone()));
                Ok(())
            }
            Entry::UnwindStarted { cause } => {
                if !forward {
                    return Err("the unwind has already begun");
                }
                if self.past_pivot() {
                    return Err("past the pivot nothing is undone");
                }
                self.cause = Some(cause.clone());
                self.phase = RunPhase::Unwinding(cause.clone());
                Ok(())
            }
            Entry::ReviewOpened { review, call, reason, owner, last, first, actions } => {
                if *review as usize != self.reviews.len() + 1 {
                    return Err("reviews are numbered from 1 without gaps");
                }
                if self.running().is_some() {
                    return Err("an attempt is still running");
                }
                if actions.contains(&Action::Compensate) && (self.past_pivot() || call.is_none() && !forward) {
                    return Err("there is nothing left to decide to undo");
                }
                if let Some(call) = call {
                    self.step_mut(*call)?;
                }
                self.reviews.push(Review {
                    number: *review,
                    call: *call,
                    reason: *reason,
                    owner: owner.clone(),
                    last: last.clone(),
                    first: first.clone(),
                    actions: actions.clone(),
                    open: true,
                });
                Ok(())
            }
            Entry::ReviewSettled { review, request, decision, .. } => self.settled(*review, *request, decision),
            Entry::DecisionRefused { request, .. } => {
                self.inbox_taken.push(*request);
                Ok(())
            }
            Entry::Ended { end } => {
                let legal = match end {
                    End::Completed { .. } => forward,
                    End::Refused { .. } | End::Cancelled => !forward,
                    End::Abandoned { .. } => true,
                };
                if !legal {
                    return Err("the run cannot end like this from where it is");
                }
                self.phase = RunPhase::Ended(end.clone());
                Ok(())
            }
        }
    }

    fn attempt_started(
        &mut self,
        call: CallNumber,
        phase: Phase,
        attempt: u32,
        forward: bool,
    ) -> Result<(), &'static str> {
        if phase == Phase::Forward && !forward {
            return Err("no forward work may begin during an unwind");
        }
        let step = self.step_mut(call)?;
        if step.running().is_some() {
            return Err("another attempt of the call is running");
        }
        if phase != Phase::Undo && step.status != StepStatus::Open {
            return Err("the step is settled");
        }
        if phase == Phase::Undo {
            step.can_be_undone()?;
        }
        let attempts = step.attempts_mut(phase);
        if attempt != attempts.started + 1 {
            return Err("attempts are numbered from 1 without gaps");
        }
        attempts.started = attempt;
        attempts.running = true;
        attempts.again = None;
        attempts.urge = Urge::None;
        if phase == Phase::Undo && step.status == StepStatus::Open {
            step.neutralise = true;
        }
        Ok(())
    }

    fn step_done(&mut self, call: CallNumber, output: crate::payload::Payload, by: By) -> Result<(), &'static str> {
        for consumed in self.open(call)?.consumes.clone() {
            self.step_mut(consumed)?;
        }
        let step = self.open(call)?;
        for phase in [Phase::Forward, Phase::Check, Phase::Undo] {
            step.attempts_mut(phase).running = false;
        }
        step.status = StepStatus::Done { output, by };
        step.doubt = None;
        for consumed in step.consumes.clone() {
            self.step_mut(consumed)?.consumed_by = Some(call);
            self.index.unsettled.remove(&consumed);
        }
        Ok(())
    }

    fn settled(&mut self, number: u32, request: u64, decision: &Decision) -> Result<(), &'static str> {
        if number == SET_ASIDE {
            // That question is the store's; here stands only who decided what, and on what evidence.
            self.inbox_taken.push(request);
            return Ok(());
        }
        let Some(index) = self.reviews.iter().position(|review| review.number == number && review.open) else {
            return Err("that review is not open");
        };
        if !self.reviews[index].actions.contains(&decision.action()) {
            return Err("that review does not offer this decision");
        }
        self.inbox_taken.push(request);
        if let Decision::Escalate { owner } = decision {
            self.reviews[index].owner.clone_from(owner);
            return Ok(());
        }
        self.reviews[index].open = false;
        let call = self.reviews[index].call;
        let Some(call) = call else { return Ok(()) };
        let step = self.step_mut(call)?;
        match decision {
            Decision::Retry => {
                let phase = if step.neutralise || step.undo.started > 0 { Phase::Undo } else { Phase::Forward };
                let attempts = step.attempts_mut(phase);
                *attempts = Attempts {
                    started: attempts.started,
                    last: attempts.last.take(),
                    urge: Urge::Asked,
                    ..Attempts::default()
                };
            }
            Decision::Verify => {
                (step.forward.urge, step.forward.lost) = (Urge::None, 0);
                step.check = Attempts { started: step.check.started, urge: Urge::Asked, ..Attempts::default() };
            }
            Decision::Compensate => {
                step.neutralise = true;
                step.undo = Attempts { started: step.undo.started, urge: Urge::Asked, ..Attempts::default() };
            }
            Decision::MarkNotApplied => {
                step.doubt = None;
                step.forward.urge = Urge::Asked;
                step.forward.failed = 0;
            }
            _ => {}
        }
        Ok(())
    }

    fn is_next(&self, call: CallNumber) -> Result<(), &'static str> {
        if call.0 as usize == self.calls.len() { Ok(()) } else { Err("calls are numbered from 0 without gaps") }
    }

    /// Evidence is of a step that completed, and whoever consumed it has it.
    fn is_evidence(&self, call: CallNumber) -> Result<(), &'static str> {
        match self.step(call) {
            Some(step) if step.output().is_some() && step.consumed_by.is_none() => Ok(()),
            _ => Err("the evidence that it names is not there"),
        }
    }

    fn step_mut(&mut self, call: CallNumber) -> Result<&mut StepState, &'static str> {
        match self.calls.get_mut(call.0 as usize) {
            Some(CallState::Step(step)) => Ok(step),
            _ => Err("there is no such step"),
        }
    }

    fn open(&mut self, call: CallNumber) -> Result<&mut StepState, &'static str> {
        let step = self.step_mut(call)?;
        if step.status == StepStatus::Open { Ok(step) } else { Err("the step is settled") }
    }

    fn running_mut(&mut self, call: CallNumber, phase: Phase) -> Result<&mut StepState, &'static str> {
        let step = self.step_mut(call)?;
        if step.attempts(phase).running { Ok(step) } else { Err("no such attempt is running") }
    }

    fn wait_mut(&mut self, call: CallNumber) -> Result<&mut WaitState, &'static str> {
        match self.calls.get_mut(call.0 as usize) {
            Some(CallState::Wait(wait)) if wait.ended.is_none() => Ok(wait),
            _ => Err("there is no such open wait"),
        }
    }
}

impl StepState {
    /// What was undone, consumed or kept, or is known not to be there, is left alone.
    fn can_be_undone(&self) -> Result<(), &'static str> {
        let settled = self.undone.is_some() || self.consumed_by.is_some() || self.kept;
        if settled || matches!(self.status, StepStatus::Failed { .. }) {
            return Err("there is nothing left to undo");
        }
        Ok(())
    }

    /// A new doubt begins a new search: what was looked up before proves nothing about it.
    fn doubt_since(&mut self, at: Timestamp, report: crate::saga::FailureReport) {
        self.doubt = Some(at);
        self.first_unknown.get_or_insert(report);
        self.check = Attempts { started: self.check.started, ..Attempts::default() };
    }
}

/// The report of an attempt whose worker is gone.
pub(crate) fn lost() -> crate::saga::FailureReport {
    crate::saga::FailureReport::seen(
        Class::Unknown,
        "worker_lost",
        "the worker was lost before the step's answer was recorded",
    )
}
