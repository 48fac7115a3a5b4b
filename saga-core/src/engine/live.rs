//! What this worker holds: its leases, their ends, and the store's clock as last seen.
//!
//! Decides whether this worker may still act for a run. A lease is counted from before the request that won it, by the
//! process's monotonic clock, so that it ends here before it ends in the store.

use crate::run::{RunId, Timestamp};
use crate::store::Lease;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// The store's clock between two answers: the last reading plus what has passed since.
#[derive(Debug)]
pub(crate) struct StoreClock {
    reading: Mutex<(Timestamp, Instant)>,
}

impl StoreClock {
    pub(crate) fn new(at: Timestamp) -> Self {
        StoreClock { reading: Mutex::new((at, Instant::now())) }
    }

    pub(crate) fn saw(&self, at: Timestamp) {
        *self.reading.lock().unwrap_or_else(PoisonError::into_inner) = (at, Instant::now());
    }

    pub(crate) fn now(&self) -> Timestamp {
        let (at, seen) = *self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        at.plus(seen.elapsed())
    }
}

/// One run that this worker holds.
#[derive(Debug)]
pub(crate) struct Hold {
    pub(crate) fence: u64,
    until: Mutex<Instant>,
    /// Since when the store knows of it; a renewal that was asked for before says nothing about it.
    known: Mutex<Option<Instant>>,
    lost: AtomicBool,
    inbox_last: AtomicU64,
    /// Something changed: the inbox, or the lease.
    pub(crate) changed: Notify,
}

impl Hold {
    pub(crate) fn inbox_last(&self) -> u64 {
        self.inbox_last.load(Ordering::Acquire)
    }

    /// Whether this worker may start something that takes effect.
    pub(crate) fn may_act(&self) -> bool {
        !self.lost.load(Ordering::Acquire) && Instant::now() < self.until()
    }

    pub(crate) fn until(&self) -> Instant {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The claim is durable.
    pub(crate) fn is_known(&self) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(Instant::now);
    }

    fn known_before(&self, asked: Instant) -> bool {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|known| known < asked)
    }

    /// Ends when this worker may no longer act for the run.
    pub(crate) async fn lost(&self) {
        loop {
            let until = self.until();
            if !self.may_act() {
                return;
            }
            tokio::select! {
                biased;
                () = tokio::time::sleep_until(until) => {}
                () = self.changed.notified() => {}
            }
        }
    }
}

/// All runs that this worker holds.
#[derive(Debug, Default)]
pub(crate) struct Holds {
    runs: Mutex<HashMap<RunId, Arc<Hold>>>,
}

impl Holds {
    fn with<T>(&self, act: impl FnOnce(&mut HashMap<RunId, Arc<Hold>>) -> T) -> T {
        act(&mut self.runs.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A run is being claimed by a request that began at `asked`; [`Hold::is_known`] tells when it has been.
    pub(crate) fn add(&self, run: RunId, fence: u64, inbox_last: u64, asked: Instant, lease: Duration) -> Arc<Hold> {
        let hold = Arc::new(Hold {
            fence,
            until: Mutex::new(asked + lease),
            known: Mutex::default(),
            lost: AtomicBool::new(false),
            inbox_last: AtomicU64::new(inbox_last),
            changed: Notify::new(),
        });
        self.with(|runs| runs.insert(run, hold.clone()));
        hold
    }

    fn remove(&self, run: RunId, fence: u64) {
        self.with(|runs| {
            if runs.get(&run).is_some_and(|hold| hold.fence == fence) {
                runs.remove(&run);
            }
        });
    }

    /// Removes the hold when it is dropped, also when a panic of the user's code passes through.
    pub(crate) fn guard(self: &Arc<Self>, run: RunId, fence: u64) -> HoldGuard {
        HoldGuard { holds: self.clone(), run, fence }
    }

    pub(crate) fn count(&self) -> usize {
        self.with(|runs| runs.len())
    }

    /// An item arrived for a run, as somebody in this process knows.
    pub(crate) fn arrived(&self, run: RunId, number: u64) {
        if let Some(hold) = self.with(|runs| runs.get(&run).cloned()) {
            hold.inbox_last.fetch_max(number, Ordering::AcqRel);
            hold.changed.notify_waiters();
            hold.changed.notify_one();
        }
    }

    /// The leases that this worker has in the store, and for which nothing works in this process.
    pub(crate) fn unheld(&self, leases: &[Lease]) -> BTreeSet<(RunId, u64)> {
        let leases = leases.iter().map(|lease| (lease.run, lease.fence));
        self.with(|runs| leases.filter(|(run, fence)| runs.get(run).is_none_or(|hold| hold.fence != *fence)).collect())
    }

    /// The answer of a renewal that was asked for at `asked`.
    pub(crate) fn renewed(&self, leases: &[Lease], asked: Instant, lease: Duration) {
        let held: HashMap<RunId, &Lease> = leases.iter().map(|lease| (lease.run, lease)).collect();
        for (run, hold) in self.with(|runs| runs.clone()) {
            match held.get(&run).filter(|lease| lease.fence == hold.fence) {
                Some(still) => {
                    *hold.until.lock().unwrap_or_else(PoisonError::into_inner) = asked + lease;
                    if hold.inbox_last.fetch_max(still.inbox_last, Ordering::AcqRel) < still.inbox_last {
                        hold.changed.notify_waiters();
                        hold.changed.notify_one();
                    }
                }
                None if hold.known_before(asked) => {
                    hold.lost.store(true, Ordering::Release);
                    hold.changed.notify_waiters();
                    hold.changed.notify_one();
                }
                None => {}
            }
        }
    }
}

/// See [`Holds::guard`].
#[derive(Debug)]
pub(crate) struct HoldGuard {
    holds: Arc<Holds>,
    run: RunId,
    fence: u64,
}

impl Drop for HoldGuard {
    fn drop(&mut self) {
        self.holds.remove(self.run, self.fence);
    }
}
