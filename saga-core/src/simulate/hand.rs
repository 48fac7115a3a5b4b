//! The hand between the engine and a step: it lets attempts fail, get lost and come late, and holds each to its rules.
//!
//! Decides what may happen around an attempt, by the step's declared class. The step itself is the user's own code, or its
//! declared output.

use super::choice::Choice;
use super::store::Stage;
use super::verdict;
use crate::contract::{Class, Idempotency, Reversibility, StepContract};
use crate::decide::Outcome;
use crate::engine::table::{AnyStep, AttemptFuture, Material};
use crate::journal::Phase;
use crate::payload::{Payload, PayloadError};
use crate::run::RunId;
use crate::saga::{AttemptCx, DecodeError, FailureReport, Found};
use std::sync::Arc;
use std::time::Duration;

/// How late an effect comes where no settle window says what is possible.
const LATE: Duration = Duration::from_secs(1);

/// What a step gives where the user's own code does not run.
pub(crate) type Declared = Arc<dyn Fn() -> Result<Payload, PayloadError> + Send + Sync>;

pub(crate) struct Hand<P> {
    pub(crate) step: Arc<dyn AnyStep<P>>,
    pub(crate) stage: Arc<Stage>,
    pub(crate) worker: u32,
    pub(crate) declared: Option<Declared>,
}

impl<P: Send + Sync + 'static> AnyStep<P> for Hand<P> {
    fn contract(&self) -> &'static StepContract {
        self.step.contract()
    }

    fn can_read(&self, run: RunId, material: &Material) -> Result<(), DecodeError> {
        self.step.can_read(run, material)
    }

    fn can_be_output(&self, output: &Payload) -> Result<(), PayloadError> {
        self.step.can_be_output(output)
    }

    fn attempt(&self, environment: Arc<P>, phase: Phase, cx: AttemptCx, material: Material) -> AttemptFuture {
        let hand = Hand {
            step: self.step.clone(),
            stage: self.stage.clone(),
            worker: self.worker,
            declared: self.declared.clone(),
        };
        Box::pin(async move { hand.perform(environment, phase, cx, material).await })
    }
}

