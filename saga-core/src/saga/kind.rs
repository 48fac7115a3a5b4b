//! The trait behind `#[saga]`: a definition, the types, and the user's own body.

use super::exchange::Saga;
use super::inputs::{DecodeError, EncodeError, InputReader, InputWriter};
use crate::definition::Definition;
use crate::engine::StepTable;
use crate::journaled::Journaled;
use crate::payload::Payload;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;

/// A boxed body.
pub type BodyFuture<'a, T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'a>>;

/// The body of a saga as a value: a future that may move to another thread, because the engine's workers share threads.
///
/// It has no supertraits on purpose: with them the compiler would speak of `Send` in its own words.
#[diagnostic::on_unimplemented(
    message = "this saga cannot move to another thread, as the engine's workers need it to",
    label = "its body holds a value across an `.await` that is not `Send`, such as an `Rc`, a `RefCell`'s guard or a raw pointer",
    note = "drop the value before the `.await`, in a block of its own if need be, or use one that is `Send`, such as an `Arc`"
)]
pub trait Body<'a, T, E>: Sized {
    /// Boxes it. Used by generated code.
    fn boxed(self) -> BodyFuture<'a, T, E>;
}

#[diagnostic::do_not_recommend]
impl<'a, T, E, F: Future<Output = Result<T, E>> + Send + 'a> Body<'a, T, E> for F {
    fn boxed(self) -> BodyFuture<'a, T, E> {
        Box::pin(self)
    }
}

/// Boxes a body; asks, at the saga's name, whether it may move. Used by generated code.
pub fn boxed<'a, T, E>(body: impl Body<'a, T, E>) -> BodyFuture<'a, T, E> {
    body.boxed()
}

/// A saga. `#[saga]` implements it for a marker type with the name of the function; it is not meant to be written by hand.
#[diagnostic::on_unimplemented(message = "`{Self}` is not a saga", label = "declare it with `#[saga(..)]`")]
pub trait SagaType: Sized + 'static {
    /// The machine.
    const DEFINITION: Definition;
    /// Its parameters.
    type Inputs: Send + 'static;
    /// What it ends with.
    type Output: Journaled + Send + 'static;
    /// Why it was refused.
    type Error: Journaled + std::fmt::Display + Send + 'static;

    /// Reads the journaled parameters.
    ///
    /// # Errors
    /// When the journal was written by other code.
    fn read(reader: &InputReader<'_>) -> Result<Self::Inputs, DecodeError>;

    /// The body.
    fn body(saga: &mut Saga, inputs: Self::Inputs) -> BodyFuture<'_, Self::Output, Self::Error>;
}

/// A saga all of whose steps an engine with environment `P` can run. Implemented by `#[saga]`.
#[diagnostic::on_unimplemented(
    message = "an engine with environment `{P}` cannot run the saga `{Self}`",
    label = "one of its steps needs an environment that `{P}` does not provide"
)]
pub trait RunsOn<P>: SagaType {
    /// Adds its steps to those the engine can run.
    fn register(table: &mut StepTable<P>);
}

/// A saga that waits for signals of type `M`. Implemented by `#[saga]` for every `signal::<M>(cx)` in the body.
#[diagnostic::on_unimplemented(
    message = "the saga `{Self}` never waits for `{M}`",
    label = "sent to a saga that has no `signal::<{M}>(cx)`"
)]
pub trait Awaits<M>: SagaType {}

/// A request to start saga `S`: what calling a saga's function gives. Hand it to an engine or a client.
#[must_use = "a saga that is not handed to `engine.start(..)` does not run"]
#[derive(Debug)]
pub struct Start<S> {
    pub(crate) inputs: Result<Payload, EncodeError>,
    saga: PhantomData<fn() -> S>,
}

impl<S: SagaType> Start<S> {
    /// Prepares a start. Used by generated code.
    pub fn new(inputs: InputWriter) -> Self {
        Start { inputs: inputs.finish().map(|written| written.payload), saga: PhantomData }
    }
}
