//! The publishing gateway: a service with a durable ledger, idempotency keys, and faults that can be told to it.
//!
//! - `wire`: what travels between it and its callers.
//! - `faults`: what it was told to do wrong, counted.
//! - `ledger`: what happened, in one SQLite file.
//! - `service`: its routes, and where in a request a fault strikes.
//! - `serve`: connections, and how a reply is lost.
//! - `client` and `error`: how a program calls it, and what a failed call proves.
//! - `command`: the service as a program.
//!
//! Each uses only those above it, and the client only `wire`, `faults` (to set them) and `error`.

pub mod client;
pub mod command;
pub mod error;
pub mod faults;
pub mod ledger;
pub mod serve;
pub mod service;
pub mod wire;

pub use client::Gateway;
pub use error::GatewayError;
