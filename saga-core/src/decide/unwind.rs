//! The unwind: effects are undone in reverse order of the journal, one at a time. Nothing goes forward here.

use super::settle::{resolve_doubt, told};
use super::{CRASH_LIMIT, Next, Situation, end_of, start};
use crate::contract::{Class, Needs, Reversibility, StepContract};
use crate::journal::{Cause, Entry, Phase, Reason, StepState, StepStatus, Urge};
use crate::run::CallNumber;
use crate::saga::FailureReport;

pub(super) fn next(at: &Situation<'_>, cause: &Cause) -> Next {
    for (call, step) in at.run.unsettled_steps().rev() {
        let contract = match at.contract(step) {
            Ok(contract) => contract,
            Err(diverged) => return diverged,
        };
        if let Some(next) = one(at, call, step, contract) {
            return next;
        }
    }
    Next::Write(vec![Entry::Ended { end: end_of(cause) }])
}

/// What is left to do about one step, if anything.
fn one(at: &Situation<'_>, call: CallNumber, step: &StepState, contract: &StepContract) -> Option<Next> {
    match &step.status {
        StepStatus::Failed { .. } => None,
        StepStatus::Open if step.undone.is_some() || step.doubt.is_none() || contract.is_read_only() => {
            Some(Next::Write(vec![Entry::StepFailed { call, error: told(step) }]))
        }
        StepStatus::Open if step.neutralise => Some(undo(at, call, step, contract)),
        StepStatus::Open => Some(resolve_doubt(at, call, step, contract)),
        StepStatus::Done { .. } if !step.is_unsettled() => None,
        StepStatus::Done { .. } => match contract.reversibility {
            Reversibility::Compensable { .. } => Some(undo(at, call, step, contract)),
            Reversibility::Kept => Some(Next::Write(vec![Entry::Kept { call }])),
            Reversibility::ReadOnly => None,
            // The compiler and `past_pivot` keep an unwind from beginning here; if it does all the same, a person looks.
            Reversibility::Irreversible => Some(at.review(
                Some(call),
                Reason::UndoFailed,
                FailureReport::seen(Class::Refused, "irreversible", format!("`{}` cannot be undone", step.step)),
            )),
        },
    }
}

/// Undoes one effect, certain or possible.
pub(super) fn undo(at: &Situation<'_>, call: CallNumber, step: &StepState, contract: &StepContract) -> Next {
    let last = step.undo.last.as_ref().map(|(report, _)| report.clone());
    let possible = match contract.reversibility {
        Reversibility::Compensable { needs: Needs::Nothing } => true,
        Reversibility::Compensable { needs: Needs::Output } => step.output().is_some(),
        _ => false,
    };
    if !possible {
        let report = last.unwrap_or_else(|| super::forward::last(step));
        return at.review(Some(call), Reason::UnknownOutcome, report);
    }
    let again = || start(call, Phase::Undo, step);
    match (step.undo.urge, last) {
        (Urge::Repeat, Some(report)) if step.undo.lost >= CRASH_LIMIT => {
            at.review(Some(call), Reason::CrashLoop, report)
        }
        (Urge::Asked | Urge::Repeat | Urge::Resend, _) | (Urge::None, None) => again(),
        (Urge::None, Some(report)) if report.class == Class::Refused => {
            at.review(Some(call), Reason::UndoRefused, report)
        }
        (Urge::None, Some(_)) if contract.undo_retry.allows_another(step.undo.failed) => {
            at.not_before(step.undo.again, again)
        }
        (Urge::None, Some(report)) => at.review(Some(call), Reason::UndoFailed, report),
    }
}
