//! Which schedules are played: all with up to so many faults, then random ones.
//!
//! Decides the order, shortest first, and when a walk is over. What happens in one schedule is decided elsewhere.

use super::choice::{Choice, Schedule};
use super::director::{Beyond, Known};
use super::drive::{Came, Played, play};
use super::hand::Declared;
use super::report::{Counterexample, Summary};
use super::store::Message;
use super::verdict::End;
use super::world::World;
use crate::decide::Command;
use crate::engine::codec::post;
use crate::engine::seal::Seal;
use crate::payload::Payload;
use crate::saga::{Awaits, RunsOn, SagaType, Signal, Start, Step};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

type Check = Box<dyn Fn(&End) -> bool + Send + Sync>;

/// What every schedule is played with.
pub(crate) struct Setup<S, P> {
    pub(crate) start: Box<dyn Fn() -> Start<S> + Send + Sync>,
    pub(crate) environment: Box<dyn Fn(&World) -> P + Send + Sync>,
    pub(crate) declared: HashMap<&'static str, Declared>,
    pub(crate) messages: Vec<Message>,
    pub(crate) checks: Vec<(String, Check)>,
    pub(crate) lease: Duration,
}

/// A walk that is being prepared.
#[must_use = "nothing is walked before `run`"]
pub struct Explore<S, P = ()> {
    setup: Setup<S, P>,
    faults: usize,
    walks: u64,
    seed: u64,
    most: usize,
    wrong: Option<String>,
}

impl<S, P> fmt::Debug for Explore<S, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Explore").field("faults", &self.faults).field("walks", &self.walks).finish_non_exhaustive()
    }
}

/// Prepares to walk every way a saga may go: `explore(|| approval(submission()))`.
pub fn explore<S: SagaType>(start: impl Fn() -> Start<S> + Send + Sync + 'static) -> Explore<S> {
    Explore {
        setup: Setup {
            start: Box::new(start),
            environment: Box::new(|_| ()),
            declared: HashMap::new(),
            messages: Vec::new(),
            checks: Vec::new(),
            lease: Duration::from_secs(3_600),
        },
        faults: 2,
        walks: 0,
        seed: 0,
        most: 1_000_000,
        wrong: None,
    }
}

impl<S: SagaType> Explore<S> {
    /// The steps run as the code that they are, in this environment. Made anew for every worker of every schedule; let it keep
    /// its effects in the world it is given.
    pub fn environment<P>(self, environment: impl Fn(&World) -> P + Send + Sync + 'static) -> Explore<S, P> {
        let Explore { setup, faults, walks, seed, most, wrong } = self;
        let Setup { start, declared, messages, checks, lease, .. } = setup;
        let setup = Setup { start, environment: Box::new(environment), declared, messages, checks, lease };
        Explore { setup, faults, walks, seed, most, wrong }
    }
}

impl<S: SagaType, P> Explore<S, P> {
    /// The step is replaced by what it declares: it gives this output, and takes effect as its class says. Its own code does not
    /// run and looks at no environment.
    pub fn output<T: Step>(mut self, output: impl Fn() -> T::Output + Send + Sync + 'static) -> Self {
        self.setup.declared.insert(T::CONTRACT.name, Arc::new(move || Payload::of(&output())));
        self
    }

    /// A message that may arrive: while it is waited for, too early, too late, and again.
    pub fn signal<M: Signal>(mut self, message: M) -> Self
    where
        S: Awaits<M>,
    {
        let body = Payload::of(&message)
            .and_then(|payload| post(&mut Command::Signal { name: M::NAME.to_owned(), payload }, &Seal::default()));
        match body {
            Ok(body) => self.setup.messages.push(Message { name: M::NAME, body }),
            Err(error) => self.wrong = Some(format!("signal `{}`: {error}", M::NAME)),
        }
        self
    }

    /// What must hold, besides what always must, wherever a run comes to rest. The name says what, for people.
    pub fn check(mut self, name: &str, check: impl Fn(&End) -> bool + Send + Sync + 'static) -> Self {
        self.setup.checks.push((name.to_owned(), Box::new(check)));
        self
    }

    /// How many faults one schedule may have; 2 unless said.
    pub fn faults(mut self, faults: usize) -> Self {
        self.faults = faults;
        self
    }

    /// So many random schedules besides, with any number of faults. The same seed gives the same ones.
    pub fn walks(mut self, walks: u64, seed: u64) -> Self {
        (self.walks, self.seed) = (walks, seed);
        self
    }

