//! Two workers, two runs and the memory store itself: what each worker believes, what it can do, and what must be answered.
//!
//! Every action is a real operation of the store. Beside it stands the truth, kept in the plainest way from what was granted so
//! far; an answer that differs from what the truth demands is written down in `wrong`. The truth must not read the store.

use saga_core::RunId;
use saga_core::Timestamp;
use saga_core::decide::{Head, State as Standing};
use saga_core::definition::Fingerprint;
use saga_core::store::{
    Append, Claim, DefinitionRow, Due, ManualClock, MemoryStore, NewEntry, NewRun, Refused, Store, StoreFuture, Then,
    WorkerId, Write, Written,
};
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

pub(crate) const TICK: Duration = Duration::from_secs(1);
/// In ticks: two, so that leases of one worker can end at different times.
pub(crate) const LEASE: u32 = 2;
pub(crate) const RUNS: [RunId; 2] = [RunId(uuid::Uuid::from_u128(1)), RunId(uuid::Uuid::from_u128(2))];

/// What can happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    /// A worker starts a run with a key, and claims it.
    Create { worker: usize, run: usize },
    /// A worker asks for one run that is due.
    Claim { worker: usize },
    /// A worker prolongs its leases.
    Renew { worker: usize },
    /// A worker appends an entry under the fence that it believes in.
    Append { worker: usize, run: usize },
    /// A worker gives a run back.
    Release { worker: usize, run: usize },
    /// A worker dies; its successor has another identity. What it had sent may still arrive.
    Crash { worker: usize },
    /// A worker leaves in order; the same.
    Leave { worker: usize },
    /// An append that a dead worker had sent arrives, perhaps once more.
    LateAppend { run: usize },
    /// A renewal that a dead worker had sent arrives.
    LateRenew,
    /// Time passes.
    Tick,
}

/// What a walk that is worth something must have met. Beside the states: in them it would only multiply them.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Seldom {
    TakenOver,
    LateAccepted,
    LateRefused,
    StaleRenewal,
    AllGrantedAndWritten,
}

static MET: [AtomicBool; 5] = [const { AtomicBool::new(false) }; 5];

impl Seldom {
    pub(crate) fn note(self) {
        MET[self as usize].store(true, Ordering::Relaxed);
    }

    pub(crate) fn missed() -> Vec<Seldom> {
        let all = [Seldom::TakenOver, Seldom::LateAccepted, Seldom::LateRefused, Seldom::StaleRenewal];
        let all = all.into_iter().chain([Seldom::AllGrantedAndWritten]);
        all.filter(|seldom| !MET[*seldom as usize].load(Ordering::Relaxed)).collect()
    }
}

/// What one start of a worker believes of each run: the fence and the length of the journal.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Worker {
    pub(crate) start: u8,
    pub(crate) believes: [Option<(u64, u64)>; 2],
}

/// The truth about one run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Truth {
    /// How often it was granted.
    pub(crate) epoch: u64,
    /// To whom, and until which tick, unless it was given back.
    pub(crate) held: Option<(usize, u8, u32)>,
    /// Due since this tick, if nobody has it.
    pub(crate) free: Option<u32>,
    /// What was accepted: under which epoch, from whom.
    pub(crate) accepted: Vec<(u64, usize, u8)>,
}

#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) store: MemoryStore,
    pub(crate) ticks: u32,
    pub(crate) workers: [Worker; 2],
    /// The one start that has ended: something of it may still be on its way.
    pub(crate) dead: Option<(usize, Worker)>,
    pub(crate) truth: [Truth; 2],
    pub(crate) wrong: Option<String>,
}

pub(crate) fn clock(ticks: u32) -> ManualClock {
    ManualClock::at(Timestamp(0).plus(TICK * ticks))
}

/// The memory store answers at once.
pub(crate) fn answer<T>(mut future: StoreFuture<'_, T>) -> T {
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(answer) => answer.unwrap(),
        Poll::Pending => panic!("the memory store does not wait"),
    }
}

pub(crate) fn identity(worker: usize, start: u8) -> WorkerId {
    WorkerId(format!("w{worker}/{start}"))
}

fn definition() -> DefinitionRow {
    DefinitionRow { saga: "saga".to_owned(), version: 1, fingerprint: Fingerprint(1) }
}

fn head() -> Head {
    Head { state: Standing::Running, step: None, why: None, error: None, past_pivot: false, until: None }
}

