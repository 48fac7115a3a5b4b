//! The steps an engine can run, with their types erased: payloads in, outcomes out.

use crate::contract::{Class, StepContract};
use crate::decide::Outcome;
use crate::journal::Phase;
use crate::payload::{Payload, PayloadError};
use crate::run::CallNumber;
use crate::saga::{AttemptCx, DecodeError, EnvironmentOf, FailureReport, Found, InputReader, Provides, Step, StepCx};
use std::collections::HashMap;
use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

/// The steps of one saga, for an engine with environment `P`. Filled by generated code.
pub struct StepTable<P> {
    steps: HashMap<&'static str, Arc<dyn AnyStep<P>>>,
}

/// What one attempt works on.
#[derive(Debug)]
pub(crate) struct Material {
    pub(crate) inputs: Payload,
    pub(crate) evidence: Vec<(CallNumber, Payload)>,
    pub(crate) made: Option<Payload>,
}

pub(crate) type AttemptFuture = Pin<Box<dyn Future<Output = Result<Outcome, DecodeError>> + Send>>;

/// A step whose types are hidden.
pub(crate) trait AnyStep<P>: Send + Sync {
    fn contract(&self) -> &'static StepContract;
    /// Whether the inputs can be read back: asked before they are journaled.
    fn can_read(&self, run: crate::run::RunId, material: &Material) -> Result<(), DecodeError>;
    /// Whether a person's text is an output of this step.
    fn can_be_output(&self, output: &Payload) -> Result<(), PayloadError>;
    fn attempt(&self, environment: Arc<P>, phase: Phase, cx: AttemptCx, material: Material) -> AttemptFuture;
}

impl<P> StepTable<P> {
    pub(crate) fn new() -> Self {
        StepTable { steps: HashMap::new() }
    }

    /// Adds a step.
    pub(crate) fn add<S: Step>(&mut self)
    where
        P: Provides<S::Env>,
    {
        self.steps.insert(S::CONTRACT.name, Arc::new(Typed::<S>(PhantomData)));
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<dyn AnyStep<P>>> {
        self.steps.get(name)
    }
}

impl<P> fmt::Debug for StepTable<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.steps.keys()).finish()
    }
}

struct Typed<S>(PhantomData<fn() -> S>);

/// The engine's whole environment, seen as the part that a step needs.
struct Whole<P>(Arc<P>);

impl<E, P: Provides<E>> EnvironmentOf<E> for Whole<P> {
    fn get(&self) -> &E {
        P::provide(&self.0)
    }
}

impl<S: Step, P: Provides<S::Env>> AnyStep<P> for Typed<S> {
    fn contract(&self) -> &'static StepContract {
        const { &S::CONTRACT }
    }

    fn can_read(&self, run: crate::run::RunId, material: &Material) -> Result<(), DecodeError> {
        S::read(&InputReader::new(run, &material.inputs, &material.evidence)?).map(drop)
    }

    fn can_be_output(&self, output: &Payload) -> Result<(), PayloadError> {
        output.read::<S::Output>().map(drop)
    }

    fn attempt(&self, environment: Arc<P>, phase: Phase, cx: AttemptCx, material: Material) -> AttemptFuture {
        Box::pin(async move {
            let (lent, given) = S::read(&InputReader::new(cx.run, &material.inputs, &material.evidence)?)?;
            let cx = StepCx { env: Arc::new(Whole(environment)), attempt: cx };
            Ok(match phase {
                Phase::Forward => forward::<S>(S::run(&cx, &lent, given).await),
                Phase::Check => match S::check(&cx, &lent, given) {
                    Some(check) => looked_up::<S>(check.await),
                    None => missing("check"),
                },
                Phase::Undo => {
                    let made = match &material.made {
                        Some(made) => Some(
                            made.read::<S::Output>()
                                .map_err(|source| DecodeError::Input { name: "the recorded output", source })?,
                        ),
                        None => None,
                    };
                    match S::undo(&cx, &lent, given, made.as_ref()) {
                        Some(undo) => match undo.await {
                            Ok(()) => Outcome::Undone,
                            Err(report) => Outcome::Failed(report, None),
                        },
                        None => missing("undo"),
                    }
                }
            })
        })
    }
}

fn forward<S: Step>(result: Result<S::Output, S::Error>) -> Outcome {
    match result {
        Ok(output) => match Payload::proven(&output) {
            Ok(output) => Outcome::Done(output),
            Err(error) => unrecordable(&error),
        },
        Err(error) => Outcome::Failed(FailureReport::of(&error), Payload::proven(&error).ok()),
    }
}

fn looked_up<S: Step>(result: Result<Found<S::Output>, FailureReport>) -> Outcome {
    match result {
        Ok(Found::Applied(output)) => match Payload::proven(&output) {
            Ok(output) => Outcome::Found(Found::Applied(output)),
            Err(error) => unrecordable(&error),
        },
        Ok(Found::NotApplied) => Outcome::Found(Found::NotApplied),
        Ok(Found::Pending) => Outcome::Found(Found::Pending),
        Ok(Found::CannotTell) => Outcome::Found(Found::CannotTell),
        Err(report) => Outcome::Failed(report, None),
    }
}

/// The effect is there, but its output cannot be kept: for all that the journal can prove, the outcome is unknown.
pub(crate) fn unrecordable(error: &PayloadError) -> Outcome {
    Outcome::Failed(
        FailureReport::seen(Class::Unknown, "unrecordable_output", format!("the step answered, but {error}")),
        None,
    )
}

fn missing(what: &str) -> Outcome {
    let text = format!("the step has no {what}, or the {what} needs an output that is not known");
    Outcome::Failed(FailureReport::seen(Class::Refused, "missing", text), None)
}
