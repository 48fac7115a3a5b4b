//! Entries of every kind, from bytes. Mostly such as could follow the run at hand, at times any: a journal of nonsense alone
//! is refused at its second entry and explores nothing.

use super::Bytes;
use crate::contract::Class;
use crate::decide::walk::world;
use crate::definition::Fingerprint;
use crate::journal::{Action, By, Cause, Decision, End, Entry, Look, Phase, Reason, Run, WaitKind};
use crate::payload::Payload;
use crate::run::{CallNumber, Timestamp};
use crate::saga::{FailureReport, StepErrorRecord};
use std::time::Duration;

/// How many kinds of entries there are.
pub(super) const KINDS: usize = 21;

/// The first entry of a journal.
pub(super) fn started(bytes: &mut Bytes<'_>) -> Entry {
    Entry::Started {
        saga: bytes.text(),
        version: bytes.number() as u32,
        fingerprint: Fingerprint(bytes.number()),
        inputs: payload(bytes),
        deadline: maybe(bytes, span),
    }
}

/// An entry that may follow `run`.
pub(super) fn entry(bytes: &mut Bytes<'_>, run: &Run) -> Entry {
    match bytes.below(KINDS) {
        0 => intended(bytes, run),
        1 => {
            let (call, phase) = (call(bytes, run), phase(bytes));
            let next = run.step(call).map_or(0, |step| step.attempts(phase).started).wrapping_add(1);
            let attempt = if bytes.rarely(16) { bytes.number() as u32 } else { next };
            Entry::AttemptStarted { call, phase, attempt }
        }
        2 => {
            let (call, phase) = running(bytes, run);
            Entry::AttemptFailed {
                call,
                phase,
                report: report(bytes),
                error: maybe(bytes, payload),
                again_in: maybe(bytes, span),
            }
        }
        3 => {
            let (call, phase) = running(bytes, run);
            Entry::AttemptLost { call, phase }
        }
        4 => {
            let (call, phase) = running(bytes, run);
            Entry::AttemptInterrupted { call, phase }
        }
        5 => {
            let found = bytes.pick(&[Look::NotApplied, Look::NotYet, Look::Pending, Look::CannotTell]);
            Entry::Looked { call: running(bytes, run).0, found, again_in: maybe(bytes, span) }
        }
        6 => Entry::StepDone { call: running(bytes, run).0, output: payload(bytes), by: by(bytes) },
        7 => Entry::StepFailed { call: call(bytes, run), error: error(bytes) },
        8 => Entry::Undone { call: running(bytes, run).0, by: by(bytes) },
        9 => Entry::Kept { call: call(bytes, run) },
        10 => Entry::WaitStarted { call: next_call(bytes, run), wait: wait(bytes) },
        11 => Entry::SignalReceived { call: waiting(bytes, run), signal: bytes.number(), payload: payload(bytes) },
        12 => Entry::WaitElapsed { call: waiting(bytes, run) },
        13 => Entry::ValueDrawn { call: next_call(bytes, run), kind: bytes.text(), value: payload(bytes) },
        14 => Entry::CancelTaken { request: bytes.number(), by: bytes.text(), reason: bytes.text() },
        15 => Entry::UnwindStarted { cause: cause(bytes) },
        16 => Entry::ReviewOpened {
            review: number_of(bytes, run.reviews.len() as u32 + 1),
            call: maybe(bytes, |bytes| call(bytes, run)),
            reason: reason(bytes),
            owner: bytes.text(),
            last: report(bytes),
            first: maybe(bytes, report),
            actions: (0..bytes.below(4)).map(|_| action(bytes)).collect(),
        },
        17 => Entry::ReviewSettled {
            review: number_of(bytes, run.reviews.len() as u32),
            request: bytes.number(),
            decision: decision(bytes),
            by: bytes.text(),
            note: bytes.text(),
        },
        18 => Entry::DecisionRefused {
            review: number_of(bytes, run.reviews.len() as u32),
            request: bytes.number(),
            by: bytes.text(),
            why: bytes.text(),
        },
        19 => Entry::Ended { end: end(bytes, run) },
        _ => started(bytes),
    }
}

fn intended(bytes: &mut Bytes<'_>, run: &Run) -> Entry {
    let contract = bytes.pick(world().0);
    let step = if bytes.rarely(32) { bytes.text() } else { contract.name.to_owned() };
    let pivot = contract.is_irreversible() != bytes.rarely(32);
    let inputs = payload(bytes);
    let needs = calls(bytes, run);
    Entry::StepIntended { call: next_call(bytes, run), step, inputs, needs, consumes: calls(bytes, run), pivot }
}

fn maybe<'a, T>(bytes: &mut Bytes<'a>, make: impl FnOnce(&mut Bytes<'a>) -> T) -> Option<T> {
    bytes.flag().then(|| make(bytes))
}

fn number_of(bytes: &mut Bytes<'_>, expected: u32) -> u32 {
    if bytes.rarely(16) { bytes.number() as u32 } else { expected }
}

/// Calls that evidence is of.
pub(super) fn calls(bytes: &mut Bytes<'_>, run: &Run) -> Vec<CallNumber> {
    let count = if bytes.rarely(4) { bytes.below(3) } else { 0 };
    (0..count).map(|_| call(bytes, run)).collect()
}