pub(crate) fn body(epoch: u64, worker: usize, start: u8) -> Vec<u8> {
    format!("{epoch} {worker} {start}").into_bytes()
}

pub(crate) fn claim(store: &MemoryStore, worker: WorkerId, limit: u32) -> Vec<(usize, u64, u64)> {
    let claim = Claim { worker, lease: TICK * LEASE, limit, definitions: vec![definition()] };
    let claimed = answer(store.claim(claim)).into_iter();
    claimed.map(|claimed| (index(claimed.row.run), claimed.row.fence, claimed.row.length)).collect()
}

pub(crate) fn append(
    store: &MemoryStore,
    run: usize,
    fence: u64,
    length: u64,
    entry: Option<Vec<u8>>,
) -> Result<(), Refused> {
    let then = if entry.is_some() { Then::Keep } else { Then::Release(Due::Now) };
    let entries =
        entry.into_iter().map(|body| NewEntry { kind: "value_drawn", call: None, step: None, body }).collect();
    let append = Append {
        run: RUNS[run],
        fence,
        length,
        entries,
        head: head(),
        inbox_seen: None,
        inbox_taken: Vec::new(),
        reviews: Vec::new(),
        then,
    };
    answer(store.commit(vec![Write::Append(append)])).remove(0).map(drop)
}

fn index(run: RunId) -> usize {
    usize::from(run == RUNS[1])
}

impl World {
    pub(crate) fn new() -> World {
        World {
            store: MemoryStore::with_clock(clock(0)),
            ticks: 0,
            workers: Default::default(),
            dead: None,
            truth: Default::default(),
            wrong: None,
        }
    }

    /// The world after one more action, with a store of its own.
    pub(crate) fn after(&self, action: Action) -> World {
        let ticks = self.ticks + u32::from(action == Action::Tick);
        let mut world = World { store: self.store.fork(clock(ticks)), ticks, ..self.clone() };
        match action {
            Action::Create { worker, run } => world.create(worker, run),
            Action::Claim { worker } => world.claims(worker),
            Action::Renew { worker } => {
                let kept = world.renews(worker, self.workers[worker].start);
                let lost = |run: &usize| !kept.contains(run);
                (0..2).filter(lost).for_each(|run| world.workers[worker].believes[run] = None);
            }
            Action::Append { worker, run } => {
                let believes = &mut world.workers[worker].believes[run];
                let Some((fence, length)) = *believes else { return world };
                *believes = Some((fence, length + 1));
                world.appends(worker, self.workers[worker].start, run, (fence, length));
            }
            Action::Release { worker, run } => world.releases(worker, run),
            Action::Crash { worker } => world.ends(worker),
            Action::Leave { worker } => {
                let start = world.workers[worker].start;
                answer(world.store.leave(&identity(worker, start)));
                for truth in &mut world.truth {
                    if truth.held.is_some_and(|(holder, of, _)| (holder, of) == (worker, start)) {
                        (truth.held, truth.free) = (None, Some(ticks));
                    }
                }
                world.ends(worker);
            }
            Action::LateAppend { run } => {
                let Some((worker, dead)) = &self.dead else { return world };
                let Some(believed) = dead.believes[run] else { return world };
                let accepted = world.appends(*worker, dead.start, run, believed);
                Seldom::note(if accepted { Seldom::LateAccepted } else { Seldom::LateRefused });
            }
            Action::LateRenew => {
                let Some((worker, dead)) = &self.dead else { return world };
                world.renews(*worker, dead.start);
            }
            Action::Tick => {}
        }
        world
    }

    fn demand(&mut self, holds: bool, why: impl FnOnce() -> String) {
        if !holds && self.wrong.is_none() {
            self.wrong = Some(why());
        }
    }

    fn grant(&mut self, worker: usize, run: usize) {
        let (start, until) = (self.workers[worker].start, self.ticks + LEASE);
        let truth = &mut self.truth[run];
        (truth.epoch, truth.held, truth.free) = (truth.epoch + 1, Some((worker, start, until)), None);
        self.workers[worker].believes[run] = Some((truth.epoch, truth.accepted.len() as u64));
    }

