//! What an error of SQLite means: somebody else holds the lock, this one row is not acceptable, or the store is failing.
//!
//! Decides that a lock never surfaces as a refused write: it is waited for here, with a bound.

use crate::options::Patience;
use rusqlite::{Error, ErrorCode};
use saga_core::store::{Refused, StoreError};
use std::time::{Duration, Instant};

/// Why a piece of work within a transaction did not succeed.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The write is refused.
    Refused(Refused),
    /// SQLite failed.
    Sql(Error),
    /// The store is not what it should be.
    Store(StoreError),
}

impl From<Refused> for Fault {
    fn from(refused: Refused) -> Fault {
        Fault::Refused(refused)
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Fault {
        Fault::Sql(error)
    }
}

impl Fault {
    /// Whether one write is at fault, and what its author is told. Otherwise the store is failing.
    pub(crate) fn refusal(self) -> Result<Refused, StoreError> {
        match self {
            Fault::Refused(refused) => Ok(refused),
            Fault::Store(error) => Err(error),
            Fault::Sql(error) if is_of_the_row(&error) => Ok(Refused::Rejected(error.to_string())),
            Fault::Sql(error) => Err(store(&error)),
        }
    }

    pub(crate) fn store(self) -> StoreError {
        self.refusal().map_or_else(|error| error, |refused| StoreError::Unavailable(refused.to_string()))
    }
}

/// Whether repeating the same row will not help, but other rows are fine.
fn is_of_the_row(error: &Error) -> bool {
    match error.sqlite_error_code() {
        Some(code) => {
            matches!(code, ErrorCode::ConstraintViolation | ErrorCode::TooBig | ErrorCode::TypeMismatch)
        }
        None => matches!(error, Error::ToSqlConversionFailure(_)),
    }
}

fn is_busy(error: &Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// The error of a store for an error of SQLite.
pub(crate) fn store(error: &Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::NotAStore("the file is not a SQLite database".to_owned()),
        Some(ErrorCode::DatabaseCorrupt) => StoreError::NotAStore(format!("the database is damaged: {error}")),
        Some(ErrorCode::ReadOnly) => StoreError::Unsafe(format!("the database can only be read: {error}")),
        _ => StoreError::Unavailable(error.to_string()),
    }
}

/// Repeats `attempt` while somebody else holds the lock, with growing and uneven pauses, up to the bound.
pub(crate) fn patiently<T>(
    patience: &Patience,
    mut attempt: impl FnMut() -> rusqlite::Result<T>,
) -> Result<T, StoreError> {
    let started = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        match attempt() {
            Err(error) if is_busy(&error) && started.elapsed() < patience.bound => {
                std::thread::sleep(pause.mul_f64(uneven()));
                pause = (pause * 2).min(Duration::from_millis(100));
            }
            Err(error) if is_busy(&error) => {
                let waited = patience.bound.as_secs_f64();
                return Err(StoreError::Unavailable(format!("another process holds the lock for {waited} s: {error}")));
            }
            other => return other.map_err(|error| store(&error)),
        }
    }
}

/// Between a half and one and a half, so that two processes do not keep meeting.
fn uneven() -> f64 {
    let bits = uuid::Uuid::new_v4().as_u64_pair().0 >> 32;
    0.5 + f64::from(u32::try_from(bits).unwrap_or(0)) / f64::from(u32::MAX)
}
