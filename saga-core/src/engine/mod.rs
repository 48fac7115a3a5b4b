//! Who owns a run, and the edge that acts: registration, workers, leases, attempts, and the typed client.
//!
//! Decides nothing about what follows from a journal: it asks `decide` and does what it is told.

mod acting;
mod aside;
mod attempt;
mod body;
mod build;
mod chance;
mod client;
pub(crate) mod codec;
mod live;
mod notify;
mod over;
mod registry;
mod resident;
pub(crate) mod seal;
mod shared;
mod status;
pub(crate) mod table;
mod view;
mod worker;
mod writer;

pub use build::{BuildError, Engine, EngineBuilder, StartHere};
pub use client::{CancelAnswer, Client, ClientError, Handle, RunOutcome, StartRun};
pub use notify::{Notifier, NotifyError};
#[cfg(feature = "simulate")]
pub(crate) use resident::key_of;
pub use seal::{CodecError, PayloadCodec};
pub use shared::Settings;
pub use status::Status;
pub use table::StepTable;
pub use view::StepView;
