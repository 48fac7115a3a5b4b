//! Evidence by reference and by value: who must still be undone.
#![allow(missing_docs)]

use book_snippets::{Gateway, GatewayError, watch};
use saga_core::decide::State;
use saga_core::{Done, Found, Saga, StepCx, StepError, saga, step};
use serde::{Deserialize, Serialize};
use std::error::Error;

#[step(compensable(undo = release), idempotent(key))]
pub async fn reserve(cx: &StepCx<Gateway>) -> Result<u64, GatewayError> {
    cx.env().apply("reserve", cx.key()).await
}

pub async fn release(cx: &StepCx<Gateway>, _made: Option<&u64>) -> Result<(), GatewayError> {
    cx.env().take_back("release", cx.effect_key()).await
}

// ANCHOR: needs
/// Needs the reservation, which stays: `&Done<reserve>`.
#[step(compensable(undo = tear_off), idempotent(key))]
pub async fn label(cx: &StepCx<Gateway>, slot: &Done<reserve>) -> Result<u64, GatewayError> {
    let _number: u64 = **slot; // evidence holds the output
    cx.env().apply("label", cx.key()).await
}
// ANCHOR_END: needs

pub async fn tear_off(cx: &StepCx<Gateway>, _slot: &Done<reserve>, _made: Option<&u64>) -> Result<(), GatewayError> {
    cx.env().take_back("tear_off", cx.effect_key()).await
}

// ANCHOR: consumes
/// Consumes the reservation: `Done<reserve>`. Once this is confirmed, nobody has to give the slot back.
#[step(verifiable(check = find_handover), idempotent(key))]
pub async fn hand_over(cx: &StepCx<Gateway>, slot: Done<reserve>) -> Result<u64, GatewayError> {
    let _ = slot;
    cx.env().apply("hand_over", cx.key()).await
}
// ANCHOR_END: consumes

pub async fn find_handover(cx: &StepCx<Gateway>, _slot: Done<reserve>) -> Result<Found<u64>, GatewayError> {
    let number = cx.env().look("find").await?;
    Ok(if cx.env().has(cx.effect_key()) { Found::Applied(number) } else { Found::NotApplied })
}

#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
pub enum Refusal {
    #[error("changed our mind")]
    ChangedOurMind,
    #[error(transparent)]
    Gateway(#[from] StepError<GatewayError>),
}

// ANCHOR: sagas
#[saga(version = 1, owner = "me")]
pub async fn needed(cx: &mut Saga) -> Result<(), Refusal> {
    let slot = reserve(cx).await?;
    label(cx, &slot).await?;
    Err(Refusal::ChangedOurMind) // unwinds: tear_off, then release
}

#[saga(version = 1, owner = "me")]
pub async fn consumed(cx: &mut Saga) -> Result<(), Refusal> {
    let slot = reserve(cx).await?;
    hand_over(cx, slot).await?;
    Err(Refusal::ChangedOurMind) // unwinds: nothing is left to undo
}
// ANCHOR_END: sagas

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // ANCHOR: watched
    let run = watch(needed(), &[]).await?;
    assert_eq!(run.status.state, State::Refused);
    assert_eq!(run.sent, ["reserve", "label", "tear_off", "release"]);
    assert!(run.effects.is_empty());

    let run = watch(consumed(), &[]).await?;
    assert_eq!(run.status.state, State::Refused);
    assert_eq!(run.sent, ["reserve", "hand_over"]);
    assert_eq!(run.effects, ["reserve", "hand_over"]); // the handover is declared as one that may stay
    // ANCHOR_END: watched
    Ok(())
}

#[test]
fn it_runs() -> Result<(), Box<dyn Error>> {
    main()
}
