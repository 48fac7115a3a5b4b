//! Typed sagas: workflows of effects that can be undone, verified, or neither, and whose compiler knows which.
//!
//! Start with the [book]; the shortest way in is the `approval` example.
//!
//! [book]: https://github.com/a-seed-180b26d2/typed-sagas
//!
//! The rooms of this crate, from the bottom up; each uses only those above it in this list:
//! - `contract`: what a step promises.
//! - `definition`: the shape of a saga, and the order rules.
//! - `saga`: what a user's code touches.
//! - `journal`: what a journal says.
//! - `decide`: what to do next. Pure: no clock, no store, no tokio.
//! - `store`: how a run is stored, as a contract; the memory store; the conformance suite.
//! - `engine`: who owns a run, and the edge that acts.
//! - `simulate` (feature of that name): plays all that can go wrong. Asks all of them.

mod canonical;
pub mod contract;
pub mod decide;
pub mod definition;
mod engine;
#[cfg(feature = "fuzzing")]
#[doc(hidden)]
pub mod fuzzing;
pub mod journal;
mod journaled;
mod payload;
mod run;
mod saga;
#[cfg(feature = "simulate")]
pub mod simulate;
pub mod store;

pub use contract::duration as time;
pub use engine::{
    BuildError, CancelAnswer, Client, ClientError, CodecError, Engine, EngineBuilder, Handle, Notifier, NotifyError,
    PayloadCodec, RunOutcome, Settings, StartHere, StartRun, Status, StepTable, StepView,
};
pub use journaled::Journaled;
#[doc(hidden)]
pub use journaled::{InputForm, journaled};
pub use payload::{LARGEST_PAYLOAD, Payload, PayloadError};
pub use run::{CallNumber, RunId, Timestamp};
#[doc(hidden)]
pub use saga::{Act, Acted, Acting, Body, boxed, checked, ran, undone};
pub use saga::{
    Awaits, BodyFuture, Call, DecodeError, Done, EncodeError, Failure, FailureReport, Fence, Found, InputReader,
    InputWriter, NotAStep, Provides, RunsOn, Saga, SagaType, Signal, SignalWait, Site, SiteOn, Start, Step, StepCx,
    StepError, StepErrorRecord, Unanswered, fallback, new_uuid, now, signal, sleep,
};
pub use saga_macros::{Environment, Failure, Signal, saga, step};
pub use store::Notice;

// Generated code names this crate by path; so do the examples in its own documentation.
extern crate self as saga_core;
