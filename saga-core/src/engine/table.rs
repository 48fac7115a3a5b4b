//! The steps an engine can run, with their types erased: payloads in, outcomes out.

use super::attempt::phase_name;
use crate::contract::{Class, StepContract};
use crate::decide::Outcome;
use crate::journal::Phase;
use crate::payload::{Payload, PayloadError};
use crate::run::CallNumber;
use crate::saga::{
    Act, Acted, Answered, AttemptCx, DecodeError, EnvironmentOf, FailureReport, InputReader, Provides, Step, StepCx,
};
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

    #[cfg(feature = "simulate")]
    pub(crate) fn wrap(&mut self, wrap: impl Fn(Arc<dyn AnyStep<P>>) -> Arc<dyn AnyStep<P>>) {
        for step in self.steps.values_mut() {
            *step = wrap(step.clone());
        }
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
        S::act(&InputReader::new(run, &material.inputs, &material.evidence)?, Act::Read).map(drop)
    }

    fn can_be_output(&self, output: &Payload) -> Result<(), PayloadError> {
        output.read::<S::Output>().map(drop)
    }

    fn attempt(&self, environment: Arc<P>, phase: Phase, cx: AttemptCx, material: Material) -> AttemptFuture {
        Box::pin(async move {
            let inputs = InputReader::new(cx.run, &material.inputs, &material.evidence)?;
            let cx = StepCx { env: Arc::new(Whole(environment)), attempt: cx };
            let made = match &material.made {
                Some(made) if phase == Phase::Undo => Some(
                    made.read::<S::Output>()
                        .map_err(|source| DecodeError::Input { name: "the recorded output", source })?,
                ),
                _ => None,
            };
            let act = match phase {
                Phase::Forward => Act::Run(&cx),
                Phase::Check => Act::Check(&cx),
                Phase::Undo => Act::Undo(&cx, made.as_ref()),
            };
            Ok(match S::act(&inputs, act)? {
                Some(attempt) => outcome(attempt.await),
                None => missing(phase),
            })
        })
    }
}

fn outcome(Acted(answered): Acted) -> Outcome {
    match answered {
        Answered::Done(output) => Outcome::Done(output),
        Answered::Undone => Outcome::Undone,
        Answered::Found(found) => Outcome::Found(found),
        Answered::Failed(report, error) => Outcome::Failed(report, error),
        Answered::Unrecordable(error) => unrecordable(&error),
    }
}

/// The effect is there, but its output cannot be kept: for all that the journal can prove, the outcome is unknown.
pub(crate) fn unrecordable(error: &PayloadError) -> Outcome {
    Outcome::Failed(
        FailureReport::seen(Class::Unknown, "unrecordable_output", format!("the step answered, but {error}")),
        None,
    )
}

fn missing(phase: Phase) -> Outcome {
    let what = phase_name(phase);
    let text = format!("the step has no {what}, or the {what} needs an output that is not known");
    Outcome::Failed(FailureReport::seen(Class::Refused, "missing", text), None)
}