/// A call of the run, or any.
fn call(bytes: &mut Bytes<'_>, run: &Run) -> CallNumber {
    match bytes.byte() {
        byte @ 0..240 => CallNumber(u32::from(byte) % (run.calls.len() as u32).max(1)),
        _ => CallNumber(bytes.number() as u32),
    }
}

/// The call that comes next, or any.
pub(super) fn next_call(bytes: &mut Bytes<'_>, run: &Run) -> CallNumber {
    CallNumber(number_of(bytes, run.calls.len() as u32))
}

/// The attempt that is running, or any.
fn running(bytes: &mut Bytes<'_>, run: &Run) -> (CallNumber, Phase) {
    match run.running() {
        Some(running) if !bytes.rarely(16) => running,
        _ => (call(bytes, run), phase(bytes)),
    }
}

fn waiting(bytes: &mut Bytes<'_>, run: &Run) -> CallNumber {
    match run.open_wait() {
        Some((call, _)) if !bytes.rarely(16) => call,
        _ => call(bytes, run),
    }
}

fn phase(bytes: &mut Bytes<'_>) -> Phase {
    bytes.pick(&[Phase::Forward, Phase::Check, Phase::Undo])
}

fn by(bytes: &mut Bytes<'_>) -> By {
    bytes.pick(&[By::Reply, By::Check, By::Person])
}

/// Whole microseconds: what a journal keeps.
pub(super) fn span(bytes: &mut Bytes<'_>) -> Duration {
    Duration::from_micros(bytes.number())
}

/// Text as the engine writes it, or any bytes.
pub(super) fn payload(bytes: &mut Bytes<'_>) -> Payload {
    const TEXTS: [&str; 8] = ["{}", "1", "null", "\"a\"", "[1,2.0]", "{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}", ""];
    match bytes.byte() {
        text @ 0..224 => Payload::from_bytes(TEXTS[usize::from(text) % TEXTS.len()].as_bytes()),
        _ => {
            let length = bytes.below(24);
            Payload::from_bytes(bytes.take(length))
        }
    }
}

fn class(bytes: &mut Bytes<'_>) -> Class {
    bytes.pick(&[Class::Transient, Class::Refused, Class::Unknown])
}

/// A failure.
pub(super) fn report(bytes: &mut Bytes<'_>) -> FailureReport {
    FailureReport {
        class: class(bytes),
        code: maybe(bytes, Bytes::text),
        reference: maybe(bytes, Bytes::text),
        message: bytes.text(),
    }
}

fn error(bytes: &mut Bytes<'_>) -> StepErrorRecord {
    if bytes.flag() { StepErrorRecord::Failed(payload(bytes)) } else { StepErrorRecord::Unanswered(bytes.text()) }
}

fn wait(bytes: &mut Bytes<'_>) -> WaitKind {
    if bytes.flag() {
        WaitKind::Signal { name: bytes.text(), within: maybe(bytes, span) }
    } else {
        WaitKind::Sleep { length: span(bytes) }
    }
}

fn cause(bytes: &mut Bytes<'_>) -> Cause {
    match bytes.below(4) {
        0 => Cause::Refused { error: payload(bytes), message: bytes.text() },
        1 => Cause::Cancelled { by: bytes.text(), reason: bytes.text() },
        2 => Cause::DeadlineExceeded,
        _ => Cause::Decided { by: bytes.text() },
    }
}

fn reason(bytes: &mut Bytes<'_>) -> Reason {
    bytes.pick(&[
        Reason::UnknownOutcome,
        Reason::UndoFailed,
        Reason::UndoRefused,
        Reason::ForwardExhausted,
        Reason::CrashLoop,
        Reason::JournalBroken,
        Reason::DefinitionMissing,
    ])
}

fn action(bytes: &mut Bytes<'_>) -> Action {
    bytes.pick(&[
        Action::Retry,
        Action::Verify,
        Action::Compensate,
        Action::MarkApplied,
        Action::MarkNotApplied,
        Action::MarkUndone,
        Action::Escalate,
        Action::Abandon,
    ])
}

/// What a person chose.
pub(super) fn decision(bytes: &mut Bytes<'_>) -> Decision {
    match action(bytes) {
        Action::Retry => Decision::Retry,
        Action::Verify => Decision::Verify,
        Action::Compensate => Decision::Compensate,
        Action::MarkApplied => Decision::MarkApplied { output: payload(bytes) },
        Action::MarkNotApplied => Decision::MarkNotApplied,
        Action::MarkUndone => Decision::MarkUndone,
        Action::Escalate => Decision::Escalate { owner: bytes.text() },
        Action::Abandon => Decision::Abandon,
    }
}

fn end(bytes: &mut Bytes<'_>, run: &Run) -> End {
    match bytes.below(4) {
        0 => End::Completed { output: payload(bytes) },
        1 => End::Refused { error: payload(bytes) },
        2 => End::Cancelled,
        _ => End::Abandoned { by: bytes.text(), left: calls(bytes, run) },
    }
}

/// The time of the next entry: mostly a little later, at times far off, at times back.
pub(super) fn later(bytes: &mut Bytes<'_>, now: Timestamp) -> Timestamp {
    match bytes.byte() {
        0..128 => now,
        128..240 => now.plus(Duration::from_millis(bytes.number())),
        _ => Timestamp(bytes.number() as i64),
    }
}
