//! What a fuzzer asks of this crate: each target makes something of its bytes and panics where a promise is broken.
//!
//! Built only with the feature `fuzzing`, for the fuzzer of this workspace; no part of what this crate promises. It must not
//! know where its bytes come from: from a fuzzer, or from the corpus that every test run replays.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a target is a proof: it ends with a panic where a promise is broken"
)]
#![allow(clippy::cast_possible_truncation, reason = "numbers are arbitrary; their low bits are as good as others")]

mod bytes;
mod deciding;
mod decoding;
mod definitions;
mod entries;
mod machines;

pub use bytes::Bytes;
pub use deciding::decide;
pub use decoding::journal_decode;
pub use definitions::definition;
