//! Forward work: what a body asks for, and what happens to a step until its outcome is known.

use super::settle::{exhausted, resolve_doubt};
use super::{BodyAt, CRASH_LIMIT, JOURNAL_LIMIT, Next, Situation, start, unwind};
use crate::contract::{Class, OnUnknown, StepContract};
use crate::journal::{CallState, Cause, End, Entry, Phase, Reason, StepState, StepStatus, Urge, WaitKind, WaitState};
use crate::payload::Payload;
use crate::run::CallNumber;
use crate::saga::{Answer, FailureReport, Request, RequestKind};

pub(super) fn next(at: &Situation<'_>) -> Next {
    if let Some(cause) = at.stop_wanted() {
        return Next::Write(vec![Entry::UnwindStarted { cause }]);
    }
    if let Some((call, step)) = at.run.open_step() {
        return match at.contract(step) {
            Ok(contract) => open_step(at, call, step, contract),
            Err(diverged) => diverged,
        };
    }
    if let Some((call, wait)) = at.run.open_wait() {
        return open_wait(at, call, wait);
    }
    match at.body {
        BodyAt::Unknown => Next::Poll,
        BodyAt::Asks(request) => asked(at, request),
        BodyAt::Returned(Ok(output)) => {
            Next::Write(vec![Entry::Ended { end: End::Completed { output: output.clone() } }])
        }
        BodyAt::Returned(Err((error, message))) if !at.run.past_pivot() => Next::Write(vec![Entry::UnwindStarted {
            cause: Cause::Refused { error: error.clone(), message: message.clone() },
        }]),
        BodyAt::Returned(Err((_, message))) => at.review(
            None,
            Reason::ForwardExhausted,
            FailureReport::seen(
                Class::Refused,
                "err_after_pivot",
                format!("the body returned an error after its pivot: {message}"),
            ),
        ),
        BodyAt::Stuck(why) => {
            at.review(None, Reason::ForwardExhausted, FailureReport::seen(Class::Unknown, "body_stuck", why))
        }
    }
}

/// A body asks: either the journal already has the answer, or something new begins.
fn asked(at: &Situation<'_>, request: &Request) -> Next {
    if let Some(known) = at.run.calls.get(request.call.0 as usize) {
        return answer(request, known);
    }
    if request.call.0 as usize != at.run.calls.len() {
        return Next::Diverged(format!("the body skipped to call {}", request.call));
    }
    if at.run.length >= JOURNAL_LIMIT {
        let report = FailureReport::seen(
            Class::Refused,
            "journal_limit",
            format!("the journal has {} entries; the limit for forward work is {JOURNAL_LIMIT}", at.run.length),
        );
        return at.review(None, Reason::ForwardExhausted, report);
    }
    let call = request.call;
    match &request.kind {
        RequestKind::Step { name, inputs } => {
            let Some(contract) = at.definition.step(name) else {
                return Next::Diverged(format!("the body calls `{name}`, which its definition does not have"));
            };
            Next::Write(vec![Entry::StepIntended {
                call,
                step: (*name).to_owned(),
                inputs: inputs.payload.clone(),
                needs: inputs.needs.clone(),
                consumes: inputs.consumes.clone(),
                pivot: contract.is_irreversible(),
            }])
        }
        RequestKind::Signal { name, within } => {
            let wait = WaitKind::Signal { name: (*name).to_owned(), within: *within };
            Next::Write(vec![Entry::WaitStarted { call, wait }])
        }
        RequestKind::Sleep { length } => {
            Next::Write(vec![Entry::WaitStarted { call, wait: WaitKind::Sleep { length: *length } }])
        }
        RequestKind::Now => drawn(call, "now", &at.now),
        RequestKind::Uuid => drawn(call, "new_uuid", &at.fresh),
    }
}

fn drawn<T: crate::Journaled>(call: CallNumber, kind: &str, value: &T) -> Next {
    match Payload::of(value) {
        Ok(value) => Next::Write(vec![Entry::ValueDrawn { call, kind: kind.to_owned(), value }]),
        Err(error) => Next::Diverged(error.to_string()),
    }
}

