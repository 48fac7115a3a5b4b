//! Steps of another crate: their contracts travel with them.

use saga_core::{Failure, StepCx, step};
use serde::{Deserialize, Serialize};

/// Why the post refuses.
#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum PostError {
    /// No such address.
    #[error("no such address")]
    #[failure(refused)]
    NoAddress,
}

/// Sends a letter.
#[step(compensable(undo = recall), idempotent)]
pub async fn send_letter(_cx: &StepCx, to: &str) -> Result<u64, PostError> {
    if to.is_empty() { Err(PostError::NoAddress) } else { Ok(1) }
}

/// Recalls a letter, if it was sent.
pub async fn recall(_cx: &StepCx, _to: &str, _made: Option<&u64>) -> Result<(), PostError> {
    Ok(())
}

/// Burns the archive.
#[step(irreversible, idempotent)]
pub async fn burn(_cx: &StepCx) -> Result<(), PostError> {
    Ok(())
}

/// Tells everyone; goes on until it is done.
#[step(irreversible, idempotent, retriable)]
pub async fn announce(_cx: &StepCx) -> Result<(), PostError> {
    Ok(())
}
