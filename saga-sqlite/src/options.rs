//! How a store is opened. Decides the defaults; opens nothing itself.

use crate::SqliteStore;
use saga_core::store::{Clock, StoreError, SystemClock};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How to open a [`SqliteStore`].
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    pub(crate) place: Place,
    pub(crate) patience: Patience,
    pub(crate) readers: usize,
    pub(crate) clock: Arc<dyn Clock>,
}

/// Where the database is.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    File(PathBuf),
    Memory,
}

impl Place {
    /// The same place, wherever the process goes: later connections are opened by its name.
    pub(crate) fn absolute(self) -> Result<Place, StoreError> {
        let Place::File(path) = self else { return Ok(self) };
        let named = |error| StoreError::Unavailable(format!("cannot open {}: {error}", path.display()));
        std::path::absolute(&path).map(Place::File).map_err(named)
    }
}

/// How long a lock that somebody else holds is waited for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// In one attempt, inside SQLite.
    pub(crate) busy: Duration,
    /// In all attempts together.
    pub(crate) bound: Duration,
}

/// SQLite counts the wait in a small integer of milliseconds.
const LONGEST_BUSY: Duration = Duration::from_secs(3_600);

/// Each reader is a connection with a cache of its own.
const MOST_READERS: usize = 256;

impl SqliteOptions {
    /// A database in this file, which is made if it is not there.
    pub fn file(path: impl AsRef<Path>) -> SqliteOptions {
        SqliteOptions::at(Place::File(path.as_ref().to_owned()))
    }

    /// A database in memory: it keeps nothing after the store is dropped.
    pub fn in_memory() -> SqliteOptions {
        SqliteOptions::at(Place::Memory)
    }

    fn at(place: Place) -> SqliteOptions {
        SqliteOptions {
            place,
            patience: Patience { busy: Duration::from_secs(5), bound: Duration::from_secs(60) },
            readers: 4,
            clock: Arc::new(SystemClock),
        }
    }

    /// How long SQLite waits for a lock before the store tries again: 5 seconds if not said, at most an hour.
    #[must_use]
    pub fn busy_timeout(mut self, busy: Duration) -> SqliteOptions {
        self.patience.busy = busy.min(LONGEST_BUSY);
        self
    }

    /// How long a lock is waited for in all, before the store says that it is not available: a minute if not said.
    #[must_use]
    pub fn patience(mut self, bound: Duration) -> SqliteOptions {
        self.patience.bound = bound;
        self
    }

    /// At most how many connections read at the same time: 4 if not said; 1 to 256.
    #[must_use]
    pub fn readers(mut self, readers: usize) -> SqliteOptions {
        self.readers = readers.clamp(1, MOST_READERS);
        self
    }

    /// Another clock, for tests.
    #[must_use]
    pub fn clock(mut self, clock: impl Clock) -> SqliteOptions {
        self.clock = Arc::new(clock);
        self
    }

    /// Opens the store: makes or migrates the file, and checks on every connection that it keeps its promises.
    ///
    /// # Errors
    /// [`StoreError::NotAStore`], [`StoreError::NewerSchema`], [`StoreError::Unsafe`] if WAL with full synchronisation
    /// cannot be had there, [`StoreError::Unavailable`] if the file cannot be opened.
    pub fn open(self) -> Result<SqliteStore, StoreError> {
        SqliteStore::with(self)
    }
}
