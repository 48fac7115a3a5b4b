//! Plays one schedule from the start of a run to where it comes to rest.
//!
//! Decides who is there: a worker that dies or stands still is followed by another. Virtual time passes by itself when nobody has
//! anything to do.

use super::choice::{Choice, Schedule};
use super::director::{Beyond, Director, Known, Visited};
use super::explore::Setup;
use super::hand::{Declared, Hand};
use super::store::{SimulatedStore, Stage, VirtualClock};
use super::verdict::{self, End};
use super::world::World;
use crate::decide::State;
use crate::engine::codec::load;
use crate::engine::seal::Seal;
use crate::engine::table::AnyStep;
use crate::engine::{Engine, Settings};
use crate::journal::{CallState, WaitKind};
use crate::run::RunId;
use crate::saga::{RunsOn, SagaType};
use crate::store::{MemoryStore, RunRow, Store};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// The key under which every simulated run is started, again and again if need be.
const KEY: &str = "simulated";

/// No saga comes to more places on any of its ways, or it does not end.
const MOST_PLACES: usize = 5_000;

/// How long an effect may still be under way when a run has come to rest.
const AFTERMATH: Duration = Duration::from_secs(3_600);

/// What became of one schedule.
pub(crate) struct Played {
    pub(crate) visited: Vec<Visited>,
    pub(crate) end: Came,
}

/// Where it came to.
pub(crate) enum Came {
    /// To rest, with everything in order.
    Rest(Box<End>),
    /// To a state from which all was walked.
    KnownGround,
    /// To something that must not be.
    Grief(String),
}

pub(crate) fn play<S, P>(
    setup: &Setup<S, P>,
    schedule: &Schedule,
    beyond: Beyond,
    known: Option<(Known, usize)>,
) -> Played
where
    S: SagaType + RunsOn<P>,
    P: Send + Sync + 'static,
{
    let director = Director::new(schedule, beyond, known);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    let end = match runtime {
        Ok(runtime) => runtime.block_on(Play::begin(setup, director.clone()).drive()),
        Err(error) => Came::Grief(format!("the simulator cannot run: {error}")),
    };
    Played { visited: director.visited(), end }
}

struct Play<'a, S, P> {
    setup: &'a Setup<S, P>,
    stage: Arc<Stage>,
    workers: Vec<Arc<Engine<P>>>,
    starting: Option<JoinHandle<bool>>,
    /// The wait that was last decided about.
    decided: Option<usize>,
}

