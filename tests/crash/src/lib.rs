//! What is left after a kill: sagas of every class, a ledger of their effects, and deaths that can be ordered anywhere.
//!
//! Decides how a worker dies and what the world counts; the tests decide what must be left.

pub mod deaths;
pub mod killing;
pub mod ledger;
pub mod sagas;
pub mod steps;
pub mod world;
