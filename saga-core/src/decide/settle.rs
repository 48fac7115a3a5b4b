//! Settling what is not known: checks with a settle window, and what remains where evidence runs out.

use super::forward::last;
use super::{CRASH_LIMIT, Next, Situation, start, unwind};
use crate::contract::{Class, OnUnknown, StepContract};
use crate::journal::{Entry, Look, Phase, Reason, RunPhase, StepState, Urge};
use crate::run::CallNumber;
use crate::saga::StepErrorRecord;

/// An effect is possible. Looked up if it can be; else neutralised if that is safe when there is nothing; else a person.
pub(super) fn resolve_doubt(at: &Situation<'_>, call: CallNumber, step: &StepState, contract: &StepContract) -> Next {
    let asked_to_look = step.check.urge == Urge::Asked || step.check.started > 0 && step.check.failed > 0;
    if contract.unknown == OnUnknown::Review && !asked_to_look {
        return at.review(Some(call), Reason::UnknownOutcome, last(step));
    }
    let Some(verification) = contract.verification else {
        return give_up(at, call, step, contract);
    };
    let check = &step.check;
    let look = || start(call, Phase::Check, step);
    match check.urge {
        Urge::Repeat if check.lost >= CRASH_LIMIT => return at.review(Some(call), Reason::CrashLoop, last(step)),
        Urge::Asked | Urge::Repeat | Urge::Resend => return look(),
        Urge::None => {}
    }
    match (&check.look, &check.last) {
        (_, Some((report, _))) => {
            if report.class != Class::Refused && verification.retry.allows_another(check.failed) {
                at.not_before(check.again, look)
            } else {
                give_up(at, call, step, contract)
            }
        }
        (None, None) => look(),
        (Some(Look::NotYet | Look::Pending), None) if check.again.is_some() => at.not_before(check.again, look),
        (Some(_), None) => give_up(at, call, step, contract),
    }
}

fn give_up(at: &Situation<'_>, call: CallNumber, step: &StepState, contract: &StepContract) -> Next {
    // Neutralised, the body would be told `Err`; a step that must go on has no such end.
    let must_go_on = at.run.phase == RunPhase::Forward && (contract.retriable || at.run.past_pivot_besides(call));
    if contract.undo_is_safe_when_absent() && !must_go_on {
        unwind::undo(at, call, step, contract)
    } else {
        at.review(
            Some(call),
            Reason::UnknownOutcome,
            step.check.last.as_ref().map_or_else(|| last(step), |(report, _)| report.clone()),
        )
    }
}

/// The step is known not to be applied and will not be tried again.
pub(super) fn exhausted(at: &Situation<'_>, call: CallNumber, step: &StepState, contract: &StepContract) -> Next {
    let must_go_on = contract.retriable || at.run.past_pivot();
    if must_go_on && at.run.phase == RunPhase::Forward {
        at.review(Some(call), Reason::ForwardExhausted, last(step))
    } else {
        Next::Write(vec![Entry::StepFailed { call, error: told(step) }])
    }
}

/// What the body is told of a step that did not come about.
pub(super) fn told(step: &StepState) -> StepErrorRecord {
    match &step.forward.last {
        Some((_, Some(error))) => StepErrorRecord::Failed(error.clone()),
        Some((report, None)) => StepErrorRecord::Unanswered(report.message.clone()),
        None => StepErrorRecord::Unanswered("the step was not sent".to_owned()),
    }
}
