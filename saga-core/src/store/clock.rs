//! Where a store that has no clock of its own takes the time from. Decides nothing about what is due.

use crate::run::Timestamp;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

/// A source of time for stores inside this process. A store with a server behind it uses the server's clock instead.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// The time.
    fn now(&self) -> Timestamp;

    /// The time as a store uses it: within the instants that every store can keep.
    fn reading(&self) -> Timestamp {
        self.now().clamp(Timestamp(0), Timestamp::LATEST)
    }
}

/// The clock of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or(Duration::ZERO);
        Timestamp(0).plus(since)
    }
}

/// A clock that stands still until it is moved, for tests. Clones show the same time.
#[derive(Debug, Clone)]
pub struct ManualClock(Arc<AtomicI64>);

impl ManualClock {
    /// A clock that shows `at`.
    pub fn at(at: Timestamp) -> ManualClock {
        ManualClock(Arc::new(AtomicI64::new(at.0)))
    }

    /// Moves it to `at`, forwards or back.
    pub fn set(&self, at: Timestamp) {
        self.0.store(at.0, Ordering::SeqCst);
    }

    /// Moves it forwards.
    pub fn advance(&self, by: Duration) {
        self.set(self.now().plus(by));
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        Timestamp(self.0.load(Ordering::SeqCst))
    }
}