impl<P: Send + Sync + 'static> Hand<P> {
    async fn perform(
        self,
        environment: Arc<P>,
        phase: Phase,
        cx: AttemptCx,
        material: Material,
    ) -> Result<Outcome, DecodeError> {
        let (stage, worker, contract) = (self.stage.clone(), self.worker, self.contract());
        stage.director.gate(worker).await;
        let what = match phase {
            Phase::Forward => "runs",
            Phase::Check => "checks",
            Phase::Undo => "undoes",
        };
        let place = format!("worker {worker} {what} {} ({}), attempt {}", contract.name, cx.call, cx.attempt);
        if let Some(fault) = verdict::before(&stage, contract, phase, &cx).await {
            stage.director.fault(format!("{place}: {fault}"));
        }
        let digest = stage.digest(cx.run, &place).await;
        let lost = |class, words: &str| Ok(Outcome::Failed(FailureReport::seen(class, "simulated", words), None));
        match stage.director.at(place, options(contract, phase), digest).await {
            Choice::Transient => lost(Class::Transient, "try again"),
            Choice::Refused => lost(Class::Refused, "refused"),
            Choice::RequestLost => lost(Class::Unknown, "the request was lost"),
            Choice::Pending => Ok(Outcome::Found(Found::Pending)),
            Choice::CannotTell => Ok(Outcome::Found(Found::CannotTell)),
            Choice::DieBefore => stage.director.die(worker).await,
            Choice::DieAfter => {
                let _ = self.act(environment, phase, cx, material).await;
                stage.director.die(worker).await
            }
            Choice::ReplyLost => {
                self.act(environment, phase, cx, material).await?;
                lost(Class::Unknown, "the reply was lost")
            }
            Choice::Late => {
                let late = contract.verification.map_or(LATE, |verification| verification.settle / 2);
                tokio::spawn(async move {
                    tokio::time::sleep(late).await;
                    let _ = self.act(environment, phase, cx, material).await;
                });
                lost(Class::Unknown, "it takes its time")
            }
            _ => self.act(environment, phase, cx, material).await,
        }
    }

    /// What really happens out there.
    async fn act(
        self,
        environment: Arc<P>,
        phase: Phase,
        cx: AttemptCx,
        material: Material,
    ) -> Result<Outcome, DecodeError> {
        let contract = self.contract();
        let world = &self.stage.world;
        let (key, made) = (cx.effect_key.clone(), material.made.clone());
        if let Some(declared) = &self.declared {
            if phase == Phase::Forward {
                took_place(world, contract, &key);
            }
            let output = || declared().map_err(|source| DecodeError::Input { name: "the declared output", source });
            return Ok(match phase {
                Phase::Forward => Outcome::Done(output()?),
                Phase::Check if world.holds(&key) => Outcome::Found(Found::Applied(output()?)),
                Phase::Check => Outcome::Found(Found::NotApplied),
                Phase::Undo => {
                    world.revert(&key);
                    Outcome::Undone
                }
            });
        }
        let (asked, there) = (world.asked(), world.holds(&key));
        let place = format!("{} ({})", contract.name, cx.call);
        let outcome = self.step.attempt(environment, phase, cx, material).await?;
        if world.asked() > asked + 1 {
            world.speaks(contract.name);
        }
        let speaks = world.is_spoken_to_by(contract.name);
        match (&outcome, phase) {
            (Outcome::Done(_), Phase::Forward) if !speaks => took_place(world, contract, &key),
            (Outcome::Undone, Phase::Undo) if !speaks => drop(world.revert(&key)),
            (Outcome::Undone, Phase::Undo) if world.holds(&key) => self.stage.director.fault(format!(
                "the undo of {place} says that it is undone, and the effect is still there{}",
                if made.is_none() { ": it was called without an output, because the outcome was unknown" } else { "" }
            )),
            (Outcome::Failed(report, _), Phase::Undo) if report.class == Class::Refused && !there => {
                self.stage.director.fault(format!(
                    "the undo of {place} refuses although there is nothing to undo ({}): an undo may come twice, or where \
                     nothing took place",
                    report.message
                ));
            }
            (Outcome::Found(Found::NotApplied), Phase::Check) if there => {
                self.stage.director.fault(format!("the check of {place} says that it is not there, and it is"));
            }
            (Outcome::Found(Found::Applied(_)), Phase::Check) if !there && !contract.is_read_only() => {
                self.stage.director.fault(format!("the check of {place} says that it is there, and it is not"));
            }
            _ => {}
        }
        Ok(outcome)
    }
}

/// The effect, where the step itself does not speak to the simulated world: as its class declares it.
fn took_place(world: &super::World, contract: &StepContract, key: &str) {
    match (contract.reversibility, contract.idempotency) {
        (Reversibility::ReadOnly, _) => {}
        (_, Idempotency::NotIdempotent) => world.add(key),
        _ => drop(world.apply(key)),
    }
}

fn options(contract: &StepContract, phase: Phase) -> Vec<Choice> {
    let mut options = vec![Choice::Go, Choice::Transient, Choice::DieBefore, Choice::DieAfter];
    match phase {
        Phase::Forward => {
            options.extend([Choice::RequestLost, Choice::ReplyLost]);
            options.extend((!contract.retriable).then_some(Choice::Refused));
            // Where the other side cannot refuse what comes after its undo, and no window says how late an effect may come,
            // nobody could be right.
            let window = contract.verification.is_some_and(|verification| !verification.settle.is_zero());
            let late = window || contract.undo_is_safe_when_absent();
            options.extend(late.then_some(Choice::Late));
        }
        Phase::Check => options.extend([Choice::Pending, Choice::CannotTell]),
        Phase::Undo => options.extend([Choice::RequestLost, Choice::ReplyLost, Choice::Refused]),
    }
    options
}
