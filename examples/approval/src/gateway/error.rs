//! What a failed call of the gateway proves: nothing was sent, it said no, or nobody can tell.
//!
//! Decides the classes from evidence alone: what is not known for sure not to have been applied counts as unknown.

use saga_core::Failure;
use serde::{Deserialize, Serialize};

/// Why a call failed. Its class is what is known of the effect.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, Failure)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GatewayError {
    /// There was no connection, so nothing was sent.
    #[failure(transient)]
    #[error("the gateway cannot be reached: {message}")]
    Unreachable {
        /// The cause.
        message: String,
    },
    /// The gateway itself says that it takes no requests at the moment; nothing was applied.
    #[failure(transient)]
    #[error("the gateway is down: {message}")]
    Down {
        /// Its words.
        message: String,
    },
    /// The gateway said no; nothing was applied. For a reserve or a publish nothing ever will be under this key.
    #[failure(refused, code = "refused", reference = reference)]
    #[error("the gateway refused ({code}): {message}")]
    Refused {
        /// Its code.
        code: String,
        /// Its words.
        message: String,
        /// The row of its ledger, for the person who asks there.
        reference: Option<String>,
    },
    /// The key was used before, for another request: whose effect stands under it, a person has to see.
    #[failure(unknown, code = "key_reused", reference = reference)]
    #[error("the gateway knows this key from another request: {message}")]
    KeyReused {
        /// Its words.
        message: String,
        /// The row of its ledger.
        reference: Option<String>,
    },
    /// It was sent, and no reply came: the connection broke, or the time was up.
    #[failure(unknown)]
    #[error("no reply from the gateway: {message}")]
    ReplyLost {
        /// The cause.
        message: String,
    },
    /// A reply came that the gateway does not give: something between here and there answered, or another version of
    /// it.
    #[failure(unknown)]
    #[error("an unexpected reply ({status}) from the gateway: {message}")]
    Unexpected {
        /// The HTTP status.
        status: u16,
        /// What was wrong with it.
        message: String,
    },
}
