//! What the cases share, so that each shows one mistake and nothing else.

pub use saga_core::time::{days, seconds};
pub use saga_core::{
    Done, Environment, Failure, Found, Saga, Signal, StepCx, StepError, new_uuid, now, saga, signal, sleep, step,
};
pub use serde::{Deserialize, Serialize};

/// The other side.
#[derive(Debug)]
pub struct Gateway;

/// Why the other side refuses.
#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("refused")]
#[failure(refused)]
pub struct Refused;

/// Why a saga ends refused.
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
pub enum Refusal {
    /// A step was refused.
    #[error(transparent)]
    Step(#[from] StepError<Refused>),
    /// The saga decided so.
    #[error("no")]
    No,
}

/// A message.
#[derive(Debug, Serialize, Deserialize, Signal)]
pub enum Decision {
    /// Yes.
    Approve,
    /// No.
    Reject,
}

/// Compensable.
#[step(compensable(undo = release), idempotent)]
pub async fn reserve(_cx: &StepCx<Gateway>, id: u64) -> Result<u64, Refused> {
    Ok(id)
}

/// Its undo.
pub async fn release(_cx: &StepCx<Gateway>, _id: u64, _made: Option<&u64>) -> Result<(), Refused> {
    Ok(())
}

/// The pivot.
#[step(irreversible, idempotent)]
pub async fn publish(_cx: &StepCx<Gateway>, id: u64) -> Result<(), Refused> {
    if id == 0 { Err(Refused) } else { Ok(()) }
}

/// The pivot of what was reserved.
#[step(irreversible, idempotent)]
pub async fn publish_reserved(_cx: &StepCx<Gateway>, _slot: Done<reserve>) -> Result<(), Refused> {
    Ok(())
}

/// The pivot that goes on until it is done.
#[step(irreversible, idempotent, retriable)]
pub async fn announce(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

/// Consumes what was reserved, and is no pivot.
#[step(verifiable(check = find_handed_over), idempotent)]
pub async fn hand_over(_cx: &StepCx<Gateway>, _slot: Done<reserve>) -> Result<(), Refused> {
    Ok(())
}

/// Its check.
pub async fn find_handed_over(_cx: &StepCx<Gateway>, _slot: Done<reserve>) -> Result<Found<()>, Refused> {
    Ok(Found::NotApplied)
}

/// Needs what was reserved.
#[step(verifiable(check = find_label), idempotent)]
pub async fn label(_cx: &StepCx<Gateway>, _slot: &Done<reserve>) -> Result<(), Refused> {
    Ok(())
}

/// Its check.
pub async fn find_label(_cx: &StepCx<Gateway>, _slot: &Done<reserve>) -> Result<Found<()>, Refused> {
    Ok(Found::NotApplied)
}

/// Requires that something was reserved.
#[step(irreversible, idempotent, requires(reserve))]
pub async fn publish_any(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

/// Goes on until it is done.
#[step(verifiable(check = find_thanks), idempotent, retriable)]
pub async fn thank(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

/// Its check.
pub async fn find_thanks(_cx: &StepCx<Gateway>) -> Result<Found<()>, Refused> {
    Ok(Found::NotApplied)
}

/// Reads something.
#[step(read_only, idempotent)]
pub async fn look(_cx: &StepCx<Gateway>) -> Result<bool, Refused> {
    Ok(true)
}

/// Neither a step nor a wait.
pub async fn helper(_cx: &mut Saga) -> Result<(), Refused> {
    Ok(())
}