fn answer(request: &Request, known: &CallState) -> Next {
    let diverged = |has: String| {
        Next::Diverged(format!(
            "at call {} the journal has {has}, but the body asks for {}",
            request.call,
            name(request)
        ))
    };
    match (&request.kind, known) {
        (RequestKind::Step { name, inputs }, CallState::Step(step)) if step.step == **name => {
            if !step.inputs.same_value(&inputs.payload) || step.consumes != inputs.consumes {
                return diverged(format!("`{}` with other inputs", step.step));
            }
            match &step.status {
                StepStatus::Done { output, .. } => Next::Answer(Answer::Done(output.clone())),
                StepStatus::Failed { error } => Next::Answer(Answer::Failed(error.clone())),
                StepStatus::Open => diverged(format!("`{}` not yet settled", step.step)),
            }
        }
        (
            RequestKind::Signal { name, .. },
            CallState::Wait(WaitState { kind: WaitKind::Signal { name: has, .. }, ended: Some(ended), .. }),
        ) if has == name => Next::Answer(Answer::Signal(ended.clone())),
        (
            RequestKind::Sleep { .. },
            CallState::Wait(WaitState { kind: WaitKind::Sleep { .. }, ended: Some(_), .. }),
        ) => Next::Answer(Answer::Slept),
        (RequestKind::Now, CallState::Value { kind, value }) if kind == "now" => {
            Next::Answer(Answer::Value(value.clone()))
        }
        (RequestKind::Uuid, CallState::Value { kind, value }) if kind == "new_uuid" => {
            Next::Answer(Answer::Value(value.clone()))
        }
        (_, CallState::Step(step)) => diverged(format!("`{}`", step.step)),
        (_, CallState::Wait(wait)) => diverged(match &wait.kind {
            WaitKind::Signal { name, .. } => format!("a wait for `{name}`"),
            WaitKind::Sleep { .. } => "a sleep".to_owned(),
        }),
        (_, CallState::Value { kind, .. }) => diverged(format!("`{kind}`")),
    }
}

fn name(request: &Request) -> String {
    match &request.kind {
        RequestKind::Step { name, .. } => format!("`{name}`"),
        RequestKind::Signal { name, .. } => format!("a wait for `{name}`"),
        RequestKind::Sleep { .. } => "a sleep".to_owned(),
        RequestKind::Now => "`now`".to_owned(),
        RequestKind::Uuid => "`new_uuid`".to_owned(),
    }
}

fn open_wait(at: &Situation<'_>, call: CallNumber, wait: &WaitState) -> Next {
    if let WaitKind::Signal { name, .. } = &wait.kind
        && let Some((signal, payload)) = at.inbox.iter().find_map(|item| item.signal(name))
    {
        return Next::Write(vec![Entry::SignalReceived { call, signal, payload: payload.clone() }]);
    }
    let deadline = at.run.deadline.filter(|_| !at.run.past_pivot());
    match wait.until {
        Some(until) => at.not_before(Some(until), || Next::Write(vec![Entry::WaitElapsed { call }])),
        None => Next::Rest { until: deadline },
    }
}

/// A step whose effect is not known, and no attempt of it is running.
fn open_step(at: &Situation<'_>, call: CallNumber, step: &StepState, contract: &StepContract) -> Next {
    if step.undone.is_some() {
        return Next::Write(vec![Entry::StepFailed { call, error: super::settle::told(step) }]);
    }
    if step.neutralise {
        return unwind::undo(at, call, step, contract);
    }
    if step.check.urge == Urge::Asked {
        return resolve_doubt(at, call, step, contract);
    }
    let forward = &step.forward;
    // What has no effect can be asked again however it went, and leaves nothing to find out.
    let harmless = contract.is_read_only();
    let may_be_sent_again = harmless || contract.may_be_sent_again() && contract.unknown == OnUnknown::Resolve;
    let again = || start(call, Phase::Forward, step);
    match forward.urge {
        Urge::Asked => return again(),
        Urge::Repeat if forward.lost >= CRASH_LIMIT => return at.review(Some(call), Reason::CrashLoop, last(step)),
        Urge::Repeat if may_be_sent_again => return again(),
        Urge::Repeat => return resolve_doubt(at, call, step, contract),
        Urge::Resend if budget_left(at, step, contract) => return again(),
        Urge::Resend => return exhausted(at, call, step, contract),
        Urge::None => {}
    }
    let tries_again = match last(step).class {
        Class::Transient => budget_left(at, step, contract),
        Class::Unknown => may_be_sent_again && budget_left(at, step, contract),
        Class::Refused => false,
    };
    if tries_again {
        at.not_before(forward.again, again)
    } else if step.doubt.is_some() && !harmless {
        resolve_doubt(at, call, step, contract)
    } else {
        exhausted(at, call, step, contract)
    }
}

fn budget_left(at: &Situation<'_>, step: &StepState, contract: &StepContract) -> bool {
    let in_time = contract.within.is_none_or(|within| {
        let next = step.forward.again.map_or(at.now, |again| again.max(at.now));
        next < step.intended.plus(within)
    });
    contract.retry.allows_another(step.forward.failed) && in_time
}

pub(super) fn last(step: &StepState) -> FailureReport {
    step.forward.last.as_ref().map_or_else(crate::journal::lost, |(report, _)| report.clone())
}
