//! What arrives for a run from outside: signals, cancels and decisions, and what taking them up writes.

use super::{Next, Situation};
use crate::journal::{Action, By, Cause, Decision, End, Entry, Review, Run, RunPhase};
use crate::payload::Payload;
use crate::run::CallNumber;
use crate::saga::StepErrorRecord;
use serde::{Deserialize, Serialize};

/// One item of a run's inbox.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    /// Its number in the inbox.
    pub number: u64,
    /// What it is.
    pub command: Command,
}

/// What is asked of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    /// A signal for the body.
    Signal {
        /// Its name.
        name: String,
        /// The message.
        payload: Payload,
    },
    /// Stop and undo.
    Cancel {
        /// Who asks.
        by: String,
        /// Why.
        reason: String,
    },
    /// A decision about a review.
    Decide {
        /// The review's number.
        review: u32,
        /// The decision.
        decision: Decision,
        /// Who decides.
        by: String,
        /// Why; for marks, the evidence.
        note: String,
    },
}

impl Command {
    /// The payload in it.
    pub(crate) fn payload_mut(&mut self) -> Option<&mut Payload> {
        match self {
            Command::Signal { payload, .. } => Some(payload),
            Command::Decide { decision, .. } => decision.payload_mut(),
            Command::Cancel { .. } => None,
        }
    }
}

impl Item {
    /// The message, if this is a signal with that name.
    pub(crate) fn signal(&self, wanted: &str) -> Option<(u64, &Payload)> {
        match &self.command {
            Command::Signal { name, payload } if name == wanted => Some((self.number, payload)),
            _ => None,
        }
    }
}

/// Takes up the first cancel or decision that waits. Signals wait for the body.
pub(super) fn take(at: &Situation<'_>) -> Option<Next> {
    at.inbox.iter().find_map(|item| match &item.command {
        Command::Signal { .. } => None,
        Command::Cancel { by, reason } => {
            Some(Next::Write(vec![Entry::CancelTaken { request: item.number, by: by.clone(), reason: reason.clone() }]))
        }
        Command::Decide { review, decision, by, note } => {
            Some(Next::Write(decide(at, item.number, *review, decision, by, note)))
        }
    })
}

fn decide(at: &Situation<'_>, request: u64, review: u32, decision: &Decision, by: &str, note: &str) -> Vec<Entry> {
    let refused = |why: &str| vec![Entry::DecisionRefused { review, request, by: by.to_owned(), why: why.to_owned() }];
    let Some(open) = at.run.open_review().filter(|open| open.number == review) else {
        return refused("the review is not open");
    };
    if !open.actions.contains(&decision.action()) {
        return refused("that is not among the actions that this review offers");
    }
    let needs_evidence = matches!(
        decision.action(),
        Action::MarkApplied | Action::MarkNotApplied | Action::MarkUndone | Action::Abandon
    );
    if needs_evidence && note.trim().is_empty() {
        return refused("say on what evidence: the note is empty");
    }
    let mut entries = vec![Entry::ReviewSettled {
        review,
        request,
        decision: decision.clone(),
        by: by.to_owned(),
        note: note.to_owned(),
    }];
    entries.extend(consequence(at, open, decision, by));
    entries
}

/// The calls whose effects, certain or possible, are left when the run is given up.
pub(crate) fn left(run: &Run) -> Vec<CallNumber> {
    run.steps().filter(|(_, step)| step.may_have_an_effect()).map(|(call, _)| call).collect()
}

/// What a decision writes besides itself. Attempts that it makes due follow from the fold.
fn consequence(at: &Situation<'_>, review: &Review, decision: &Decision, by: &str) -> Option<Entry> {
    match (decision, review.call) {
        (Decision::Abandon, _) => Some(Entry::Ended { end: End::Abandoned { by: by.to_owned(), left: left(at.run) } }),
        (Decision::Compensate, None) => Some(Entry::UnwindStarted { cause: Cause::Decided { by: by.to_owned() } }),
        (Decision::MarkApplied { output }, Some(call)) => {
            Some(Entry::StepDone { call, output: output.clone(), by: By::Person })
        }
        (Decision::MarkUndone, Some(call)) => Some(Entry::Undone { call, by: By::Person }),
        (Decision::MarkNotApplied, Some(call)) => {
            let goes_on = at.run.past_pivot_besides(call) && at.run.phase == RunPhase::Forward;
            (!goes_on).then(|| Entry::StepFailed {
                call,
                error: StepErrorRecord::Unanswered(format!("{by} found that the step was not applied")),
            })
        }
        _ => None,
    }
}
