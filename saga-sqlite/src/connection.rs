//! One connection that keeps its promises, or none.
//!
//! Decides the settings on which durability stands, and reads each of them back: SQLite ignores what it cannot do.

use crate::fault::{patiently, store};
use crate::options::{Patience, Place};
use crate::schema;
use rusqlite::{Connection, OpenFlags};
use saga_core::store::StoreError;
use std::path::Path;

/// How many prepared statements a connection keeps.
const STATEMENTS: usize = 64;

/// How much of the file a connection keeps in memory: a batch should not have to read back its own pages.
const CACHE_KIB: i64 = 16 * 1_024;

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The first connection: the file is made if it is not there.
    Make,
    /// A file that is there: one that was removed under a running store must not be replaced by an empty one.
    Write,
    Read,
}

/// Opens a connection to a place whose schema may still be missing.
///
/// # Errors
/// [`StoreError`] of every kind: see [`crate::SqliteOptions::open`].
pub(crate) fn connect(place: &Place, purpose: Purpose, patience: &Patience) -> Result<Connection, StoreError> {
    opened(place, purpose, patience).map_err(|error| named(place, error))
}

fn opened(place: &Place, purpose: Purpose, patience: &Patience) -> Result<Connection, StoreError> {
    let make = if purpose == Purpose::Make { OpenFlags::SQLITE_OPEN_CREATE } else { OpenFlags::empty() };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | make;
    let connection = match place {
        Place::File(path) => {
            check(path)?;
            Connection::open_with_flags(path, flags).map_err(|error| store(&error))?
        }
        Place::Memory => Connection::open_in_memory_with_flags(flags).map_err(|error| store(&error))?,
    };
    connection.busy_timeout(patience.busy).map_err(|error| store(&error))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Before anything is written: the file may be somebody else's.
    schema::identify(&connection)?;
    if connection.is_readonly("main").map_err(|error| store(&error))? {
        return Err(StoreError::Unsafe("the database can only be read".to_owned()));
    }
    settle(&connection, place, purpose, patience)?;
    verify(&connection, place, patience)?;
    Ok(connection)
}

fn check(path: &Path) -> Result<(), StoreError> {
    if path.is_dir() {
        return Err(StoreError::NotAStore("it is a directory".to_owned()));
    }
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() && !parent.is_dir() => {
            Err(StoreError::Unavailable(format!("there is no directory {}", parent.display())))
        }
        _ => Ok(()),
    }
}

/// Whoever reads the error may have several files.
pub(crate) fn named(place: &Place, error: StoreError) -> StoreError {
    let Place::File(path) = place else { return error };
    let named = |words: String| format!("{}: {words}", path.display());
    match error {
        StoreError::Unavailable(words) => StoreError::Unavailable(format!("cannot open {}", named(words))),
        StoreError::Unsafe(words) => StoreError::Unsafe(named(words)),
        StoreError::NotAStore(words) => StoreError::NotAStore(named(words)),
        other => other,
    }
}

fn settle(connection: &Connection, place: &Place, purpose: Purpose, patience: &Patience) -> Result<(), StoreError> {
    if let Place::File(_) = place {
        let mode = || connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0));
        patiently(patience, mode).map_err(no_log)?;
    }
    let set = || {
        connection.pragma_update(None, "synchronous", "FULL")?;
        // Where the system's usual sync does not reach the disk.
        connection.pragma_update(None, "fullfsync", true)?;
        connection.pragma_update(None, "checkpoint_fullfsync", true)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        connection.pragma_update(None, "query_only", purpose == Purpose::Read)
    };
    patiently(patience, set)
}

fn no_log(error: StoreError) -> StoreError {
    match error {
        StoreError::Unavailable(words) => {
            StoreError::Unsafe(format!("a write-ahead log cannot be had there (a network file system?): {words}"))
        }
        other => other,
    }
}

/// Reads the settings back.
///
/// # Errors
/// [`StoreError::Unsafe`] if one of them is not what was asked for.
pub(crate) fn verify(connection: &Connection, place: &Place, patience: &Patience) -> Result<(), StoreError> {
    let log = if matches!(place, Place::File(_)) { "wal" } else { "memory" };
    let busy = i64::try_from(patience.busy.as_millis()).unwrap_or(i64::from(i32::MAX)).min(i64::from(i32::MAX));
    let wanted = [
        ("journal_mode", log.to_owned()),
        ("synchronous", "2".to_owned()),
        ("foreign_keys", "1".to_owned()),
        ("busy_timeout", busy.to_string()),
    ];
    for (pragma, wanted) in wanted {
        let read = || connection.pragma_query_value(None, pragma, |row| text(row.get_ref(0)?));
        let found = patiently(patience, read)?;
        if found != wanted {
            return Err(StoreError::Unsafe(format!("{pragma} is {found}, not {wanted}")));
        }
    }
    Ok(())
}

fn text(value: rusqlite::types::ValueRef<'_>) -> rusqlite::Result<String> {
    Ok(match value {
        rusqlite::types::ValueRef::Integer(number) => number.to_string(),
        other => other.as_str().map(str::to_owned).unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const PATIENCE: Patience = Patience { busy: Duration::from_millis(1_234), bound: Duration::from_secs(10) };

    fn settings(connection: &Connection) -> [i64; 3] {
        ["synchronous", "foreign_keys", "busy_timeout"]
            .map(|pragma| connection.pragma_query_value(None, pragma, |row| row.get(0)).unwrap())
    }

    #[test]
    fn every_connection_has_the_documented_settings() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::File(folder.path().join("sagas.db"));
        for _ in 0..2 {
            for purpose in [Purpose::Make, Purpose::Write, Purpose::Read, Purpose::Read] {
                let connection = connect(&place, purpose, &PATIENCE).unwrap();
                assert_eq!(settings(&connection), [2, 1, 1_234]);
                let log: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
                assert_eq!(log, "wal");
            }
        }
    }

    #[test]
    fn a_connection_that_lost_a_setting_is_unsafe() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::File(folder.path().join("sagas.db"));
        for (pragma, value) in [("synchronous", "NORMAL"), ("journal_mode", "DELETE"), ("foreign_keys", "OFF")] {
            let connection = connect(&place, Purpose::Make, &PATIENCE).unwrap();
            connection.execute_batch(&format!("PRAGMA {pragma} = {value}")).unwrap();
            let lost = verify(&connection, &place, &PATIENCE).unwrap_err();
            assert!(matches!(&lost, StoreError::Unsafe(words) if words.contains(pragma)), "{lost}");
        }
    }

    #[test]
    fn a_place_without_a_log_is_unsafe() {
        let in_memory = connect(&Place::Memory, Purpose::Write, &PATIENCE).unwrap();
        let lost = verify(&in_memory, &Place::File("sagas.db".into()), &PATIENCE).unwrap_err();
        assert!(matches!(&lost, StoreError::Unsafe(words) if words.contains("journal_mode")), "{lost}");
    }

    #[test]
    fn a_file_that_was_removed_is_not_made_again_by_a_later_connection() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::File(folder.path().join("sagas.db"));
        for purpose in [Purpose::Write, Purpose::Read] {
            let missing = connect(&place, purpose, &PATIENCE).map(drop);
            assert!(matches!(missing, Err(StoreError::Unavailable(_))), "{missing:?}");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn readers_cannot_write() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::File(folder.path().join("sagas.db"));
        drop(connect(&place, Purpose::Make, &PATIENCE).unwrap());
        let reader = connect(&place, Purpose::Read, &PATIENCE).unwrap();
        assert!(reader.execute_batch("CREATE TABLE a (b)").is_err());
    }
}
