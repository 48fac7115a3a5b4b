//! What tests of whole runs share: a remote that keeps a ledger and misbehaves as it is told, and a store with something
//! before it. Knows no saga and no test.

pub mod before;
mod world;

pub use world::{Act, Look, Sent, World, WorldError};
