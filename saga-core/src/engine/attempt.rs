//! Performs one attempt: its time limit, its panics, its interruption. The only place where effects happen.

use super::body::caught;
use super::table::{AnyStep, Material};
use crate::contract::Class;
use crate::contract::duration::LONGEST;
use crate::decide::Outcome;
use crate::journal::Phase;
use crate::saga::{AttemptCx, DecodeError, FailureReport};
use std::sync::Arc;
use tokio::time::Instant;
use tracing::Instrument;

/// Runs an attempt to its end, its time limit, or its panic. Dropping the future gives the attempt up.
pub(crate) async fn perform<P>(
    step: Arc<dyn AnyStep<P>>,
    environment: Arc<P>,
    phase: Phase,
    cx: AttemptCx,
    material: Material,
) -> Result<Outcome, DecodeError> {
    let contract = step.contract();
    // A timer has a longest span of its own; a longer limit is no limit a person would see the end of.
    let limit = contract.timeout.min(LONGEST);
    let span = cx.span.clone();
    let began = Instant::now();
    let attempt = caught(step.attempt(environment, phase, cx, material));
    let outcome = match tokio::time::timeout(limit, attempt.instrument(span)).await {
        Ok(Ok(outcome)) => outcome,
        Ok(Err(words)) => {
            let report = FailureReport::seen(Class::Unknown, "panicked", format!("the step panicked: {words}"));
            Ok(Outcome::Failed(report, None))
        }
        Err(_) => {
            let report = FailureReport::seen(Class::Unknown, "timed_out", format!("no answer within {limit:?}"));
            Ok(Outcome::Failed(report, None))
        }
    };
    let word = match &outcome {
        Ok(Outcome::Done(_) | Outcome::Undone | Outcome::Found(_)) => "answered",
        Ok(Outcome::Failed(report, _)) => match report.class {
            Class::Transient => "transient",
            Class::Refused => "refused",
            Class::Unknown => "unknown",
        },
        Ok(Outcome::Interrupted) => "interrupted",
        Err(_) => "unreadable",
    };
    let labels = [("step", contract.name), ("phase", phase_name(phase)), ("outcome", word)];
    metrics::counter!("saga_attempts_total", &labels).increment(1);
    metrics::histogram!("saga_attempt_seconds", &labels[..2]).record(began.elapsed().as_secs_f64());
    outcome
}

pub(crate) fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Forward => "forward",
        Phase::Check => "check",
        Phase::Undo => "undo",
    }
}
