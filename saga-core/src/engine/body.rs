//! A body in memory: builds it, polls it, and says where it is. Nothing wakes a body but its driver.

use crate::decide::BodyAt;
use crate::payload::{Payload, PayloadError};
use crate::run::RunId;
use crate::saga::{Answer, BodyFault, DecodeError, Exchange, InputReader, Saga, SagaType};
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

type Returned = Result<Result<Payload, (Payload, String)>, PayloadError>;

pub(crate) struct Body {
    future: Option<Pin<Box<dyn Future<Output = Returned> + Send>>>,
    exchange: Exchange,
}

impl Body {
    /// Builds the body of saga `S` for a run.
    pub(crate) fn build<S: SagaType>(run: RunId, inputs: &Payload) -> Result<Body, DecodeError> {
        let inputs = S::read(&InputReader::new(run, inputs, &[])?)?;
        let exchange = Exchange::new(run);
        let mut saga = Saga { exchange: exchange.clone() };
        let future: Pin<Box<dyn Future<Output = Returned> + Send>> = Box::pin(async move {
            match S::body(&mut saga, inputs).await {
                Ok(output) => Payload::proven(&output).map(Ok),
                Err(error) => {
                    Payload::proven(&error).map(|payload| Err((payload, crate::saga::cut(&error.to_string()))))
                }
            }
        });
        Ok(Body { future: Some(future), exchange })
    }

    pub(crate) fn answer(&self, answer: Answer) {
        self.exchange.answer(answer);
    }

    /// Polls until it asks, returns or is stuck. A panic of the user's code ends here.
    pub(crate) fn poll(&mut self) -> BodyAt {
        let Some(future) = &mut self.future else { return BodyAt::Stuck(BodyFault::NotJournaled.to_string()) };
        let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut Context::from_waker(Waker::noop()))));
        let fault = match polled {
            Ok(Poll::Ready(Ok(returned))) => return BodyAt::Returned(returned),
            Ok(Poll::Ready(Err(error))) => return BodyAt::Stuck(format!("what the body returned: {error}")),
            Ok(Poll::Pending) => match self.exchange.take_request() {
                Ok(Some(request)) => return BodyAt::Asks(request),
                Ok(None) => BodyFault::NotJournaled,
                Err(fault) => fault,
            },
            Err(panic) => BodyFault::Panicked(panic_message(panic.as_ref())),
        };
        BodyAt::Stuck(fault.to_string())
    }
}

impl Drop for Body {
    /// A value of the body that panics when it is dropped ends here too: the run goes on without its body.
    fn drop(&mut self) {
        let future = self.future.take();
        let dropped = catch_unwind(AssertUnwindSafe(|| drop(future)));
        if let Err(panic) = dropped {
            let message = panic_message(panic.as_ref());
            tracing::warn!(run = %self.exchange.run(), message, "a value of the body panicked when it was dropped");
        }
    }
}

impl std::fmt::Debug for Body {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Body").finish_non_exhaustive()
    }
}

/// Polls a future of the user's; a panic in it is its end, in words.
pub(crate) async fn caught<F: Future>(future: F) -> Result<F::Output, String> {
    let mut future = std::pin::pin!(future);
    std::future::poll_fn(move |context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => Poll::Ready(Err(panic_message(panic.as_ref()))),
    })
    .await
}

/// The words of a panic.
pub(crate) fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    crate::saga::cut(text.unwrap_or("a panic without words"))
}
