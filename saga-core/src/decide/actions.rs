//! Which decisions are offered for a question: they follow from the step's class. There is no "retry everything".

use crate::contract::{Needs, Reversibility, StepContract};
use crate::journal::{Action, Reason, Run, RunPhase};
use crate::run::CallNumber;

/// The decisions that may be taken about a run that is set aside. None of them needs its journal to be readable, or its
/// definition to be known.
pub fn actions_aside(reason: Reason) -> Vec<Action> {
    match reason {
        Reason::CrashLoop => vec![Action::Retry, Action::Escalate, Action::Abandon],
        // The run is tried again by itself; what is broken or missing does not mend because a person asks once more.
        _ => vec![Action::Escalate, Action::Abandon],
    }
}

/// The decisions that may be taken, in the order in which they should be considered.
pub fn legal_actions(
    reason: Reason,
    run: &Run,
    call: Option<CallNumber>,
    contract: Option<&StepContract>,
) -> Vec<Action> {
    let mut actions = Vec::new();
    let forward = run.phase == RunPhase::Forward;
    let step = call.and_then(|call| run.step(call));
    let (Some(step), Some(contract)) = (step, contract) else {
        if forward {
            actions.push(Action::Retry);
            if !run.past_pivot() {
                actions.push(Action::Compensate);
            }
        }
        actions.extend([Action::Escalate, Action::Abandon]);
        return actions;
    };
    let undoing =
        matches!(reason, Reason::UndoFailed | Reason::UndoRefused) || step.neutralise || step.undo.started > 0;
    if undoing {
        if !contract.is_irreversible() {
            actions.push(Action::Retry);
        }
        actions.push(Action::MarkUndone);
    } else {
        if contract.verification.is_some() && step.doubt.is_some() {
            actions.push(Action::Verify);
        }
        if forward && (contract.may_be_sent_again() || step.doubt.is_none()) {
            actions.push(Action::Retry);
        }
        let can_be_undone = match contract.reversibility {
            Reversibility::Compensable { needs: Needs::Nothing } => true,
            Reversibility::Compensable { needs: Needs::Output } => step.output().is_some(),
            _ => false,
        };
        if can_be_undone && !run.past_pivot() {
            actions.push(Action::Compensate);
        }
        actions.extend([Action::MarkApplied, Action::MarkNotApplied]);
    }
    actions.extend([Action::Escalate, Action::Abandon]);
    actions
}
