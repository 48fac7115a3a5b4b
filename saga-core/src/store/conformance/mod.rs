//! The suite that every store must pass, with the same answers. A third party runs it in a ten-line test:
//!
//! ```
//! use saga_core::store::conformance::{Fresh, run};
//! use saga_core::store::{ManualClock, MemoryStore};
//!
//! #[tokio::main(flavor = "current_thread")]
//! async fn main() {
//!     run(async || {
//!         let clock = ManualClock::at(Fresh::START);
//!         Fresh::new(MemoryStore::with_clock(clock.clone())).with_clock(clock)
//!     })
//!     .await;
//! }
//! ```
//!
//! Every case begins with a new, empty store and answers with a text, which is compared with the expected one; [`answers`]
//! gives the texts, so that two stores can be compared line by line. A store whose clock cannot be moved leaves
//! [`Fresh::with_clock`] out: then spans really pass, and the cases that turn the clock back are left out.

mod aside;
mod batches;
mod bench;
mod cancels;
mod claims;
mod creation;
mod decisions;
mod due;
mod exact;
mod fencing;
mod inbox;
mod leases;
mod limits;
mod lists;
mod notices;
mod time;
mod words;
mod workers;

pub use bench::Bench;

use super::{ManualClock, Store, StoreError};
use crate::run::Timestamp;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// A new, empty store.
#[derive(Clone)]
pub struct Fresh {
    store: Arc<dyn Store>,
    clock: Option<ManualClock>,
}

impl std::fmt::Debug for Fresh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Fresh").field("clock", &self.clock).finish_non_exhaustive()
    }
}

impl Fresh {
    /// A good time for a clock to begin at: 2026-03-12T03:11:13Z.
    pub const START: Timestamp = Timestamp(1_773_285_073_000_000);

    /// A new store that runs by a clock of its own.
    pub fn new(store: impl Store) -> Fresh {
        Fresh { store: Arc::new(store), clock: None }
    }

    /// The clock that the store runs by.
    #[must_use]
    pub fn with_clock(self, clock: ManualClock) -> Fresh {
        Fresh { clock: Some(clock), ..self }
    }
}

type CaseFuture<'a> = Pin<Box<dyn Future<Output = Result<Vec<String>, StoreError>> + Send + 'a>>;

/// One case of the suite.
#[derive(Clone, Copy)]
pub struct Case {
    /// What is true of a store that passes.
    pub name: &'static str,
    /// The answer, a line for each thing that was looked at.
    pub expected: &'static [&'static str],
    /// Whether the clock must be movable.
    pub moves_clock: bool,
    play: for<'a> fn(&'a Bench) -> CaseFuture<'a>,
}

impl std::fmt::Debug for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

impl Case {
    /// Plays the case with a new store; the answer, a line for each thing that was looked at.
    pub async fn answer(&self, fresh: Fresh) -> Vec<String> {
        let bench = Bench::new(fresh.store, fresh.clock, Duration::from_millis(200));
        (self.play)(&bench).await.unwrap_or_else(|error| vec![format!("the store failed: {error}")])
    }
}

/// Writes a list of cases: name, function, expected lines. `clock` marks those that need a movable clock.
macro_rules! cases {
    ($($(#[$needs:ident])? $name:literal, $play:path => [$($line:expr),* $(,)?];)*) => {
        pub(super) fn cases() -> Vec<$crate::store::conformance::Case> {
            vec![$($crate::store::conformance::Case {
                name: $name,
                expected: &[$($line),*],
                moves_clock: [$(stringify!($needs),)? ""][0] == "clock",
                play: |bench| Box::pin($play(bench)),
            }),*]
        }
    };
}
use cases;

/// All cases.
pub fn suite() -> Vec<Case> {
    [
        creation::cases(),
        fencing::cases(),
        claims::cases(),
        leases::cases(),
        inbox::cases(),
        due::cases(),
        cancels::cases(),
        decisions::cases(),
        aside::cases(),
        notices::cases(),
        workers::cases(),
        exact::cases(),
        limits::cases(),
        time::cases(),
        lists::cases(),
        batches::cases(),
    ]
    .concat()
}

/// The answer of a store to every case: name and lines. `fresh` makes a new, empty store.
pub async fn answers<F: Future<Output = Fresh>>(fresh: impl Fn() -> F) -> Vec<(&'static str, Vec<String>)> {
    let mut answers = Vec::new();
    for case in suite() {
        let fresh = fresh().await;
        if fresh.clock.is_some() || !case.moves_clock {
            answers.push((case.name, case.answer(fresh).await));
        }
    }
    answers
}

/// Plays all cases.
///
/// # Panics
/// With the list of the cases that failed: what was expected, and what was answered.
#[allow(clippy::panic, reason = "this is how a test fails")]
pub async fn run<F: Future<Output = Fresh>>(fresh: impl Fn() -> F) {
    let expected: std::collections::HashMap<_, _> =
        suite().into_iter().map(|case| (case.name, case.expected)).collect();
    let failed: Vec<String> = answers(fresh)
        .await
        .into_iter()
        .filter(|(name, answer)| expected.get(name).is_none_or(|lines| lines != answer))
        .map(|(name, answer)| {
            let lines = expected.get(name).map_or_else(String::new, |lines| lines.join("\n    "));
            format!("{name}\n  expected\n    {lines}\n  answered\n    {}", answer.join("\n    "))
        })
        .collect();
    if !failed.is_empty() {
        panic!("{} cases failed:\n\n{}", failed.len(), failed.join("\n\n"));
    }
}
