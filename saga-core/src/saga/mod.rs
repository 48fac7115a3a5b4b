//! What a user's code touches: steps, evidence, calls, waits, and the type of a whole saga.
//!
//! Decides what may be written in a step and in a body, and turns it into requests. Knows contracts and payloads; knows no
//! store and no engine: a body only asks, and whoever drives it answers.

mod call;
mod context;
mod environment;
mod evidence;
mod exchange;
mod failure;
mod inputs;
mod kind;
mod message;
mod site;
mod step;
mod waits;

pub use call::Call;
pub(crate) use context::{AttemptCx, EnvironmentOf};
pub use context::{Fence, StepCx};
pub use environment::Provides;
pub use evidence::Done;
pub use exchange::Saga;
pub(crate) use exchange::{Answer, BodyFault, Exchange, Request, RequestKind};
pub(crate) use failure::cut;
pub use failure::{Failure, FailureReport, Found, StepError, StepErrorRecord, Unanswered};
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) use inputs::WrittenInputs;
pub use inputs::{DecodeError, EncodeError, InputReader, InputWriter};
pub use kind::{Awaits, Body, BodyFuture, RunsOn, SagaType, Start, boxed};
pub use message::Signal;
pub use site::{NotAStep, Site, SiteOn, fallback};
#[doc(hidden)]
pub use site::{new_uuid, now, signal, sleep};
pub(crate) use step::Answered;
pub use step::{Act, Acted, Acting, Step, checked, ran, undone};
pub use waits::{SignalWait, new_uuid, now, signal, sleep};
