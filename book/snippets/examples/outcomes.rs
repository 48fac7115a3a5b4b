//! The table of outcomes in the chapter on failures, row by row: what the gateway does, what the engine sends, how it ends.
#![allow(missing_docs)]

use book_snippets::Told::{Apply, Busy, Hang, LoseReply, LoseRequest, Refuse};
use book_snippets::{Gateway, GatewayError, Told, watch};
use saga_core::{Found, Saga, StepCx, StepError, saga, step};
use serde::{Deserialize, Serialize};
use std::error::Error;

#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
#[error(transparent)]
pub struct Refusal(#[from] StepError<GatewayError>);

async fn found(cx: &StepCx<Gateway>) -> Result<Found<u64>, GatewayError> {
    let number = cx.env().look("find").await?;
    Ok(if cx.env().has(cx.effect_key()) { Found::Applied(number) } else { Found::NotApplied })
}

// ANCHOR: steps
/// Compensable, and the undo is safe when there is nothing to undo.
#[step(compensable(undo = release), idempotent(key), retry(times = 3, base = "1ms"), timeout = "100ms")]
pub async fn reserve(cx: &StepCx<Gateway>) -> Result<u64, GatewayError> {
    cx.env().apply("send", cx.key()).await
}

/// The pivot: not idempotent, but it can be looked up.
#[step(irreversible, verifiable(check = find), not_idempotent, retry(times = 3, base = "1ms"))]
pub async fn charge(cx: &StepCx<Gateway>) -> Result<u64, GatewayError> {
    cx.env().apply("send", cx.key()).await
}

/// The pivot: neither idempotent nor to be looked up. A person decides.
#[step(irreversible, not_idempotent, unknown = review, retry(times = 3, base = "1ms"))]
pub async fn print(cx: &StepCx<Gateway>) -> Result<u64, GatewayError> {
    cx.env().apply("send", cx.key()).await
}

/// Follows a pivot.
#[step(verifiable(check = find), idempotent(key), retriable, retry(times = 3, base = "1ms"))]
pub async fn notify(cx: &StepCx<Gateway>) -> Result<u64, GatewayError> {
    cx.env().apply("send", cx.key()).await
}
// ANCHOR_END: steps

pub async fn release(cx: &StepCx<Gateway>, _made: Option<&u64>) -> Result<(), GatewayError> {
    cx.env().take_back("undo", cx.effect_key()).await
}
pub async fn find(cx: &StepCx<Gateway>) -> Result<Found<u64>, GatewayError> {
    found(cx).await
}

#[step(irreversible, idempotent(key))]
pub async fn pivot(cx: &StepCx<Gateway>) -> Result<u64, GatewayError> {
    cx.env().apply("pivot", cx.key()).await
}

#[saga(version = 1, owner = "me")]
pub async fn reserving(cx: &mut Saga) -> Result<(), Refusal> {
    reserve(cx).await?;
    Ok(())
}
#[saga(version = 1, owner = "me")]
pub async fn charging(cx: &mut Saga) -> Result<(), Refusal> {
    charge(cx).await?;
    Ok(())
}
#[saga(version = 1, owner = "me")]
pub async fn printing(cx: &mut Saga) -> Result<(), Refusal> {
    print(cx).await?;
    Ok(())
}
#[saga(version = 1, owner = "me")]
pub async fn notifying(cx: &mut Saga) -> Result<(), Refusal> {
    pivot(cx).await?;
    notify(cx).await?;
    Ok(())
}

/// What the gateway does, what was sent after the pivot, and how the run ended.
type Row = (&'static [Told], &'static [&'static str], &'static str);

// ANCHOR: reserve
const RESERVE: &[Row] = &[
    (&[Apply], &["send"], "completed"),
    (&[Busy, Apply], &["send", "send"], "completed"),
    (&[Busy, Busy, Busy], &["send", "send", "send"], "refused"),
    (&[Refuse], &["send"], "refused"),
    (&[LoseReply, Apply], &["send", "send"], "completed"),
    (&[Hang, Apply], &["send", "send"], "completed"),
    (&[LoseReply, LoseReply, LoseReply], &["send", "send", "send", "undo"], "refused"),
    // A doubt does not go away because a later attempt was refused: the effect may be the earlier attempt's.
    (&[LoseReply, Refuse], &["send", "send", "undo"], "refused"),
    (&[LoseRequest, Busy, Busy], &["send", "send", "send", "undo"], "refused"),
];
// ANCHOR_END: reserve

// ANCHOR: charge
const CHARGE: &[Row] = &[
    (&[LoseReply], &["send", "find"], "completed"),
    (&[LoseRequest, Apply], &["send", "find", "send"], "completed"),
    (&[LoseRequest, Refuse], &["send", "find", "send"], "refused"),
];
const PRINT: &[Row] = &[(&[Refuse], &["send"], "refused"), (&[LoseReply], &["send"], "review")];
// ANCHOR_END: charge

// ANCHOR: notify
const NOTIFY: &[Row] = &[
    (&[Busy, Apply], &["send", "send"], "completed"),
    (&[Busy, Busy, Busy], &["send", "send", "send"], "review"),
    (&[Refuse], &["send"], "review"),
    (&[LoseReply, LoseReply, LoseReply], &["send", "send", "send", "find"], "completed"),
];
// ANCHOR_END: notify

async fn play(saga: &str, (told, sent, state): Row) -> Result<(), Box<dyn Error>> {
    let told = &[("send", told)];
    let run = match saga {
        "reserve" => watch(reserving(), told).await?,
        "charge" => watch(charging(), told).await?,
        "print" => watch(printing(), told).await?,
        _ => watch(notifying(), told).await?,
    };
    let after_the_pivot: Vec<&str> = run.sent.into_iter().filter(|operation| *operation != "pivot").collect();
    assert_eq!((after_the_pivot.as_slice(), run.status.state.name()), (sent, state), "{saga} {told:?}");
    if state == "refused" {
        assert!(run.effects.is_empty(), "{saga} {told:?} left {:?}", run.effects);
    }
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    for (saga, rows) in [("reserve", RESERVE), ("charge", CHARGE), ("print", PRINT), ("notify", NOTIFY)] {
        for row in rows {
            play(saga, *row).await?;
        }
    }
    Ok(())
}

#[test]
fn it_runs() -> Result<(), Box<dyn Error>> {
    main()
}
