//! What a body may wait for besides steps: signals and time; and the values it may draw: `now` and `new_uuid`.
//!
//! All are journaled, so that a replay sees what the first execution saw.

use super::exchange::{Answer, BodyFault, RequestKind, Saga};
use super::message::Signal;
use crate::contract::duration::LONGEST;
use crate::payload::Payload;
use crate::run::{CallNumber, Timestamp};
use std::future::{Future, IntoFuture, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;
use uuid::Uuid;

type Wait<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Asks and waits for the answer; `read` turns it into the value.
fn ask<'a, T: Send + 'a>(
    saga: &'a mut Saga,
    kind: RequestKind,
    read: impl Fn(CallNumber, Answer) -> Result<T, BodyFault> + Send + 'a,
) -> Wait<'a, T> {
    let mut kind = Some(kind);
    let mut asked = None;
    Box::pin(poll_fn(move |_| {
        match (kind.take(), asked) {
            (Some(kind), _) => asked = Some(saga.exchange.ask(kind)),
            (None, Some(call)) => {
                if let Some(answer) = saga.exchange.take_answer() {
                    match read(call, answer) {
                        Ok(value) => return Poll::Ready(value),
                        Err(fault) => saga.exchange.fail(fault),
                    }
                }
            }
            (None, None) => {}
        }
        Poll::Pending
    }))
}

/// Waits for a signal of type `M`. Say for how long: `.within(..)`, or `.forever()`.
///
/// Signals are durable on arrival and are delivered in order, each once, also those that came before the wait began.
pub fn signal<M: Signal>(saga: &mut Saga) -> SignalWait<'_, M> {
    SignalWait { saga, name: M::NAME, read: received::<M> }
}

/// A wait for a signal whose end is not yet said.
#[must_use = "say how long to wait, `.within(..)` or `.forever()`, and await it"]
#[derive(Debug)]
pub struct SignalWait<'a, M> {
    saga: &'a mut Saga,
    name: &'static str,
    read: fn(CallNumber, Option<Payload>) -> Result<Option<M>, BodyFault>,
}

impl<'a, M: Send + 'a> SignalWait<'a, M> {
    /// Waits at most `limit`, counted by the store's clock from when the wait is first reached; a restart does not begin it
    /// anew. `None` when the time is over. At most 36,500 days; longer is shortened to that.
    pub fn within(self, limit: Duration) -> Wait<'a, Option<M>> {
        let kind = RequestKind::Signal { name: self.name, within: Some(limit.min(LONGEST)) };
        let read = self.read;
        ask(self.saga, kind, move |call, answer| match answer {
            Answer::Signal(payload) => read(call, payload),
            _ => Err(BodyFault::Mismatch { call }),
        })
    }

    /// Waits until the signal comes, without an end but the saga's deadline.
    pub fn forever(self) -> Wait<'a, M> {
        let read = self.read;
        ask(self.saga, RequestKind::Signal { name: self.name, within: None }, move |call, answer| match answer {
            Answer::Signal(payload) => read(call, payload)?.ok_or(BodyFault::Mismatch { call }),
            _ => Err(BodyFault::Mismatch { call }),
        })
    }
}

/// Exists so that forgetting the end of a wait is reported by `#[saga]`, in words, and not as a missing `Future`.
impl<'a, M: Send + 'a> IntoFuture for SignalWait<'a, M> {
    type Output = M;
    type IntoFuture = Wait<'a, M>;
    fn into_future(self) -> Self::IntoFuture {
        self.forever()
    }
}

fn received<M: Signal>(call: CallNumber, payload: Option<Payload>) -> Result<Option<M>, BodyFault> {
    payload.map(|payload| payload.read().map_err(|source| BodyFault::Recorded { call, source })).transpose()
}

/// Lets time pass, by the store's clock: at most 36,500 days; longer is shortened to that.
pub fn sleep(saga: &mut Saga, length: Duration) -> Wait<'_, ()> {
    ask(saga, RequestKind::Sleep { length: length.min(LONGEST) }, |call, answer| match answer {
        Answer::Slept => Ok(()),
        _ => Err(BodyFault::Mismatch { call }),
    })
}

/// The time by the store's clock, journaled: a replay sees the same.
pub fn now(saga: &mut Saga) -> Wait<'_, Timestamp> {
    ask(saga, RequestKind::Now, value)
}

/// A random identity, journaled: a replay sees the same. Not called `uuid`: imported, that would hide the crate of that name.
pub fn new_uuid(saga: &mut Saga) -> Wait<'_, Uuid> {
    ask(saga, RequestKind::Uuid, value)
}

fn value<T: crate::journaled::Journaled>(call: CallNumber, answer: Answer) -> Result<T, BodyFault> {
    match answer {
        Answer::Value(payload) => payload.read().map_err(|source| BodyFault::Recorded { call, source }),
        _ => Err(BodyFault::Mismatch { call }),
    }
}
