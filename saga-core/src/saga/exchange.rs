//! How a body asks and is answered: the one place through which a body and whoever drives it talk.
//!
//! Decides call numbers. A body that is polled either leaves a request here or has been answered; it never sees a store, a
//! clock or a cancel: suspension means only that it is not polled again.

use super::failure::StepErrorRecord;
use super::inputs::{EncodeError, WrittenInputs};
use crate::payload::{Payload, PayloadError};
use crate::run::{CallNumber, RunId};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The handle of a body to its run: the first argument of every call in it. Only the runtime makes one.
#[derive(Debug)]
pub struct Saga {
    pub(crate) exchange: Exchange,
}

/// What a body asks for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Request {
    pub(crate) call: CallNumber,
    pub(crate) kind: RequestKind,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum RequestKind {
    Step { name: &'static str, inputs: WrittenInputs },
    Signal { name: &'static str, within: Option<Duration> },
    Sleep { length: Duration },
    Now,
    Uuid,
}

/// What it is answered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Done(Payload),
    Failed(StepErrorRecord),
    Signal(Option<Payload>),
    Slept,
    Value(Payload),
}

/// Why a body cannot go on although nothing is wrong with the world.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum BodyFault {
    #[error("call {call} (`{step}`) cannot be journaled: {source}")]
    Inputs { call: CallNumber, step: &'static str, source: EncodeError },
    #[error("what call {call} recorded cannot be read by this code: {source}")]
    Recorded { call: CallNumber, source: PayloadError },
    #[error("the body asked for a step and was answered with something else at call {call}")]
    Mismatch { call: CallNumber },
    #[error("the body awaits something that is not journaled")]
    NotJournaled,
    #[error("the body panicked: {0}")]
    Panicked(String),
}

#[derive(Debug, Default)]
struct State {
    next: u32,
    asked: Option<Request>,
    answer: Option<Answer>,
    fault: Option<BodyFault>,
}

#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    run: RunId,
    state: Arc<Mutex<State>>,
}

impl Exchange {
    pub(crate) fn new(run: RunId) -> Self {
        Exchange { run, state: Arc::default() }
    }

    pub(crate) fn run(&self) -> RunId {
        self.run
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        // Nothing in here can panic half way, so a poisoned lock still guards a sound state.
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn ask(&self, kind: RequestKind) -> CallNumber {
        self.with(|state| {
            let call = CallNumber(state.next);
            state.next += 1;
            state.asked = Some(Request { call, kind });
            call
        })
    }

    pub(crate) fn next_call(&self) -> CallNumber {
        self.with(|state| CallNumber(state.next))
    }

    pub(crate) fn take_answer(&self) -> Option<Answer> {
        self.with(|state| state.answer.take())
    }

    pub(crate) fn fail(&self, fault: BodyFault) {
        self.with(|state| {
            state.fault.get_or_insert(fault);
        });
    }

    pub(crate) fn answer(&self, answer: Answer) {
        self.with(|state| state.answer = Some(answer));
    }

    pub(crate) fn take_request(&self) -> Result<Option<Request>, BodyFault> {
        self.with(|state| match state.fault.take() {
            Some(fault) => Err(fault),
            None => Ok(state.asked.take()),
        })
    }
}
