//! The world outside: a ledger of effects by idempotency key.
//!
//! Decides what a well-behaved remote does: it de-duplicates by key where it is asked to, undoes what is there, and refuses what
//! arrives after its undo.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The ledger of one simulated run. Clones share it: hand one to the environment that your steps work in.
#[derive(Debug, Clone, Default)]
pub struct World(Arc<Mutex<Ledger>>);

#[derive(Debug, Default)]
struct Ledger {
    effects: BTreeMap<String, Effect>,
    asked: u64,
    speakers: BTreeSet<&'static str>,
}

#[derive(Debug, Default, Clone, Copy, Hash)]
struct Effect {
    there: u32,
    reverted: bool,
}

impl World {
    fn ledger(&self) -> MutexGuard<'_, Ledger> {
        let mut ledger = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ledger.asked += 1;
        ledger
    }

    /// An effect at a remote that de-duplicates by key. `false` if it was there already, or its undo came first.
    pub fn apply(&self, key: &str) -> bool {
        let mut ledger = self.ledger();
        let effect = ledger.effects.entry(key.to_owned()).or_default();
        let new = effect.there == 0 && !effect.reverted;
        effect.there += u32::from(new);
        new
    }

    /// An effect at a remote that does not look at keys: each time once more.
    pub fn add(&self, key: &str) {
        self.ledger().effects.entry(key.to_owned()).or_default().there += 1;
    }

    /// Undoes the effect, however often it took place; later ones under that key are refused by [`World::apply`]. Whether
    /// there was one.
    pub fn revert(&self, key: &str) -> bool {
        let mut ledger = self.ledger();
        let effect = ledger.effects.entry(key.to_owned()).or_default();
        let there = effect.there > 0;
        *effect = Effect { there: 0, reverted: true };
        there
    }

    /// Whether the effect is there.
    pub fn holds(&self, key: &str) -> bool {
        self.times(key) > 0
    }

    /// How often the effect is there.
    pub fn times(&self, key: &str) -> u32 {
        self.ledger().effects.get(key).map_or(0, |effect| effect.there)
    }

    /// The keys under which something is there.
    pub fn keys(&self) -> Vec<String> {
        let there = |(key, effect): (&String, &Effect)| (effect.there > 0).then(|| key.clone());
        self.ledger().effects.iter().filter_map(there).collect()
    }

    /// How often it was asked anything: tells whether a step speaks to this world at all.
    pub(crate) fn asked(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).asked
    }

    /// The step speaks to this world itself: nothing is entered on its behalf.
    pub(crate) fn speaks(&self, step: &'static str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).speakers.insert(step);
    }

    pub(crate) fn is_spoken_to_by(&self, step: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).speakers.contains(step)
    }

    /// What is there, without the names of this very run.
    pub(crate) fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for (key, effect) in &self.0.lock().unwrap_or_else(PoisonError::into_inner).effects {
            key.split_once(':').map_or(key.as_str(), |(_, rest)| rest).hash(&mut hasher);
            effect.hash(&mut hasher);
        }
        hasher.finish()
    }
}
