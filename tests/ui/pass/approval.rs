//! The example of the design, whole.

use saga_core::time::days;
use saga_core::{Done, Failure, Found, Saga, Signal, StepCx, StepError, saga, signal, step};
use serde::{Deserialize, Serialize};

pub struct Gateway;
impl Gateway {
    async fn reserve(&self, _key: &str, _submission: &Submission) -> Result<Slot, GatewayError> {
        Ok(Slot(1))
    }
}
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Submission(String);
#[derive(Debug, Serialize, Deserialize)]
pub struct Slot(u64);
#[derive(Debug, Serialize, Deserialize)]
pub struct Publication(String);

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum GatewayError {
    #[failure(transient)]
    #[error("busy")]
    Busy,
    #[failure(refused, code = "no_slot")]
    #[error("no slot")]
    NoSlot,
    #[failure(unknown, reference = request)]
    #[error("no reply to {request}")]
    Lost { request: String },
}

#[derive(Debug, Serialize, Deserialize, Signal)]
pub enum Decision {
    Approve,
    Reject { reason: String },
}

#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
pub enum Refusal {
    #[error("rejected: {0}")]
    Rejected(String),
    #[error("nobody decided in time")]
    Expired,
    #[error(transparent)]
    Gateway(#[from] StepError<GatewayError>),
}

#[step(compensable(undo = release_slot), idempotent(key))]
pub async fn reserve_slot(cx: &StepCx<Gateway>, submission: &Submission) -> Result<Slot, GatewayError> {
    cx.env().reserve(cx.key(), submission).await
}

/// Safe when there is nothing to release.
pub async fn release_slot(
    _cx: &StepCx<Gateway>,
    _submission: &Submission,
    _made: Option<&Slot>,
) -> Result<(), GatewayError> {
    Ok(())
}

#[step(irreversible, verifiable(check = find_publication), idempotent(key))]
pub async fn publish(
    cx: &StepCx<Gateway>,
    slot: Done<reserve_slot>,
    submission: &Submission,
) -> Result<Publication, GatewayError> {
    Ok(Publication(format!("{}{}{}", cx.key(), slot.0, submission.0)))
}

pub async fn find_publication(
    _cx: &StepCx<Gateway>,
    _slot: Done<reserve_slot>,
    _submission: &Submission,
) -> Result<Found<Publication>, GatewayError> {
    Ok(Found::NotApplied)
}

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

fn main() {
    let start = approval(Submission("x".into()));
    drop(start);
    let definition = <approval as saga_core::SagaType>::DEFINITION;
    assert_eq!(definition.steps().len(), 2);
    assert_eq!(definition.signals(), ["Decision"]);
}
