//! A call of a step in a body: named, must be awaited, asks once and is answered once.

use super::evidence::{Done, recorded as evidence};
use super::exchange::{Answer, BodyFault, RequestKind, Saga};
use super::failure::{StepError, StepErrorRecord, Unanswered};
use super::inputs::InputWriter;
use super::step::Step;
use crate::run::CallNumber;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

/// A call of step `S`. It does nothing until it is awaited.
#[must_use = "a step that is not awaited does not run: add `.await`"]
#[derive(Debug)]
pub struct Call<'a, S: Step> {
    saga: &'a mut Saga,
    state: CallState,
    step: PhantomData<fn() -> S>,
}

#[derive(Debug)]
enum CallState {
    Ready(InputWriter),
    Asked(CallNumber),
    Over,
}

impl<'a, S: Step> Call<'a, S> {
    /// Prepares a call. Used by generated code.
    pub fn new(saga: &'a mut Saga, inputs: InputWriter) -> Self {
        Call { saga, state: CallState::Ready(inputs), step: PhantomData }
    }

    fn answered(&self, call: CallNumber, answer: Answer) -> Result<Result<Done<S>, StepError<S::Error>>, BodyFault> {
        let recorded = |source| BodyFault::Recorded { call, source };
        match answer {
            Answer::Done(output) => Ok(Ok(evidence(self.saga.exchange.run(), call, output.read().map_err(recorded)?))),
            Answer::Failed(StepErrorRecord::Failed(error)) => {
                Ok(Err(StepError::Failed(error.read().map_err(recorded)?)))
            }
            Answer::Failed(StepErrorRecord::Unanswered(message)) => {
                Ok(Err(StepError::Unanswered(Unanswered { message })))
            }
            _ => Err(BodyFault::Mismatch { call }),
        }
    }
}

impl<S: Step> Future for Call<'_, S> {
    type Output = Result<Done<S>, StepError<S::Error>>;

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Self::Output> {
        let step = S::CONTRACT.name;
        match std::mem::replace(&mut self.state, CallState::Over) {
            CallState::Ready(inputs) => match inputs.finish() {
                Ok(inputs) => {
                    let call = self.saga.exchange.ask(RequestKind::Step { name: step, inputs });
                    self.state = CallState::Asked(call);
                }
                Err(source) => {
                    let call = self.saga.exchange.next_call();
                    self.saga.exchange.fail(BodyFault::Inputs { call, step, source });
                }
            },
            CallState::Asked(call) => match self.saga.exchange.take_answer() {
                Some(answer) => match self.answered(call, answer) {
                    Ok(result) => return Poll::Ready(result),
                    Err(fault) => self.saga.exchange.fail(fault),
                },
                None => self.state = CallState::Asked(call),
            },
            CallState::Over => {}
        }
        Poll::Pending
    }
}
