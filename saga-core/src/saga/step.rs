//! The trait behind `#[step]`: a contract, the types, and the user's own functions.
//!
//! One function does all that can be done with a step, because every item of an impl costs the user's compiler by itself.

use super::context::StepCx;
use super::failure::{Failure, FailureReport, Found};
use super::inputs::{DecodeError, InputReader};
use crate::contract::StepContract;
use crate::journaled::Journaled;
use crate::payload::{Payload, PayloadError};
use std::fmt;
use std::future::Future;
use std::pin::Pin;

/// A step. `#[step]` implements it for a marker type with the name of the function; it is not meant to be written by hand.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a step", label = "declare it with `#[step(..)]`")]
pub trait Step: Sized + 'static {
    /// What the step promises.
    const CONTRACT: StepContract;
    /// The environment it works in.
    type Env: Send + Sync + 'static;
    /// What it makes.
    type Output: Journaled + Send + Sync + 'static;
    /// How it fails.
    type Error: Failure;

    /// Reads the journaled inputs, and prepares what `act` asks for.
    ///
    /// # Errors
    /// When the journal was written by other code.
    fn act<'a>(inputs: &'a InputReader<'a>, act: Act<'a, Self>) -> Result<Acting<'a>, DecodeError>;
}

/// What is to be done with a step. Used by generated code.
pub enum Act<'a, S: Step> {
    /// Nothing: only the inputs are read.
    Read,
    /// One attempt of the effect.
    Run(&'a StepCx<S::Env>),
    /// One lookup of an unknown outcome.
    Check(&'a StepCx<S::Env>),
    /// One attempt of the undo; what was made, if that is known.
    Undo(&'a StepCx<S::Env>, Option<&'a S::Output>),
}

impl<S: Step> fmt::Debug for Act<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Act::Read => "Read",
            Act::Run(_) => "Run",
            Act::Check(_) => "Check",
            Act::Undo(..) => "Undo",
        })
    }
}

/// An attempt that was prepared; `None` if the step has no such function, or if its undo needs an output that is not known.
pub type Acting<'a> = Option<Pin<Box<dyn Future<Output = Acted> + Send + 'a>>>;

/// How an attempt ended, as it can be journaled. Made by the functions below only.
#[derive(Debug)]
pub struct Acted(pub(crate) Answered);

#[derive(Debug)]
pub(crate) enum Answered {
    Done(Payload),
    Undone,
    Found(Found<Payload>),
    Failed(FailureReport, Option<Payload>),
    /// The effect is there, but its output cannot be kept.
    Unrecordable(PayloadError),
}

/// An attempt of the effect. Used by generated code: written once here, it costs every step nothing.
pub fn ran<'a, S: Step>(attempt: impl Future<Output = Result<S::Output, S::Error>> + Send + 'a) -> Acting<'a> {
    Some(Box::pin(async move {
        Acted(match attempt.await {
            Ok(output) => recorded(&output, Answered::Done),
            Err(error) => Answered::Failed(FailureReport::of(&error), Payload::proven(&error).ok()),
        })
    }))
}

/// A lookup, likewise.
pub fn checked<'a, S: Step, E: Failure>(
    attempt: impl Future<Output = Result<Found<S::Output>, E>> + Send + 'a,
) -> Acting<'a> {
    Some(Box::pin(async move {
        Acted(match attempt.await {
            Ok(Found::Applied(output)) => recorded(&output, |output| Answered::Found(Found::Applied(output))),
            Ok(Found::NotApplied) => Answered::Found(Found::NotApplied),
            Ok(Found::Pending) => Answered::Found(Found::Pending),
            Ok(Found::CannotTell) => Answered::Found(Found::CannotTell),
            Err(error) => Answered::Failed(FailureReport::of(&error), None),
        })
    }))
}

/// An undo, likewise.
pub fn undone<'a, E: Failure>(attempt: impl Future<Output = Result<(), E>> + Send + 'a) -> Acting<'a> {
    Some(Box::pin(async move {
        Acted(match attempt.await {
            Ok(()) => Answered::Undone,
            Err(error) => Answered::Failed(FailureReport::of(&error), None),
        })
    }))
}

fn recorded<T: Journaled>(output: &T, answer: impl FnOnce(Payload) -> Answered) -> Answered {
    Payload::proven(output).map_or_else(Answered::Unrecordable, answer)
}