    fn create(&mut self, worker: usize, run: usize) {
        let start = self.workers[worker].start;
        let new = NewRun {
            run: RUNS[run],
            key: format!("key {run}"),
            owner: "desk".to_owned(),
            definition: definition(),
            input_digest: "digest".to_owned(),
            input_size: 2,
            entries: vec![NewEntry { kind: "started", call: None, step: None, body: body(1, worker, start) }],
            head: head(),
            claim: Some((identity(worker, start), TICK * LEASE)),
            then: Then::Keep,
        };
        let written = answer(self.store.commit(vec![Write::Create(new)])).remove(0);
        let first = self.truth[run].epoch == 0;
        let right = if first {
            matches!(written, Ok(Written::Created { .. }))
        } else {
            matches!(written, Ok(Written::Existing(_)))
        };
        self.demand(right, || format!("a key was answered with {written:?}"));
        if first {
            self.truth[run].accepted.push((1, worker, start));
            self.grant(worker, run);
        }
    }

    fn claims(&mut self, worker: usize) {
        let start = self.workers[worker].start;
        let claimed = claim(&self.store, identity(worker, start), 1);
        let ticks = self.ticks;
        let due = move |truth: &Truth| match (truth.held, truth.free) {
            (Some((_, _, until)), _) => until <= ticks,
            (None, free) => free.is_some_and(|since| since <= ticks),
        };
        let any = self.truth.iter().any(due);
        self.demand(claimed.len() == usize::from(any), || format!("{claimed:?} was claimed, and due was {any}"));
        for (run, fence, length) in claimed {
            let truth = &self.truth[run];
            let right = due(truth) && fence == truth.epoch + 1 && length == truth.accepted.len() as u64;
            let taken = truth.held.is_some();
            self.demand(right, || format!("run {run} was granted with fence {fence} and length {length}"));
            self.grant(worker, run);
            if taken {
                Seldom::note(Seldom::TakenOver);
            }
        }
    }

    /// The runs that the worker still has.
    fn renews(&mut self, worker: usize, start: u8) -> Vec<usize> {
        let leases = answer(self.store.renew(&identity(worker, start), TICK * LEASE));
        let kept: Vec<(usize, u64)> = leases.iter().map(|lease| (index(lease.run), lease.fence)).collect();
        let mine = |truth: &Truth| truth.held.is_some_and(|(holder, of, _)| (holder, of) == (worker, start));
        let owned: Vec<(usize, u64)> =
            (0..2).filter(|run| mine(&self.truth[*run])).map(|run| (run, self.truth[run].epoch)).collect();
        self.demand(kept == owned, || format!("w{worker}/{start} has {owned:?}, and renewed {kept:?}"));
        let believed = &self.workers[worker];
        if believed.start == start && (0..2).any(|run| believed.believes[run].is_some() && !mine(&self.truth[run])) {
            Seldom::note(Seldom::StaleRenewal);
        }
        for (run, _) in owned {
            self.truth[run].held = Some((worker, start, self.ticks + LEASE));
        }
        kept.into_iter().map(|(run, _)| run).collect()
    }

    /// Whether it was accepted.
    fn appends(&mut self, worker: usize, start: u8, run: usize, (fence, length): (u64, u64)) -> bool {
        let written = append(&self.store, run, fence, length, Some(body(fence, worker, start)));
        let truth = &self.truth[run];
        let owns = truth.held.is_some() && truth.epoch == fence;
        let right = owns && truth.accepted.len() as u64 == length;
        let wanted = match (owns, &written) {
            (true, Err(Refused::WrongLength { .. })) => !right,
            (false, Err(Refused::StaleFence { .. })) => true,
            (_, written) => right && written.is_ok(),
        };
        self.demand(wanted, || format!("w{worker}/{start} under {fence} at {length} was answered {written:?}"));
        if written.is_ok() {
            self.truth[run].accepted.push((fence, worker, start));
        } else if self.workers[worker].start == start {
            self.workers[worker].believes[run] = None;
        }
        written.is_ok()
    }

    fn releases(&mut self, worker: usize, run: usize) {
        let Some((fence, length)) = self.workers[worker].believes[run].take() else { return };
        let written = append(&self.store, run, fence, length, None);
        let owns = self.truth[run].held.is_some() && self.truth[run].epoch == fence;
        self.demand(written.is_ok() == owns, || format!("w{worker} released under {fence}: {written:?}"));
        if written.is_ok() {
            (self.truth[run].held, self.truth[run].free) = (None, Some(self.ticks));
        }
    }

    fn ends(&mut self, worker: usize) {
        let start = self.workers[worker].start + 1;
        let dead = std::mem::replace(&mut self.workers[worker], Worker { start, ..Worker::default() });
        self.dead = Some((worker, dead));
    }
}
