//! What a journal says: its entries, and the state of a run that follows from them.
//!
//! Decides the meaning of every entry, once: the engine, the stores' tests, the simulator and the console fold the same way.
//! Knows no clock and no store; the times in it are the ones that the store wrote beside the entries.

mod entry;
mod fold;
mod payloads;
mod review;
mod state;

pub use entry::{By, Cause, End, Entry, Look, Phase, WaitKind};
pub use fold::Broken;
pub(crate) use fold::lost;
pub use review::{Action, Decision, Reason, Review, SET_ASIDE};
pub use state::{Attempts, CallState, Run, RunPhase, StepState, StepStatus, Urge, WaitState};
