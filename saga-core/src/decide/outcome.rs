//! Turns what an attempt brought into entries. Decides delays and whether "not found" is believed.

use crate::contract::{Class, StepContract};
use crate::journal::{By, Entry, Look, Phase, Run, StepState};
use crate::payload::Payload;
use crate::run::{CallNumber, Timestamp};
use crate::saga::{FailureReport, Found};
use std::time::Duration;

/// What an attempt brought.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// A forward attempt: the output.
    Done(Payload),
    /// A check: the answer.
    Found(Found<Payload>),
    /// An undo: the effect is neutralised.
    Undone,
    /// A failure, with the step's own error where it returned one.
    Failed(FailureReport, Option<Payload>),
    /// The worker was asked to stop and gave the attempt up.
    Interrupted,
}

/// The entries that an outcome makes. `asked` is when the attempt began, by the store's clock; `luck` is between 0 and 1.
pub fn outcome(
    run: &Run,
    contract: &StepContract,
    call: CallNumber,
    phase: Phase,
    outcome: Outcome,
    asked: Timestamp,
    luck: f64,
) -> Vec<Entry> {
    let Some(step) = run.step(call) else { return Vec::new() };
    vec![match outcome {
        Outcome::Done(output) => Entry::StepDone { call, output, by: By::Reply },
        Outcome::Found(Found::Applied(output)) => Entry::StepDone { call, output, by: By::Check },
        Outcome::Found(Found::NotApplied) => not_found(step, contract, call, asked, luck),
        Outcome::Found(Found::Pending) => {
            let again_in = look_again(step, contract, luck);
            Entry::Looked { call, found: Look::Pending, again_in }
        }
        Outcome::Found(Found::CannotTell) => Entry::Looked { call, found: Look::CannotTell, again_in: None },
        Outcome::Undone => Entry::Undone { call, by: By::Reply },
        Outcome::Interrupted => Entry::AttemptInterrupted { call, phase },
        Outcome::Failed(report, error) => {
            let policy = match phase {
                Phase::Forward => contract.retry,
                Phase::Undo => contract.undo_retry,
                Phase::Check => contract.verification.map_or(contract.retry, |verification| verification.retry),
            };
            let made = step.attempts(phase).failed + 1;
            let tries_again = report.class != Class::Refused && policy.allows_another(made);
            let again_in = tries_again.then(|| policy.delay(made, luck));
            Entry::AttemptFailed { call, phase, report, error, again_in }
        }
    }]
}

/// "Not found" right after a lost reply proves nothing: the request may still land, or the lookup may lag.
fn not_found(step: &StepState, contract: &StepContract, call: CallNumber, asked: Timestamp, luck: f64) -> Entry {
    let settle = contract.verification.map_or(Duration::ZERO, |verification| verification.settle);
    let settled_at = step.doubt.map_or(asked, |doubt| doubt.plus(settle));
    if asked >= settled_at {
        return Entry::Looked { call, found: Look::NotApplied, again_in: None };
    }
    let remaining = settled_at.since(asked);
    let again_in = Some(look_again(step, contract, luck).map_or(remaining, |delay| delay.min(remaining)));
    Entry::Looked { call, found: Look::NotYet, again_in }
}

fn look_again(step: &StepState, contract: &StepContract, luck: f64) -> Option<Duration> {
    let policy = contract.verification?.retry;
    let made = step.check.failed + 1;
    policy.allows_another(made).then(|| policy.delay(made, luck))
}
