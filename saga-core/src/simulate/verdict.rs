//! What must hold, whatever went wrong: before each attempt, and when a run has come to rest.
//!
//! Decides right and wrong from the ledger and the journal alone; knows nothing of schedules.

use super::store::Stage;
use super::world::World;
use crate::contract::{Idempotency, Reversibility, StepContract};
use crate::decide::State;
use crate::definition::Definition;
use crate::engine::codec::load;
use crate::engine::key_of;
use crate::engine::seal::Seal;
use crate::journal::{Phase, Run, RunPhase, StepStatus};
use crate::run::{CallNumber, RunId};
use crate::saga::AttemptCx;
use crate::store::{Page, ReviewRow, Store};

/// Where a run came to rest, for the user's own checks.
#[derive(Debug)]
pub struct End {
    /// Its state.
    pub state: State,
    /// The run, folded from its journal.
    pub run: Run,
    /// The world outside.
    pub world: World,
    /// The question that is open, if one is.
    pub review: Option<ReviewRow>,
}

/// What is wrong with an attempt that is about to be made.
pub(crate) async fn before(stage: &Stage, contract: &StepContract, phase: Phase, cx: &AttemptCx) -> Option<String> {
    let run = match load(&stage.store, &Seal::default(), cx.run).await {
        Ok(run) => run,
        Err(error) => return Some(format!("the journal cannot be read: {error}")),
    };
    let row = stage.store.run(cx.run).await.ok().flatten()?;
    if row.fence != cx.fence.epoch {
        return Some(format!(
            "a worker acts that has lost the run (its fence is {}, now {})",
            cx.fence.epoch, row.fence
        ));
    }
    let Some(step) = run.step(cx.call) else { return Some("it is sent before its intent is durable".to_owned()) };
    if run.running() != Some((cx.call, phase)) || step.attempts(phase).started != cx.attempt {
        return Some("it is sent before this attempt is durable".to_owned());
    }
    if run.ended().is_some() {
        return Some("the run has ended".to_owned());
    }
    match phase {
        Phase::Forward if run.phase != RunPhase::Forward => Some("forward work after the unwind began".to_owned()),
        Phase::Undo if step.consumed_by.is_some() => Some("its obligation was consumed".to_owned()),
        Phase::Undo if step.undone.is_some() => Some("it is undone already".to_owned()),
        Phase::Undo if contract.is_irreversible() => Some("it is irreversible".to_owned()),
        Phase::Undo if run.past_pivot() && run.phase != RunPhase::Forward => {
            Some("an unwind past the pivot".to_owned())
        }
        Phase::Undo if matches!(run.phase, RunPhase::Unwinding(_)) => {
            let owed = |name: &str| {
                let contract = stage.definition.step(name);
                contract.is_some_and(|contract| matches!(contract.reversibility, Reversibility::Compensable { .. }))
            };
            let later = run.unsettled_steps().rfind(|(call, step)| *call > cx.call && owed(&step.step));
            later.map(|(later, _)| format!("call {later} came later and is not undone yet"))
        }
        _ => None,
    }
}

/// What is wrong with the end of a run.
pub(crate) fn after(end: &End, definition: &Definition) -> Option<String> {
    let key = |call, step: &str, phase| key_of(end.run.id, call, step, phase);
    let known: Vec<String> = end
        .run
        .steps()
        .flat_map(|(call, step)| [Phase::Forward, Phase::Undo].map(|phase| key(call, &step.step, phase)))
        .collect();
    if let Some(stray) = end.world.keys().into_iter().find(|key| !known.contains(key)) {
        return Some(format!("an effect is there under `{stray}`, which is no call's key: pass `cx.key()` on"));
    }
    for (call, step) in end.run.steps() {
        let Some(contract) = definition.step(&step.step) else { continue };
        let there = end.world.times(&key(call, &step.step, Phase::Forward));
        if let Some(wrong) = of_call(end, contract, call, there) {
            return Some(format!("`{}` ({call}): {wrong}", step.step));
        }
    }
    if end.state == State::Review && end.review.as_ref().is_none_or(|review| review.owner.is_empty()) {
        return Some("it rests for a review that is nobody's".to_owned());
    }
    None
}

fn of_call(end: &End, contract: &StepContract, call: CallNumber, there: u32) -> Option<String> {
    if contract.is_read_only() {
        return (there > 0).then(|| "it is declared `read_only`, and it has an effect".to_owned());
    }
    let step = end.run.step(call)?;
    let asked = end.state == State::Review || end.state == State::Abandoned;
    if there > 1 {
        let class = if contract.idempotency == Idempotency::NotIdempotent {
            "must not be sent twice"
        } else {
            "is declared idempotent"
        };
        return Some(format!("it took effect {there} times, and it {class}"));
    }
    if step.undone.is_some() {
        return (there > 0).then(|| "the journal says that it is undone, and it is there".to_owned());
    }
    match &step.status {
        // An undo that was sent and never answered for leaves it open whether the effect is still there.
        StepStatus::Done { .. } if asked && step.undo.started > 0 => None,
        StepStatus::Done { .. } if there == 0 && step.consumed_by.is_none() => {
            Some("the journal says that it is done, and it is not there".to_owned())
        }
        StepStatus::Done { .. } => {
            let undone = matches!(end.state, State::Refused | State::Cancelled);
            let owed = matches!(contract.reversibility, Reversibility::Compensable { .. })
                && step.consumed_by.is_none()
                && !step.kept;
            (undone && owed).then(|| "the run ended undone, and this is left".to_owned())
        }
        StepStatus::Failed { .. } if there > 0 => Some("the body was told that it is not there, and it is".to_owned()),
        StepStatus::Failed { .. } => None,
        StepStatus::Open if asked => None,
        StepStatus::Open if end.state.is_terminal() && there > 0 && !step.kept => {
            Some("the run ended, and nobody accounts for this effect".to_owned())
        }
        StepStatus::Open => None,
    }
}

/// The end of a run as it lies in the store.
pub(crate) async fn end(stage: &Stage, run: RunId) -> Result<End, String> {
    let folded = load(&stage.store, &Seal::default(), run).await.map_err(|error| error.to_string())?;
    let row = stage.store.run(run).await.ok().flatten().ok_or("the run is not in the store")?;
    if row.quarantined.is_some() {
        return Err(format!("the run was set aside: {}", row.quarantined.unwrap_or_default()));
    }
    let open = stage.store.reviews(true, Page::first(10)).await.map_err(|error| error.to_string())?;
    let review = open.into_iter().find(|review| review.run == run);
    Ok(End { state: row.state, run: folded, world: stage.world.clone(), review })
}
