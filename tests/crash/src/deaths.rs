//! Where a worker is to die. The process gets no chance to clean up: it sends itself SIGKILL.
//!
//! Knows no saga and no store; whoever reaches a place says so here.

use std::fmt;
use std::process::Command;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A place that a worker can reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A commit that has not begun.
    BeforeCommit,
    /// A commit that is durable and not yet answered.
    AfterCommit,
    /// In a step, before its effect.
    BeforeEffect,
    /// In a step, after its effect.
    AfterEffect,
    /// In an undo, before its effect.
    BeforeUndo,
    /// In an undo, after its effect.
    AfterUndo,
    /// In a check, before it looked.
    BeforeCheck,
    /// In a check, after it looked.
    AfterCheck,
}

const PLACES: [(&str, Place); 8] = [
    ("before-commit", Place::BeforeCommit),
    ("after-commit", Place::AfterCommit),
    ("before-effect", Place::BeforeEffect),
    ("after-effect", Place::AfterEffect),
    ("before-undo", Place::BeforeUndo),
    ("after-undo", Place::AfterUndo),
    ("before-check", Place::BeforeCheck),
    ("after-check", Place::AfterCheck),
];

/// An ordered death: `after-effect:charge`, `before-commit:step_done:charge`, `after-commit:wait_started`; `@2` at the end
/// means the second time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Death {
    place: Place,
    /// What is there: a step's name; of a commit, the kind of an entry, and a step's name if it matters.
    what: String,
    occurrence: u32,
}

/// A death that is not written as [`Death`] says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotADeath(String);

impl fmt::Display for NotADeath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no death: write PLACE:WHAT[@TIMES], like `after-effect:charge`", self.0)
    }
}

impl std::error::Error for NotADeath {}

impl FromStr for Death {
    type Err = NotADeath;
    fn from_str(text: &str) -> Result<Death, NotADeath> {
        let wrong = || NotADeath(text.to_owned());
        let (path, occurrence) = match text.split_once('@') {
            Some((path, times)) => (path, times.parse().map_err(|_| wrong())?),
            None => (text, 1),
        };
        let (place, what) = path.split_once(':').ok_or_else(wrong)?;
        let (_, place) = PLACES.into_iter().find(|(name, _)| *name == place).ok_or_else(wrong)?;
        Ok(Death { place, what: what.to_owned(), occurrence })
    }
}

/// The deaths of one process. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Deaths(Arc<Vec<(Death, AtomicU32)>>);

impl Deaths {
    /// These.
    pub fn new(deaths: Vec<Death>) -> Deaths {
        Deaths(Arc::new(deaths.into_iter().map(|death| (death, AtomicU32::new(0))).collect()))
    }

    /// The process is at this place; it may not come back.
    pub fn at(&self, place: Place, what: &str) {
        for (death, reached) in self.0.iter() {
            if death.place == place
                && death.what == what
                && reached.fetch_add(1, Ordering::SeqCst) + 1 == death.occurrence
            {
                die();
            }
        }
    }
}

/// Ends this process as a power failure would: no destructor, no handler, no flush.
fn die() -> ! {
    loop {
        // Not `abort`: it raises a signal that a handler could see.
        if Command::new("kill").args(["-9", &std::process::id().to_string()]).status().is_err() {
            std::process::abort();
        }
    }
}
