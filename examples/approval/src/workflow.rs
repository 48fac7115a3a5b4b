//! The workflow: three steps, one saga. This is all that its author writes; the rest of the example is programs around it.

use crate::gateway::wire::Lookup;
use crate::gateway::{Gateway, GatewayError};
use crate::model::{Publication, Slot, Submission};
use saga_core::{Done, Found, Saga, Signal, StepCx, StepError, saga, signal, step};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What an editor decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Signal)]
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
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Refusal {
    /// An editor said no.
    #[error("rejected: {0}")]
    Rejected(String),
    /// No editor said anything.
    #[error("nobody decided in time")]
    Expired,
    /// The gateway said no, or could not be had.
    #[error(transparent)]
    Gateway(#[from] StepError<GatewayError>),
}

/// Takes a slot for the submission.
#[step(
    compensable(undo = release_slot, retry(times = 4, base = "100ms", cap = "1s")),
    idempotent(key),
    retry(times = 5, base = "100ms", cap = "2s", jitter),
    timeout = "2s"
)]
pub async fn reserve_slot(cx: &StepCx<Gateway>, submission: &Submission) -> Result<Slot, GatewayError> {
    cx.env().reserve(cx.key(), submission).await
}

/// Gives the slot back. Safe when there is nothing to give back: `made` is `None` where the reply was lost, and the gateway
/// then bars the reservation, should it still land.
///
/// # Errors
/// Those of the gateway.
pub async fn release_slot(
    cx: &StepCx<Gateway>,
    submission: &Submission,
    _made: Option<&Slot>,
) -> Result<(), GatewayError> {
    cx.env().release(cx.key(), cx.effect_key(), submission).await
}

/// Publishes: the pivot. It consumes the slot, so from here on there is nothing to give back.
#[step(
    irreversible,
    verifiable(check = find_publication, settle = "1s", retry(times = 10, base = "200ms", cap = "2s")),
    idempotent(key),
    retry(times = 4, base = "100ms", cap = "2s", jitter),
    timeout = "2s"
)]
pub async fn publish(
    cx: &StepCx<Gateway>,
    slot: Done<reserve_slot>,
    submission: &Submission,
) -> Result<Publication, GatewayError> {
    cx.env().publish(cx.key(), &slot, submission).await
}

/// Asks the gateway whether it is published.
///
/// # Errors
/// Those of the gateway.
pub async fn find_publication(
    cx: &StepCx<Gateway>,
    _slot: Done<reserve_slot>,
    _submission: &Submission,
) -> Result<Found<Publication>, GatewayError> {
    Ok(match cx.env().find_publication(cx.effect_key()).await? {
        Lookup::Applied { publication } => Found::Applied(publication),
        Lookup::Pending => Found::Pending,
        Lookup::NotFound => Found::NotApplied,
    })
}

/// Reserve, wait for an editor, publish; on a no, an expiry, a cancel or a failure the slot is given back.
#[saga(version = 1, owner = "editors", deadline = "7d")]
pub async fn approval(cx: &mut Saga, submission: Submission, patience: Duration) -> Result<Publication, Refusal> {
    let slot = reserve_slot(cx, &submission).await?;
    match signal::<Decision>(cx).within(patience).await {
        Some(Decision::Approve) => {}
        Some(Decision::Reject { reason }) => return Err(Refusal::Rejected(reason)),
        None => return Err(Refusal::Expired),
    }
    Ok(publish(cx, slot, &submission).await?.into_inner())
}
