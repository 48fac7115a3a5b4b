//! The other side, in memory: a ledger of effects by key, and for each step how it is to behave.
//!
//! Decides what a remote decides: whether an effect is there, whether a key is seen twice, what is answered, what a lookup
//! shows. Knows no saga. An undo is called after its step: `unreserve` undoes what `reserve` did under the same call.

use saga_core::{Failure, Found};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A remote. Clones are the same one.
#[derive(Clone, Default)]
pub struct World(Arc<Mutex<Inside>>);

impl std::fmt::Debug for World {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("World").field("sent", &self.sent()).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Inside {
    ledger: Vec<Effect>,
    sent: Vec<Sent>,
    script: BTreeMap<&'static str, Vec<Act>>,
    always: BTreeMap<&'static str, Act>,
    looks: BTreeMap<&'static str, Vec<Look>>,
    counts_every_send: BTreeSet<&'static str>,
    shows_after: BTreeMap<&'static str, Duration>,
    barred: BTreeSet<String>,
    values: BTreeMap<String, String>,
    notes: Vec<String>,
}

struct Effect {
    step: String,
    key: String,
    at: Instant,
    undone: bool,
}

/// One request that reached the remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sent {
    /// The step, or the undo.
    pub step: &'static str,
    /// Under which key.
    pub key: String,
    /// When it came.
    pub began: Instant,
    /// When it was answered, if it was.
    pub ended: Option<Instant>,
}

/// What becomes of one request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Act {
    /// Applied and answered.
    Apply,
    /// Not applied; it may be tried again.
    Busy,
    /// Not applied, for good.
    Refuse,
    /// Refused: the thing was changed since.
    Conflict,
    /// Refused: the caller is not known.
    Unauthorized,
    /// Applied; the answer is lost.
    LoseReply,
    /// Not applied; that is not known.
    LoseRequest,
    /// Applied; never answered.
    Hang,
    /// Applied; the step panics.
    Panic,
    /// Applied and answered after this long.
    Slow(Duration),
    /// Under way so long that the answer is lost; applied only then.
    Late(Duration),
}

/// What a lookup says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Look {
    /// What the ledger shows.
    Truth,
    /// That it is not there.
    NotApplied,
    /// That it is still under way.
    Pending,
    /// That it cannot be told.
    CannotTell,
    /// Nothing: the lookup fails.
    Busy,
}

/// How a request fails.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum WorldError {
    /// Not applied.
    #[failure(transient)]
    #[error("busy")]
    Busy,
    /// Not applied, for good.
    #[failure(refused, code = "no")]
    #[error("refused")]
    Refused,
    /// Changed since.
    #[failure(refused, code = "conflict")]
    #[error("changed since")]
    Conflict,
    /// Who asks is not known.
    #[failure(refused, code = "auth")]
    #[error("not authorized")]
    Unauthorized,
    /// Maybe applied.
    #[failure(unknown)]
    #[error("no reply")]
    Lost,
    /// Not applied, in the remote's own words.
    #[failure(refused)]
    #[error("{0}")]
    Said(String),
}

/// The output of every effect that no test gives another one.
const MADE: u64 = 7;

impl World {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How the next requests of a step are treated; then as [`World::always`] says.
    pub fn script(&self, step: &'static str, acts: &[Act]) {
        self.inside().script.insert(step, acts.iter().rev().copied().collect());
    }

    /// How requests of a step are treated that no script is left for; applied if nothing is said.
    pub fn always(&self, step: &'static str, act: Act) {
        self.inside().always.insert(step, act);
    }

    /// What the next lookups of a step say; the last one is repeated.
    pub fn looks(&self, step: &'static str, looks: &[Look]) {
        self.inside().looks.insert(step, looks.iter().rev().copied().collect());
    }

    /// Every send of this step is an effect of its own: its key is not looked at.
    pub fn counts_every_send(&self, step: &'static str) {
        self.inside().counts_every_send.insert(step);
    }

    /// Effects of this step are shown to lookups only after this long.
    pub fn shows_after(&self, step: &'static str, lag: Duration) {
        self.inside().shows_after.insert(step, lag);
    }

    /// A request. `effect` above zero: to do it; else: to undo it, under its own key, `..:undo`.
    ///
    /// # Errors
    /// As it is told.
    ///
    /// # Panics
    /// As it is told.
    pub async fn act(&self, step: &'static str, key: &str, effect: i32) -> Result<u64, WorldError> {
        let (act, number) = self.arrives(step, key);
        match act {
            Act::Apply | Act::LoseReply | Act::Hang | Act::Panic => self.apply(step, key, effect),
            Act::Slow(span) => {
                tokio::time::sleep(span).await;
                self.apply(step, key, effect);
            }
            Act::Late(span) => {
                let (world, key) = (self.clone(), key.to_owned());
                tokio::spawn(async move {
                    tokio::time::sleep(span).await;
                    world.apply(step, &key, effect);
                });
            }
            Act::Busy | Act::Refuse | Act::Conflict | Act::Unauthorized | Act::LoseRequest => {}
        }
        if act != Act::Hang {
            self.inside().sent[number].ended = Some(Instant::now());
        }
        match act {
            Act::Apply | Act::Slow(_) => Ok(MADE),
            Act::Busy => Err(WorldError::Busy),
            Act::Refuse => Err(WorldError::Refused),
            Act::Conflict => Err(WorldError::Conflict),
            Act::Unauthorized => Err(WorldError::Unauthorized),
            Act::LoseReply | Act::LoseRequest | Act::Late(_) => Err(WorldError::Lost),
            Act::Hang => std::future::pending().await,
            #[allow(clippy::panic, reason = "a step that panics is what is asked for")]
            Act::Panic => panic!("the step's own fault"),
        }
    }

