//! What the book's snippets share: the saga of its first chapters, a gateway that fails as it is told, and a way to watch a
//! run. Shows how a saga is written; decides nothing of how one is run.

mod gateway;
mod watch;

pub use gateway::{Gateway, GatewayError, Told};
pub use watch::{Watched, settings, until_it_rests, watch};

use saga_core::time::days;
use saga_core::{Done, Found, Saga, Signal, StepCx, StepError, saga, signal, step};
use serde::{Deserialize, Serialize};

// ANCHOR: words
/// A text that somebody wants published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// Its title.
    pub title: String,
}

/// A place at the publishing desk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Slot(pub u64);

/// A published text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Publication(pub u64);

/// What an editor decides.
#[derive(Debug, Serialize, Deserialize, Signal)]
pub enum Decision {
    /// Publish it.
    Approve,
    /// Do not.
    Reject {
        /// Why not.
        reason: String,
    },
}

/// Why a submission was not published.
#[derive(Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Refusal {
    /// An editor said no.
    #[error("rejected: {0}")]
    Rejected(String),
    /// No editor said anything.
    #[error("nobody decided in time")]
    Expired,
    /// A step did not come about.
    #[error(transparent)]
    Gateway(#[from] StepError<GatewayError>),
}
// ANCHOR_END: words

// ANCHOR: reserve
/// Takes a slot.
#[step(compensable(undo = release_slot), idempotent(key))]
pub async fn reserve_slot(cx: &StepCx<Gateway>, submission: &Submission) -> Result<Slot, GatewayError> {
    let _ = submission; // a real gateway is told for what
    Ok(Slot(cx.env().apply("reserve", cx.key()).await?))
}

/// Gives the slot back. Safe when there is nothing to give back: `made` is `None` where the reply was lost.
///
/// # Errors
/// Those of the gateway.
pub async fn release_slot(
    cx: &StepCx<Gateway>,
    submission: &Submission,
    made: Option<&Slot>,
) -> Result<(), GatewayError> {
    let _ = (submission, made); // the effect is named by its key
    cx.env().take_back("release", cx.effect_key()).await
}
// ANCHOR_END: reserve

// ANCHOR: publish
/// Publishes: the pivot. It consumes the slot.
#[step(irreversible, verifiable(check = find_publication), idempotent(key))]
pub async fn publish(
    cx: &StepCx<Gateway>,
    slot: Done<reserve_slot>,
    submission: &Submission,
) -> Result<Publication, GatewayError> {
    let _ = (slot, submission);
    Ok(Publication(cx.env().apply("publish", cx.key()).await?))
}

/// Looks up whether it is published.
///
/// # Errors
/// Those of the gateway.
pub async fn find_publication(
    cx: &StepCx<Gateway>,
    _slot: Done<reserve_slot>,
    _submission: &Submission,
) -> Result<Found<Publication>, GatewayError> {
    let number = cx.env().look("find").await?;
    Ok(if cx.env().has(cx.effect_key()) { Found::Applied(Publication(number)) } else { Found::NotApplied })
}
// ANCHOR_END: publish

// ANCHOR: saga
/// Reserve, wait for an editor, publish.
#[saga(version = 1, owner = "editors", deadline = "7d")]
pub async fn approval(cx: &mut Saga, submission: Submission) -> Result<Publication, Refusal> {
    let slot = reserve_slot(cx, &submission).await?;
    match signal::<Decision>(cx).within(days(3)).await {
        Some(Decision::Approve) => {}
        Some(Decision::Reject { reason }) => return Err(Refusal::Rejected(reason)),
        None => return Err(Refusal::Expired),
    }
    Ok(publish(cx, slot, &submission).await?.into_inner())
}
// ANCHOR_END: saga
