//! The simulator: walks every way in which a saga can go wrong, up to a bound, and says what it found.
//!
//! ```
//! # use saga_core::{Failure, Saga, StepCx, StepError, saga, simulate, step};
//! # use serde::{Deserialize, Serialize};
//! # #[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
//! # pub enum Refused { #[failure(refused)] #[error("refused")] Refused }
//! # #[step(compensable(undo = release), idempotent(key))]
//! # pub async fn reserve(cx: &StepCx) -> Result<u64, Refused> { let _ = cx.key(); Ok(1) }
//! # pub async fn release(_: &StepCx, _made: Option<&u64>) -> Result<(), Refused> { Ok(()) }
//! # #[saga(version = 1, owner = "desk")]
//! # pub async fn order(cx: &mut Saga) -> Result<u64, StepError<Refused>> { Ok(reserve(cx).await?.into_inner()) }
//! let summary = simulate::explore(order).output::<reserve>(|| 7).run().unwrap_or_else(|found| panic!("{found}"));
//! assert!(summary.schedules > 10 && summary.ends.len() > 1, "{summary}");
//! ```
//!
//! What is real: the core, the engine with its workers, writer, leases and bodies, and the memory store. What is not: time is
//! virtual; a worker dies by having its store and its steps never answer it again, because a task cannot be killed from outside;
//! chance is counted; sealing and notifying are left out, since they decide nothing about a saga.
//!
//! This room asks all others and none may ask it.

mod choice;
mod director;
mod drive;
mod explore;
mod hand;
mod report;
mod store;
mod verdict;
mod world;

pub use choice::Choice;
pub use explore::{Explore, explore};
pub use report::{Counterexample, Summary};
pub use verdict::End;
pub use world::World;
