//! Which payloads an entry and a decision hold: whoever encodes them must miss none.
//!
//! Without a wildcard: a new kind of entry has to say it too.

use super::entry::{Cause, End, Entry};
use super::review::Decision;
use crate::payload::Payload;
use crate::saga::StepErrorRecord;

impl Entry {
    /// The payload in it; none has two.
    pub(crate) fn payload_mut(&mut self) -> Option<&mut Payload> {
        match self {
            Entry::Started { inputs, .. } | Entry::StepIntended { inputs, .. } => Some(inputs),
            Entry::AttemptFailed { error, .. } => error.as_mut(),
            Entry::StepDone { output, .. } => Some(output),
            Entry::StepFailed { error: StepErrorRecord::Failed(error), .. } => Some(error),
            Entry::SignalReceived { payload, .. } => Some(payload),
            Entry::ValueDrawn { value, .. } => Some(value),
            Entry::UnwindStarted { cause: Cause::Refused { error, .. } } => Some(error),
            Entry::Ended { end: End::Completed { output } } => Some(output),
            Entry::Ended { end: End::Refused { error } } => Some(error),
            Entry::ReviewSettled { decision, .. } => decision.payload_mut(),
            Entry::StepFailed { error: StepErrorRecord::Unanswered(_), .. }
            | Entry::UnwindStarted {
                cause: Cause::Cancelled { .. } | Cause::DeadlineExceeded | Cause::Decided { .. },
            }
            | Entry::Ended { end: End::Cancelled | End::Abandoned { .. } }
            | Entry::AttemptStarted { .. }
            | Entry::AttemptLost { .. }
            | Entry::AttemptInterrupted { .. }
            | Entry::Looked { .. }
            | Entry::Undone { .. }
            | Entry::Kept { .. }
            | Entry::WaitStarted { .. }
            | Entry::WaitElapsed { .. }
            | Entry::CancelTaken { .. }
            | Entry::ReviewOpened { .. }
            | Entry::DecisionRefused { .. } => None,
        }
    }
}

impl Decision {
    /// The payload in it.
    pub(crate) fn payload_mut(&mut self) -> Option<&mut Payload> {
        match self {
            Decision::MarkApplied { output } => Some(output),
            Decision::Retry
            | Decision::Verify
            | Decision::Compensate
            | Decision::MarkNotApplied
            | Decision::MarkUndone
            | Decision::Escalate { .. }
            | Decision::Abandon => None,
        }
    }
}
