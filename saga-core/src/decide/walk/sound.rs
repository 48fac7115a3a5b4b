//! What must hold of every decision, whatever journal it follows from. Asked by walks and by the fuzzer, in place of `next`.

use super::super::{Next, Situation, next};
use crate::contract::{Idempotency, Needs, Reversibility, StepContract};
use crate::decide::Head;
use crate::journal::{Action, CallState, End, Entry, Phase, Run, RunPhase, StepState, StepStatus, Urge};
use crate::run::CallNumber;

/// Asks what follows, and holds the answer against what every answer must keep.
pub(crate) fn ask(at: &Situation<'_>) -> Next {
    let decided = next(at);
    assert_eq!(decided, next(at), "the same question has two answers");
    let run = at.run;
    match &decided {
        Next::Write(entries) => written(at, entries),
        Next::Poll | Next::Answer(_) => {
            assert_eq!(run.phase, RunPhase::Forward, "the body is driven on although nothing may go forward");
            assert!(
                run.open_review().is_none() && run.running().is_none(),
                "the body is driven on beside something open"
            );
        }
        Next::Rest { until } => {
            assert!(until.is_none_or(|until| until > at.now), "a rest that is over at once is a busy loop");
        }
        Next::Over => assert!(run.ended().is_some(), "over, but not ended"),
        Next::Diverged(why) => assert!(!why.is_empty()),
    }
    assert_eq!(run.ended().is_some(), decided == Next::Over, "terminal is terminal");
    decided
}

/// What is decided must fold, one entry after the other, and each entry must be one that may be written there.
fn written(at: &Situation<'_>, entries: &[Entry]) {
    assert!(!entries.is_empty(), "a write of nothing is a busy loop");
    let mut run = at.run.clone();
    for entry in entries {
        allowed(at, &run, entry);
        let applied = run.apply(entry, at.now.max(run.updated));
        applied.unwrap_or_else(|broken| panic!("what was decided does not fold: {broken}: {entry:?} after {run:#?}"));
        consistent(&run);
    }
}

fn allowed(at: &Situation<'_>, run: &Run, entry: &Entry) {
    let forward = run.phase == RunPhase::Forward;
    let known = |call: CallNumber| -> (&StepState, &'static StepContract) {
        let step = run.step(call).unwrap_or_else(|| panic!("{entry:?} is about a step that was never intended"));
        let contract = at.definition.step(&step.step);
        (step, contract.unwrap_or_else(|| panic!("{entry:?} is about a step that the definition does not have")))
    };
    match entry {
        Entry::StepIntended { .. } | Entry::WaitStarted { .. } | Entry::ValueDrawn { .. } => {
            assert!(forward, "{entry:?} although nothing may go forward");
            assert!(run.open_step().is_none(), "{entry:?} while another step is open");
        }
        Entry::AttemptStarted { call, phase, .. } => {
            let (step, contract) = known(*call);
            assert!(step.running().is_none(), "two attempts of one call");
            match phase {
                Phase::Forward => sent(forward, step, contract),
                Phase::Check => assert!(contract.verification.is_some(), "`{}` cannot be looked up", step.step),
                Phase::Undo => undone(step, contract),
            }
        }
        Entry::StepFailed { call, .. } => {
            let (step, contract) = known(*call);
            let known_absent = step.doubt.is_none() || step.undone.is_some() || contract.is_read_only();
            assert!(known_absent, "`{}` is called failed, but its effect is possible", step.step);
        }
        Entry::Kept { call } => assert_eq!(known(*call).1.reversibility, Reversibility::Kept),
        Entry::UnwindStarted { .. } => assert!(forward && !run.past_pivot(), "an unwind past the pivot: {run:#?}"),
        Entry::ReviewOpened { call, actions, owner, .. } => {
            assert!(actions.contains(&Action::Escalate) && actions.contains(&Action::Abandon) && !owner.is_empty());
            if let Some(call) = call {
                let (step, contract) = known(*call);
                offered(forward, step, contract, actions);
            }
        }
        Entry::Ended { end } => ended(at, run, end),
        _ => {}
    }
}

