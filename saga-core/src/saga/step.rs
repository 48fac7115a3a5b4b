//! The trait behind `#[step]`: a contract, the types, and the user's own functions.

use super::context::StepCx;
use super::failure::{Failure, FailureReport, Found};
use super::inputs::{DecodeError, InputReader};
use crate::contract::StepContract;
use crate::journaled::Journaled;
use std::future::Future;
use std::pin::Pin;

/// A boxed attempt.
pub type StepFuture<'a, T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'a>>;

/// A step. `#[step]` implements it for a marker type with the name of the function; it is not meant to be written by hand.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a step", label = "declare it with `#[step(..)]`")]
pub trait Step: Sized + 'static {
    /// What the step promises.
    const CONTRACT: StepContract;
    /// The environment it works in.
    type Env: Send + Sync + 'static;
    /// The inputs that its functions take by reference, as read back from the journal.
    type Lent: Send + Sync + 'static;
    /// The inputs that its functions take by value.
    type Given: Send + 'static;
    /// What it makes.
    type Output: Journaled + Send + Sync + 'static;
    /// How it fails.
    type Error: Failure;

    /// Reads the journaled inputs.
    ///
    /// # Errors
    /// When the journal was written by other code.
    fn read(reader: &InputReader<'_>) -> Result<(Self::Lent, Self::Given), DecodeError>;

    /// One attempt of the effect.
    fn run<'a>(
        cx: &'a StepCx<Self::Env>,
        lent: &'a Self::Lent,
        given: Self::Given,
    ) -> StepFuture<'a, Self::Output, Self::Error>;

    /// One attempt of the undo; `None` if there is none, or if it needs an output and `made` is `None`.
    fn undo<'a>(
        cx: &'a StepCx<Self::Env>,
        lent: &'a Self::Lent,
        given: Self::Given,
        made: Option<&'a Self::Output>,
    ) -> Option<StepFuture<'a, (), FailureReport>> {
        let _ = (cx, lent, given, made);
        None
    }

    /// One lookup of an unknown outcome; `None` if the step is not verifiable.
    fn check<'a>(
        cx: &'a StepCx<Self::Env>,
        lent: &'a Self::Lent,
        given: Self::Given,
    ) -> Option<StepFuture<'a, Found<Self::Output>, FailureReport>> {
        let _ = (cx, lent, given);
        None
    }
}

/// An undo or a check whose error is reported. Used by generated code: written once here, it costs every step nothing.
pub fn reported<'a, T, E: Failure>(
    attempt: impl Future<Output = Result<T, E>> + Send + 'a,
) -> StepFuture<'a, T, FailureReport> {
    Box::pin(async move { attempt.await.map_err(|error| FailureReport::of(&error)) })
}
