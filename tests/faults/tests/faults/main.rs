//! What people met in production, played against every store, with one worker and with three. A file for each kind of fault;
//! the list that the book shows stands beside the tests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    unreachable_pub,
    reason = "a test that ends is a test that says so, and what the macros make is public"
)]

mod again;
mod cancel;
mod cell;
mod contention;
mod ends;
mod leases;
mod operators;
mod order;
mod outcomes;
mod payloads;
mod recovery;
mod registry;
mod signals;
mod steps;
mod table;
mod time;
mod undo;
mod unseen;
mod versions;