    /// How long a worker's claim holds; an hour unless said. Limits of steps that are shorter pass when a worker dies.
    pub fn lease(mut self, lease: Duration) -> Self {
        self.setup.lease = lease;
        self
    }

    /// The most schedules; a walk that needs more ends with an error. A million unless said.
    pub fn at_most(mut self, schedules: usize) -> Self {
        self.most = schedules;
        self
    }
}

impl<S: SagaType + RunsOn<P>, P: Send + Sync + 'static> Explore<S, P> {
    /// Walks.
    ///
    /// # Errors
    /// The shortest schedule after which something is as it must not be.
    pub fn run(self) -> Result<Summary, Box<Counterexample>> {
        let began = Instant::now();
        let mut summary = Summary::default();
        self.prepared()?;
        let known = Known::default();
        let mut waiting: BTreeMap<usize, VecDeque<Schedule>> =
            BTreeMap::from([(0, VecDeque::from([Schedule::default()]))]);
        while let Some(mut bucket) = waiting.first_entry() {
            let Some(schedule) = bucket.get_mut().pop_front() else {
                bucket.remove();
                continue;
            };
            let left = self.faults - schedule.price();
            let played = play(&self.setup, &schedule, Beyond::GoodDay, Some((known.clone(), left)));
            let first_new = schedule.0.last().map_or(0, |(place, _)| place + 1);
            for (place, visited) in played.visited.iter().enumerate().skip(first_new) {
                for option in
                    visited.options.iter().filter(|option| **option != visited.taken && option.price() <= left)
                {
                    let next = schedule.with(place, *option);
                    waiting.entry(next.price()).or_default().push_back(next);
                }
            }
            self.count(&mut summary, &schedule, played)?;
            if summary.schedules > self.most {
                let fault = format!("more than {} schedules: allow more, or fewer faults", self.most);
                return Err(Box::new(Counterexample::new(fault, &Schedule::default(), Vec::new())));
            }
        }
        for walk in 0..self.walks {
            let played = play(&self.setup, &Schedule::default(), Beyond::Chance(self.seed.wrapping_add(walk)), None);
            let schedule = differing(&played);
            self.count(&mut summary, &schedule, played)?;
        }
        summary.states = known.count();
        summary.took = began.elapsed();
        Ok(summary)
    }

    /// Plays one schedule, as a [`Counterexample`] gives it.
    ///
    /// # Errors
    /// As [`Explore::run`].
    pub fn replay(self, schedule: &str) -> Result<Summary, Box<Counterexample>> {
        self.prepared()?;
        let mut summary = Summary::default();
        let wrong = |words| Box::new(Counterexample::new(words, &Schedule::default(), Vec::new()));
        let schedule: Schedule = schedule.parse().map_err(wrong)?;
        let played = play(&self.setup, &schedule, Beyond::GoodDay, None);
        self.count(&mut summary, &schedule, played)?;
        Ok(summary)
    }

    fn prepared(&self) -> Result<(), Box<Counterexample>> {
        match &self.wrong {
            Some(wrong) => Err(Box::new(Counterexample::new(wrong.clone(), &Schedule::default(), Vec::new()))),
            None => Ok(()),
        }
    }

    fn count(&self, summary: &mut Summary, schedule: &Schedule, played: Played) -> Result<(), Box<Counterexample>> {
        summary.schedules += 1;
        match played.end {
            Came::Rest(end) => *summary.ends.entry(words(&end)).or_default() += 1,
            Came::KnownGround => summary.pruned += 1,
            Came::Grief(fault) => return Err(Box::new(Counterexample::new(fault, schedule, played.visited))),
        }
        Ok(())
    }
}

/// The schedule of a run that chance has chosen.
fn differing(played: &Played) -> Schedule {
    let places = played.visited.iter().enumerate();
    let other = |(place, visited): (usize, &super::director::Visited)| {
        (visited.options.first() != Some(&visited.taken)).then_some((place, visited.taken))
    };
    Schedule(places.filter_map(other).collect::<Vec<(usize, Choice)>>())
}

/// An end in words: the state, what is asked, and what is there.
fn words(end: &End) -> String {
    let asked = end.review.as_ref().map(|review| format!(" ({})", review.reason.name())).unwrap_or_default();
    let there: Vec<String> = end
        .run
        .steps()
        .filter(|(call, step)| {
            end.world.holds(&crate::engine::key_of(end.run.id, *call, &step.step, crate::journal::Phase::Forward))
        })
        .map(|(_, step)| step.step.clone())
        .collect();
    let there = if there.is_empty() { "nothing".to_owned() } else { there.join(", ") };
    format!("{}{asked}, there: {there}", end.state)
}