impl<'a, S, P> Play<'a, S, P>
where
    S: SagaType + RunsOn<P>,
    P: Send + Sync + 'static,
{
    fn begin(setup: &'a Setup<S, P>, director: Director) -> Self {
        let stage = Stage {
            director,
            store: MemoryStore::with_clock(VirtualClock(Instant::now())),
            world: World::default(),
            messages: setup.messages.clone(),
            definition: const { &S::DEFINITION },
            lease: setup.lease,
        };
        Play { setup, stage: Arc::new(stage), workers: Vec::new(), starting: None, decided: None }
    }

    async fn drive(mut self) -> Came {
        loop {
            let director = self.stage.director.clone();
            if let Some(fault) = director.found() {
                return Came::Grief(fault);
            }
            if director.is_cut() {
                return Came::KnownGround;
            }
            if director.count() > MOST_PLACES {
                return Came::Grief("the run does not come to rest".to_owned());
            }
            if let Err(fault) = self.staffed().await {
                return Came::Grief(fault);
            }
            let row = self.stage.store.find(KEY).await.ok().flatten();
            if let Some(row) = &row {
                if row.state.is_terminal() || row.state == State::Review {
                    return self.judged(row.run).await;
                }
                if row.state == State::Waiting && row.worker.is_none() && self.waits(row).await {
                    return self.judged(row.run).await;
                }
            }
            if director.is_cut() {
                continue;
            }
            let due = row.as_ref().and_then(|row| row.due);
            let now = self.stage.store.now().await.ok();
            let until =
                due.zip(now).map_or(self.setup.lease, |(due, now)| due.since(now).max(Duration::from_millis(1)));
            tokio::select! {
                biased;
                () = director.happened.notified() => {}
                () = tokio::time::sleep(until) => self.workers.iter().for_each(|worker| worker.poke()),
            }
        }
    }

    /// There is a worker that could take the run up, and the run is being started.
    async fn staffed(&mut self) -> Result<(), String> {
        let number = u32::try_from(self.workers.len()).unwrap_or(u32::MAX);
        if number == 0 || !self.stage.director.is_well(number) {
            let worker = self.hire(number + 1).await?;
            self.workers.push(Arc::new(worker));
            self.starting = None;
        }
        let there = self.stage.store.find(KEY).await.ok().flatten().is_some();
        let tried = self.starting.as_ref().is_some_and(|starting| !starting.is_finished());
        if let Some(worker) = self.workers.last().cloned()
            && !there
            && !tried
        {
            let (start, happened) = ((self.setup.start)(), self.stage.director.happened.clone());
            self.starting = Some(tokio::spawn(async move {
                let started = worker.start(start).key(KEY).await.is_ok();
                happened.notify_one();
                started
            }));
        }
        Ok(())
    }

    async fn hire(&self, number: u32) -> Result<Engine<P>, String> {
        let store = Arc::new(SimulatedStore { stage: self.stage.clone(), worker: number });
        let settings = Settings {
            name: format!("worker-{number}"),
            lease: self.setup.lease,
            renew: self.setup.lease / 2,
            poll: Duration::from_secs(3_600),
            concurrency: 4,
            missing_after: Duration::from_secs(86_400),
            ..Settings::default()
        };
        let (stage, declared) = (self.stage.clone(), self.setup.declared.clone());
        let hand = move |step: Arc<dyn AnyStep<P>>| -> Arc<dyn AnyStep<P>> {
            let declared: Option<Declared> = declared.get(step.contract().name).cloned();
            Arc::new(Hand { step, stage: stage.clone(), worker: number, declared })
        };
        let builder = Engine::builder(store, (self.setup.environment)(&self.stage.world));
        let engine = builder.saga::<S>().settings(settings).simulated(hand).start().await;
        engine.map_err(|error| format!("the simulated worker cannot start: {error}"))
    }

    /// Decides about a wait, once. Whether the run waits for what will never come.
    async fn waits(&mut self, row: &RunRow) -> bool {
        let Ok(run) = load(&self.stage.store, &Seal::default(), row.run).await else { return false };
        let open = run.calls.iter().enumerate().rev().find_map(|(number, call)| match call {
            CallState::Wait(wait) if wait.ended.is_none() => Some((number, wait.kind.clone())),
            _ => None,
        });
        let Some((number, WaitKind::Signal { name, .. })) = open else { return false };
        if self.decided != Some(number) {
            self.decided = Some(number);
            let messages = self.stage.messages.iter().enumerate().filter(|(_, message)| message.name == name);
            let mut options: Vec<Choice> = messages.map(|(index, _)| Choice::Receive(index)).collect();
            options.push(Choice::Nothing);
            let place = format!("the run waits for {name}");
            let digest = self.stage.digest(row.run, &place).await;
            let at = self.stage.director.at(place, options, digest);
            // Where the run need not be followed further, nobody answers.
            if let Ok(Choice::Receive(message)) = tokio::time::timeout(Duration::ZERO, at).await {
                self.stage.send(row.run, message).await;
                self.workers.iter().for_each(|worker| worker.poke());
            }
            return false;
        }
        row.due.is_none() && row.inbox_last == 0
    }

    async fn judged(&self, run: RunId) -> Came {
        tokio::time::sleep(AFTERMATH).await;
        let end = match verdict::end(&self.stage, run).await {
            Ok(end) => end,
            Err(fault) => return Came::Grief(fault),
        };
        let wrong = verdict::after(&end, &S::DEFINITION);
        let own =
            || self.setup.checks.iter().find(|(_, check)| !check(&end)).map(|(name, _)| format!("not so: {name}"));
        match self.stage.director.found().or(wrong).or_else(own) {
            Some(fault) => Came::Grief(fault),
            None => Came::Rest(Box::new(end)),
        }
    }
}
