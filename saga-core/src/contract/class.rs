//! The classes a step can belong to, and the classes an outcome can have. Pure vocabulary: no behaviour, no numbers.

use core::time::Duration;
use serde::{Deserialize, Serialize};

/// What can be done about a step's effect. Exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reversibility {
    /// An undo neutralises it.
    Compensable {
        /// What the undo must be given.
        needs: Needs,
    },
    /// The effect may stay: it is a valid partial result. On unwind it is looked up and recorded as kept.
    Kept,
    /// The pivot. Never unwound past.
    Irreversible,
    /// No effect outside.
    ReadOnly,
}

/// What an undo needs to work with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Safe when there is nothing to undo: called with `None` where the reply was lost.
    Nothing,
    /// The confirmed output.
    Output,
}

/// Whether a step may be sent twice. Exactly one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idempotency {
    /// The effect is the same however often it is sent.
    Idempotent,
    /// The remote drops duplicates by the call's key.
    ByKey,
    /// Never sent again on a guess.
    NotIdempotent,
}

/// That a step's effect can be looked up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verification {
    /// How long after the last attempt "not found" proves nothing: the request may still land, or the lookup may lag.
    pub settle: Duration,
    /// Limits and delays of the lookups of one unknown outcome.
    pub retry: super::Retry,
}

/// What happens first after an unknown outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnUnknown {
    /// What the class allows: sent again, verified, undone, and only then a review.
    Resolve,
    /// A person decides at once.
    Review,
}

/// What is known about a failed attempt. Written by `#[derive(Failure)]` on the step's error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// Known not applied; trying again may succeed.
    Transient,
    /// Known not applied; trying again will not help.
    Refused,
    /// May or may not have been applied: a lost reply, a timeout, a panic, a lost worker.
    Unknown,
}
