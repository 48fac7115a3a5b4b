//! Says, at every place that a simulated run comes to, what happens there; remembers what was asked.
//!
//! Decides by a schedule, and beyond it as on a good day. Knows no store and no engine.

use super::choice::{Choice, Schedule};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// How a run is chosen beyond its schedule.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Beyond {
    /// The first option everywhere.
    GoodDay,
    /// Any option; seldom a fault.
    Chance(u64),
}

/// One place of a run.
#[derive(Debug, Clone)]
pub(crate) struct Visited {
    /// Where, in words.
    pub(crate) place: String,
    /// What can happen there; the first is the good day.
    pub(crate) options: Vec<Choice>,
    pub(crate) taken: Choice,
}

#[derive(Debug)]
struct Script {
    schedule: HashMap<usize, Choice>,
    beyond: Beyond,
    visited: Vec<Visited>,
    fault: Option<String>,
    dead: Vec<u32>,
    frozen: HashMap<u32, Instant>,
    cancelled: bool,
    cut: bool,
}

/// States from which everything has been walked already, with the faults that could still happen then.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known(Arc<Mutex<HashMap<u64, usize>>>);

impl Known {
    /// Whether the state is new, or more can still happen than when it was met.
    fn is_new(&self, digest: u64, left: usize) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.get(&digest).is_some_and(|before| *before >= left) {
            return false;
        }
        known.insert(digest, left);
        true
    }

    pub(crate) fn count(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// Shared by all that takes part in one run.
#[derive(Debug, Clone)]
pub(crate) struct Director {
    script: Arc<Mutex<Script>>,
    /// Something happened that the driver must look at.
    pub(crate) happened: Arc<Notify>,
    known: Option<(Known, usize)>,
    first_new: usize,
}

impl Director {
    /// `known`, with the faults that are left beyond the schedule, ends a run that comes to a state from which all was walked.
    pub(crate) fn new(schedule: &Schedule, beyond: Beyond, known: Option<(Known, usize)>) -> Director {
        let script = Script {
            schedule: schedule.0.iter().copied().collect(),
            beyond,
            visited: Vec::new(),
            fault: None,
            dead: Vec::new(),
            frozen: HashMap::new(),
            cancelled: false,
            cut: false,
        };
        let first_new = schedule.0.last().map_or(0, |(place, _)| place + 1);
        Director { script: Arc::new(Mutex::new(script)), happened: Arc::default(), known, first_new }
    }

    fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What happens at this place. Never answers where the run need not be followed any further.
    pub(crate) async fn at(&self, place: String, options: Vec<Choice>, digest: u64) -> Choice {
        match self.choose(place, options, digest) {
            Some(choice) => choice,
            None => {
                self.happened.notify_one();
                std::future::pending().await
            }
        }
    }

    fn choose(&self, place: String, options: Vec<Choice>, digest: u64) -> Option<Choice> {
        let mut script = self.script();
        let number = script.visited.len();
        if script.cut {
            return None;
        }
        if let Some((known, left)) = &self.known
            && number >= self.first_new
            && !known.is_new(digest, *left)
        {
            script.cut = true;
            return None;
        }
        let good = options.first().copied().unwrap_or(Choice::Go);
        let taken = match script.schedule.get(&number) {
            Some(choice) => *choice,
            None => match &mut script.beyond {
                Beyond::GoodDay => good,
                Beyond::Chance(state) => {
                    let luck = next(state);
                    let any = options[(next(state) % options.len().max(1) as u64) as usize];
                    if any.price() == 0 || luck.is_multiple_of(8) { any } else { good }
                }
            },
        };
        script.cancelled |= taken == Choice::Cancel;
        script.visited.push(Visited { place, options, taken });
        Some(taken)
    }

    /// A rule was broken. The first is kept: what follows may be its consequence.
    pub(crate) fn fault(&self, words: String) {
        self.script().fault.get_or_insert(words);
        self.happened.notify_one();
    }

    pub(crate) fn found(&self) -> Option<String> {
        self.script().fault.clone()
    }

    pub(crate) fn visited(&self) -> Vec<Visited> {
        self.script().visited.clone()
    }

    /// Whether the run came to a state from which all was walked.
    pub(crate) fn is_cut(&self) -> bool {
        self.script().cut
    }

    pub(crate) fn count(&self) -> usize {
        self.script().visited.len()
    }

    /// Whether somebody has cancelled already: twice tells nothing new.
    pub(crate) fn was_cancelled(&self) -> bool {
        self.script().cancelled
    }

    /// The worker is gone, and whoever asks on its behalf never hears an answer.
    pub(crate) async fn die<T>(&self, worker: u32) -> T {
        self.script().dead.push(worker);
        self.happened.notify_one();
        std::future::pending().await
    }

    /// The worker stands still.
    pub(crate) fn freeze(&self, worker: u32, length: Duration) {
        self.script().frozen.insert(worker, Instant::now() + length);
        self.happened.notify_one();
    }

    /// Passes at once unless the worker is dead or stands still.
    pub(crate) async fn gate(&self, worker: u32) {
        loop {
            let (dead, until) = {
                let script = self.script();
                (script.dead.contains(&worker), script.frozen.get(&worker).copied())
            };
            if dead {
                return std::future::pending().await;
            }
            match until.filter(|until| *until > Instant::now()) {
                Some(until) => tokio::time::sleep_until(until).await,
                None => return,
            }
        }
    }

    /// Whether the worker could take a run up now.
    pub(crate) fn is_well(&self, worker: u32) -> bool {
        let script = self.script();
        !script.dead.contains(&worker) && script.frozen.get(&worker).is_none_or(|until| *until <= Instant::now())
    }
}

/// SplitMix64: small, and the same everywhere.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
