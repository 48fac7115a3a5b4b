//! The core decision function over walks that the bytes steer, and over journals that no engine may ever have written.

use super::Bytes;
use super::entries::{calls, decision, entry, later, next_call, payload, report, span, started};
use crate::decide::walk::{BEFORE_PIVOT, Script, Walk, ask, consistent, world};
use crate::decide::{BodyAt, Command, Item, Next, Outcome, Perform, Situation, outcome, to_perform};
use crate::journal::{Phase, Run};
use crate::run::{CallNumber, RunId, Timestamp};
use crate::saga::{Found, Request, RequestKind, WrittenInputs};
use uuid::Uuid;

/// Panics where a decision breaks a promise.
pub fn decide(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    if bytes.flag() { journal(&mut bytes) } else { walk(&mut bytes) }
}

/// The walk of the property tests; its script and all of its chances come from the bytes. Then once more from a prefix.
fn walk(bytes: &mut Bytes<'_>) {
    let (contracts, definition) = world();
    let script = script(bytes);
    let mut whole = Walk::new(script.clone(), contracts, definition);
    whole.drive();
    whole.check();
    let length = 1 + script.choices.iter().map(|byte| usize::from(*byte)).sum::<usize>() % whole.journal.len();
    let mut resumed = Walk::new(script, contracts, definition);
    resumed.journal = whole.journal[..length].to_vec();
    resumed.now = whole.now;
    resumed.faults = false;
    resumed.crash();
    resumed.drive();
    assert!(resumed.run.ended().is_some());
}

/// A script; its chances are all bytes that are left.
pub(super) fn script(bytes: &mut Bytes<'_>) -> Script {
    let mut steps: Vec<usize> = (0..bytes.below(4)).map(|_| bytes.below(BEFORE_PIVOT)).collect();
    let pivot = bytes.flag();
    if pivot {
        steps.push(BEFORE_PIVOT + bytes.below(2));
        steps.extend((0..bytes.below(2)).map(|_| BEFORE_PIVOT + 2 + bytes.below(2)));
    }
    let (waits, refuses) = (bytes.flag(), bytes.flag() && !pivot);
    Script { steps, waits, refuses, choices: bytes.rest().to_vec() }
}

/// Entries of every kind; each is folded or refused without a trace, and between them the core is asked.
fn journal(bytes: &mut Bytes<'_>) {
    let mut now = Timestamp(0);
    let Ok(mut run) = Run::begin(RunId(Uuid::nil()), &started(bytes), now) else { unreachable!("it is `started`") };
    while !bytes.is_empty() && run.length < 200 {
        now = later(bytes, now);
        if bytes.flag() {
            decided(bytes, &mut run, now);
        } else {
            let next = entry(bytes, &run);
            let before = run.clone();
            if run.apply(&next, now).is_err() {
                assert_eq!(run, before, "a refused entry left a trace");
            }
        }
        consistent(&run);
    }
}

/// Asks, and mostly does what is decided.
fn decided(bytes: &mut Bytes<'_>, run: &mut Run, now: Timestamp) {
    let definition = world().1;
    let inbox: Vec<Item> = (0..bytes.below(3)).map(|number| item(bytes, run, number as u64)).collect();
    let body = body(bytes, run);
    let fresh = Uuid::nil();
    let in_flight = bytes.rarely(8);
    let next = ask(&Situation { run, definition, body: &body, inbox: &inbox, now, in_flight, fresh });
    let Next::Write(entries) = next else { return };
    if bytes.rarely(4) {
        return;
    }
    for entry in &entries {
        // `ask` has seen that they fold.
        let _ = run.apply(entry, now.max(run.updated));
    }
    let Some(Perform { call, phase, .. }) = entries.iter().find_map(to_perform) else { return };
    let Some(contract) = run.step(call).and_then(|step| definition.step(&step.step)) else { return };
    if bytes.rarely(4) {
        return;
    }
    let brought = brought(bytes, phase);
    for entry in outcome(run, contract, call, phase, brought, now, f64::from(bytes.byte()) / 255.0) {
        let applied = run.apply(&entry, now.max(run.updated));
        applied.unwrap_or_else(|broken| panic!("an outcome cannot be recorded: {broken}: {entry:?} after {run:#?}"));
        consistent(run);
    }
}

fn brought(bytes: &mut Bytes<'_>, phase: Phase) -> Outcome {
    match (bytes.below(8), phase) {
        (0, _) => Outcome::Interrupted,
        (1..=3, _) => Outcome::Failed(report(bytes), bytes.flag().then(|| payload(bytes))),
        (_, Phase::Forward) => Outcome::Done(payload(bytes)),
        (_, Phase::Undo) => Outcome::Undone,
        (4, Phase::Check) => Outcome::Found(Found::Applied(payload(bytes))),
        (_, Phase::Check) => Outcome::Found(bytes.pick(&[Found::NotApplied, Found::Pending, Found::CannotTell])),
    }
}

fn body(bytes: &mut Bytes<'_>, run: &Run) -> BodyAt {
    match bytes.below(8) {
        0 => BodyAt::Unknown,
        1 => BodyAt::Returned(Ok(payload(bytes))),
        2 => BodyAt::Returned(Err((payload(bytes), bytes.text()))),
        3 => BodyAt::Stuck(bytes.text()),
        _ => BodyAt::Asks(Request { call: next_call(bytes, run), kind: request(bytes, run) }),
    }
}

fn request(bytes: &mut Bytes<'_>, run: &Run) -> RequestKind {
    match bytes.below(8) {
        0 => RequestKind::Now,
        1 => RequestKind::Uuid,
        2 => RequestKind::Sleep { length: span(bytes) },
        3 => RequestKind::Signal { name: bytes.pick(&["go", "", "a"]), within: bytes.flag().then(|| span(bytes)) },
        _ => {
            let name = if bytes.rarely(32) { "unheard_of" } else { bytes.pick(world().0).name };
            let (payload, needs, consumes) = (payload(bytes), evidence(bytes, run), evidence(bytes, run));
            let inputs = WrittenInputs { payload, needs, consumes };
            RequestKind::Step { name, inputs }
        }
    }
}

/// A body has evidence only of what completed and was not consumed: the compiler sees to that.
fn evidence(bytes: &mut Bytes<'_>, run: &Run) -> Vec<CallNumber> {
    let holds =
        |call: &CallNumber| run.step(*call).is_some_and(|step| step.output().is_some() && step.consumed_by.is_none());
    calls(bytes, run).into_iter().filter(holds).collect()
}

fn item(bytes: &mut Bytes<'_>, run: &Run, number: u64) -> Item {
    let command = match bytes.below(4) {
        0 => Command::Signal { name: bytes.text(), payload: payload(bytes) },
        1 => Command::Cancel { by: bytes.text(), reason: bytes.text() },
        _ => {
            let open = run.open_review().map_or(0, |review| review.number);
            let review = if bytes.rarely(16) { bytes.number() as u32 } else { open };
            Command::Decide { review, decision: decision(bytes), by: bytes.text(), note: bytes.text() }
        }
    };
    Item { number, command }
}
