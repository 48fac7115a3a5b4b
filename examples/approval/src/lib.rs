//! The approval example: a submission takes a slot, a person approves it, and it is published.
//!
//! [`workflow`] is the saga; [`desk`] is what people and programs do with it; [`show`] runs it all and counts.
//! Holds the words of the example ([`model`]) and the outside world that it acts on ([`gateway`]). The outside world
//! knows nothing of sagas: it is a service like any other, with keys, refusals and faults of its own.

pub mod desk;
pub mod gateway;
pub mod model;
pub mod show;
pub mod workflow;
