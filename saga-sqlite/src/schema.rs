//! The numbered migrations of the file, and whose file it is.
//!
//! Decides whether a file is ours, which schema it has and how it is brought to the newest one. Knows no run.

use crate::fault::patiently;
use crate::options::Patience;
use rusqlite::Connection;
use saga_core::Timestamp;
use saga_core::store::StoreError;

/// "saga", in the header of the file.
const APPLICATION: i32 = 0x7361_6761;

/// In order: what is first here is schema 1.
const MIGRATIONS: [(&str, &str); 1] = [("first", include_str!("migrations/001_first.sql"))];

/// The newest schema that this library knows.
pub(crate) const NEWEST: u32 = MIGRATIONS.len() as u32;

/// The schema of the file: 0 for an empty one.
///
/// # Errors
/// [`StoreError::NotAStore`] if somebody else's tables are in it, [`StoreError::NewerSchema`].
pub(crate) fn identify(connection: &Connection) -> Result<u32, StoreError> {
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
    let read = || -> rusqlite::Result<(i32, i32, i64)> {
        let objects = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        Ok((number("application_id")?, number("user_version")?, objects))
    };
    let (application, version, objects) = read().map_err(|error| crate::fault::store(&error))?;
    let version = u32::try_from(version).unwrap_or(u32::MAX);
    match (application, version, objects) {
        (APPLICATION, version, _) if version > NEWEST => Err(StoreError::NewerSchema { found: version, known: NEWEST }),
        (APPLICATION, version, _) => Ok(version),
        (0, 0, 0) => Ok(0),
        _ => Err(StoreError::NotAStore(format!(
            "the SQLite database has another application's tables (application_id {application}, user_version {version})"
        ))),
    }
}

/// Brings the file to the newest schema; whichever process comes first does it, the others wait.
pub(crate) fn migrate(connection: &Connection, patience: &Patience, now: Timestamp) -> Result<(), StoreError> {
    if identify(connection)? == NEWEST {
        return Ok(());
    }
    patiently(patience, || connection.execute_batch("BEGIN EXCLUSIVE"))?;
    let outcome = identify(connection)
        .and_then(|version| apply(connection, version, now).map_err(|error| crate::fault::store(&error)));
    let end = if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" };
    patiently(patience, || connection.execute_batch(end))?;
    outcome
}

fn apply(connection: &Connection, version: u32, now: Timestamp) -> rusqlite::Result<()> {
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS saga_migrations (
             version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied INTEGER NOT NULL
         ) STRICT",
    )?;
    for (number, (name, sql)) in (1_u32..).zip(MIGRATIONS).skip(version as usize) {
        connection.execute_batch(sql)?;
        connection.execute(
            "INSERT INTO saga_migrations (version, name, applied) VALUES (?1, ?2, ?3)",
            (number, name, now.0),
        )?;
    }
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", NEWEST)
}