/// A further forward attempt.
fn sent(forward: bool, step: &StepState, contract: &StepContract) {
    assert!(forward, "`{}` is sent during an unwind", step.step);
    assert_eq!(step.status, StepStatus::Open, "a settled step is sent again");
    assert!(step.undone.is_none() && !step.neutralise, "`{}` is sent again after its undo was called", step.step);
    let once = contract.idempotency == Idempotency::NotIdempotent && !contract.is_read_only();
    let guess = once && step.doubt.is_some() && step.forward.urge != Urge::Asked;
    assert!(!guess, "`{}` may be sent once only, and is sent again on a guess", step.step);
}

/// A call of an undo.
fn undone(step: &StepState, contract: &StepContract) {
    assert!(step.undone.is_none() && step.consumed_by.is_none() && !step.kept, "nothing is left to undo: {step:?}");
    assert!(!matches!(step.status, StepStatus::Failed { .. }), "what is known not to be there is undone: {step:?}");
    let Reversibility::Compensable { needs } = contract.reversibility else {
        panic!("`{}` has no undo", step.step);
    };
    assert!(needs == Needs::Nothing || step.output().is_some(), "the undo of `{}` lacks its output", step.step);
}

/// There is no "retry everything".
fn offered(forward: bool, step: &StepState, contract: &StepContract, actions: &[Action]) {
    let again = actions.contains(&Action::Retry) && step.undo.started == 0 && !step.neutralise && forward;
    let once = contract.idempotency == Idempotency::NotIdempotent && step.status == StepStatus::Open;
    assert!(!(again && once && step.doubt.is_some()), "a retry of `{}` is offered on a guess", step.step);
    assert!(
        !actions.contains(&Action::Verify) || contract.verification.is_some(),
        "`{}` cannot be verified",
        step.step
    );
    let can_undo = matches!(contract.reversibility, Reversibility::Compensable { .. });
    assert!(!actions.contains(&Action::Compensate) || can_undo, "`{}` cannot be compensated", step.step);
}

/// Terminal only with evidence.
fn ended(at: &Situation<'_>, run: &Run, end: &End) {
    for (call, step) in run.steps() {
        let harmless = at.definition.step(&step.step).is_some_and(StepContract::is_read_only);
        let accounted = step.undone.is_some() || step.consumed_by.is_some() || step.kept || harmless;
        let possible = matches!(step.status, StepStatus::Done { .. }) || step.doubt.is_some() || step.forward.running;
        match end {
            End::Completed { .. } => assert_ne!(step.status, StepStatus::Open, "completed with an open step"),
            End::Refused { .. } | End::Cancelled => {
                assert!(accounted || !possible, "undone, but the effect of call {call} is left: {step:?}");
            }
            End::Abandoned { left, .. } => {
                assert!(accounted || !possible || left.contains(&call), "call {call} is left unnamed");
            }
        }
    }
}

/// What the fold keeps to answer quickly is what a walk over the whole run finds, and the head says the same as the run.
pub(crate) fn consistent(run: &Run) {
    let open = run.steps().rfind(|(_, step)| step.status == StepStatus::Open);
    assert_eq!(run.open_step().map(|(call, _)| call), open.map(|(call, _)| call));
    let running = run.steps().find(|(_, step)| step.running().is_some());
    assert_eq!(run.running().map(|(call, _)| call), running.map(|(call, _)| call));
    let waits = run.calls.iter().rposition(|call| matches!(call, CallState::Wait(wait) if wait.ended.is_none()));
    assert_eq!(run.open_wait().map(|(call, _)| call.0 as usize), waits);
    let pivot = |(_, step): (CallNumber, &StepState)| step.pivot && step.may_have_an_effect();
    assert!(run.past_pivot() || !run.steps().any(pivot), "an irreversible effect is overlooked");
    let head = Head::of(run);
    assert_eq!(head.past_pivot, run.past_pivot());
    assert_eq!(head.state.is_terminal(), run.ended().is_some());
}