    fn arrives(&self, step: &'static str, key: &str) -> (Act, usize) {
        let mut inside = self.inside();
        inside.sent.push(Sent { step, key: key.to_owned(), began: Instant::now(), ended: None });
        let act = inside.script.get_mut(step).and_then(Vec::pop);
        let act = act.or_else(|| inside.always.get(step).copied()).unwrap_or(Act::Apply);
        (act, inside.sent.len() - 1)
    }

    fn apply(&self, step: &'static str, key: &str, effect: i32) {
        let mut inside = self.inside();
        if effect <= 0 {
            let key = key.trim_end_matches(":undo");
            inside.ledger.iter_mut().filter(|made| made.key == key).for_each(|made| made.undone = true);
            inside.barred.insert(key.to_owned());
            return;
        }
        let known = inside.ledger.iter().any(|made| made.key == key) || inside.barred.contains(key);
        if !known || inside.counts_every_send.contains(step) {
            inside.ledger.push(Effect {
                step: step.to_owned(),
                key: key.to_owned(),
                at: Instant::now(),
                undone: false,
            });
        }
    }

    /// A lookup of what was sent under this key.
    ///
    /// # Errors
    /// As it is told.
    pub async fn look(&self, step: &'static str, key: &str) -> Result<Found<u64>, WorldError> {
        let mut inside = self.inside();
        let lag = inside.shows_after.get(step).copied().unwrap_or_default();
        let looks = inside.looks.entry(step).or_default();
        let look = if looks.len() > 1 { looks.pop() } else { looks.last().copied() };
        let shown = inside.ledger.iter().any(|made| made.key == key && !made.undone && made.at.elapsed() >= lag);
        match look.unwrap_or(Look::Truth) {
            Look::Truth if shown => Ok(Found::Applied(MADE)),
            Look::Truth | Look::NotApplied => Ok(Found::NotApplied),
            Look::Pending => Ok(Found::Pending),
            Look::CannotTell => Ok(Found::CannotTell),
            Look::Busy => Err(WorldError::Busy),
        }
    }

    /// The steps and undos that were sent, in order.
    pub fn sent(&self) -> Vec<String> {
        self.inside().sent.iter().map(|sent| sent.step.to_owned()).collect()
    }

    /// The requests, in order.
    pub fn requests(&self) -> Vec<Sent> {
        self.inside().sent.clone()
    }

    /// The keys under which a step or an undo was sent, in order.
    pub fn keys(&self, step: &str) -> Vec<String> {
        self.inside().sent.iter().filter(|sent| sent.step == step).map(|sent| sent.key.clone()).collect()
    }

    /// How often a step or an undo was sent.
    pub fn count(&self, step: &str) -> usize {
        self.keys(step).len()
    }

    /// How often a step took effect, whatever became of it.
    pub fn made(&self, step: &str) -> usize {
        self.inside().ledger.iter().filter(|made| made.step == step).count()
    }

    /// How many effects of a step are not undone.
    pub fn standing(&self, step: &str) -> usize {
        self.inside().ledger.iter().filter(|made| made.step == step && !made.undone).count()
    }

    /// The steps that have effects which are not undone.
    pub fn effects(&self) -> Vec<String> {
        let inside = self.inside();
        let standing: BTreeSet<_> = inside.ledger.iter().filter(|made| !made.undone).map(|made| &made.step).collect();
        standing.into_iter().cloned().collect()
    }

    /// How many effects of a run are not undone.
    pub fn left(&self, run: saga_core::RunId) -> usize {
        let of = format!("{run}:");
        self.inside().ledger.iter().filter(|made| !made.undone && made.key.starts_with(&of)).count()
    }

    /// Sets a value if it is as expected.
    ///
    /// # Errors
    /// `Conflict` if it is not.
    pub fn change(&self, name: &str, from: Option<&str>, to: &str) -> Result<(), WorldError> {
        let mut inside = self.inside();
        if inside.values.get(name).map(String::as_str) != from {
            return Err(WorldError::Conflict);
        }
        inside.values.insert(name.to_owned(), to.to_owned());
        Ok(())
    }

    /// A value.
    pub fn value(&self, name: &str) -> Option<String> {
        self.inside().values.get(name).cloned()
    }

    /// What a step wants remembered.
    pub fn note(&self, words: impl Into<String>) {
        self.inside().notes.push(words.into());
    }

    /// What steps wanted remembered, in order.
    pub fn notes(&self) -> Vec<String> {
        self.inside().notes.clone()
    }
}
