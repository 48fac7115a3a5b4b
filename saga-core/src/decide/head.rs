//! The head of a run: what a store keeps beside the journal so that lists and questions need not read it.
//!
//! Decides the state and the words of "why is it not moving". A pure function of the run: head and journal cannot disagree.

use crate::journal::{Cause, End, Phase, Run, RunPhase, WaitKind};
use crate::run::Timestamp;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The state of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Forward work goes on.
    Running,
    /// It waits for a signal or for time.
    Waiting,
    /// Effects are undone.
    Unwinding,
    /// A person is asked.
    Review,
    /// Ended: all steps applied.
    Completed,
    /// Ended: undone, for a business reason.
    Refused,
    /// Ended: undone, because somebody or the deadline asked for it.
    Cancelled,
    /// Ended: given up by a person; effects are left.
    Abandoned,
}

impl State {
    /// All states.
    pub const ALL: [State; 8] = [
        State::Running,
        State::Waiting,
        State::Unwinding,
        State::Review,
        State::Completed,
        State::Refused,
        State::Cancelled,
        State::Abandoned,
    ];

    /// The name, as it stands in the store.
    pub fn name(self) -> &'static str {
        match self {
            State::Running => "running",
            State::Waiting => "waiting",
            State::Unwinding => "unwinding",
            State::Review => "review",
            State::Completed => "completed",
            State::Refused => "refused",
            State::Cancelled => "cancelled",
            State::Abandoned => "abandoned",
        }
    }

    /// The state with this name.
    pub fn named(name: &str) -> Option<State> {
        State::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Whether the run is over. Terminal is terminal.
    pub fn is_terminal(self) -> bool {
        matches!(self, State::Completed | State::Refused | State::Cancelled | State::Abandoned)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a store keeps of a run besides its journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The state.
    pub state: State,
    /// The step that it is at.
    pub step: Option<String>,
    /// Why it is not moving, in words.
    pub why: Option<String>,
    /// The last error, in words; of an unwound run, why it was unwound.
    pub error: Option<String>,
    /// Whether an irreversible effect is there or possible: then a cancel is refused.
    pub past_pivot: bool,
    /// Until when the reason in `why` holds by itself.
    pub until: Option<Timestamp>,
}

impl Head {
    /// The head of a run.
    pub fn of(run: &Run) -> Head {
        let cause = match &run.phase {
            RunPhase::Unwinding(cause) => Some(cause),
            _ => None,
        };
        let running = run.running().and_then(|(call, _)| Some((call, run.step(call)?)));
        let at_step = running.or_else(|| run.open_step());
        let mut head = Head {
            state: if cause.is_some() { State::Unwinding } else { State::Running },
            step: at_step.map(|(_, step)| step.step.clone()),
            why: None,
            error: cause.map(words),
            past_pivot: run.past_pivot(),
            until: None,
        };
        if let Some(end) = run.ended() {
            head.end(run, end);
        } else if let Some(review) = run.open_review() {
            head.state = State::Review;
            head.step = review.call.and_then(|call| run.step(call)).map(|step| step.step.clone());
            head.why = Some(format!("{} must decide: {}: {}", review.owner, review.reason.name(), review.last.message));
            head.error = Some(review.last.message.clone());
        } else if let Some((_, step)) = at_step {
            head.attempting(step);
        } else if let Some((_, wait)) = run.open_wait().filter(|_| cause.is_none()) {
            head.state = State::Waiting;
            head.until = wait.until;
            head.why = Some(match &wait.kind {
                WaitKind::Signal { name, .. } => format!("waits for the signal {name}"),
                WaitKind::Sleep { .. } => "sleeps".to_owned(),
            });
        }
        head
    }

    /// The head of a run that somebody gave up. Also of one whose journal cannot be read.
    pub fn abandoned(by: &str, left: usize, past_pivot: bool) -> Head {
        let error = Some(format!("abandoned by {by}; effects left: {left}"));
        Head { state: State::Abandoned, step: None, why: None, error, past_pivot, until: None }
    }

    fn end(&mut self, run: &Run, end: &End) {
        self.step = None;
        let words = run.cause.as_ref().map(words);
        (self.state, self.error) = match end {
            End::Completed { .. } => (State::Completed, None),
            End::Refused { .. } => (State::Refused, words),
            End::Cancelled => (State::Cancelled, words),
            End::Abandoned { by, left } => (State::Abandoned, Head::abandoned(by, left.len(), false).error),
        };
    }

    fn attempting(&mut self, step: &crate::journal::StepState) {
        let (phase, doing) = match step.running() {
            Some(Phase::Forward) => (Phase::Forward, "is attempting"),
            Some(Phase::Check) => (Phase::Check, "is looking up"),
            Some(Phase::Undo) => (Phase::Undo, "is undoing"),
            None if step.neutralise => (Phase::Undo, "will undo again"),
            None if step.doubt.is_some() && step.check.started > 0 => (Phase::Check, "will look up again"),
            None => (Phase::Forward, "will attempt again"),
        };
        let attempts = step.attempts(phase);
        self.until = attempts.again;
        let last = attempts.last.as_ref().or(step.forward.last.as_ref());
        if let Some((report, _)) = last {
            self.error = Some(report.message.clone());
        }
        let number = attempts.started.max(1);
        self.why = Some(match last {
            Some((report, _)) => format!("{doing} {} (attempt {number}): {}", step.step, report.message),
            None => format!("{doing} {} (attempt {number})", step.step),
        });
    }
}

fn words(cause: &Cause) -> String {
    match cause {
        Cause::Refused { message, .. } => message.clone(),
        Cause::Cancelled { by, reason } => format!("cancelled by {by}: {reason}"),
        Cause::DeadlineExceeded => "the saga's deadline passed".to_owned(),
        Cause::Decided { by } => format!("{by} decided to unwind"),
    }
}
