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

/// Names and statements in order: what is first here is schema 1.
type Migrations = &'static [(&'static str, &'static str)];

const MIGRATIONS: Migrations =
    &[("first", include_str!("migrations/001_first.sql")), ("owners", include_str!("migrations/002_owners.sql"))];

/// The newest schema that this library knows.
pub(crate) const NEWEST: u32 = MIGRATIONS.len() as u32;

/// The schema of the file: 0 for an empty one.
///
/// # Errors
/// [`StoreError::NotAStore`] if somebody else's tables are in it, [`StoreError::NewerSchema`].
pub(crate) fn identify(connection: &Connection) -> Result<u32, StoreError> {
    identify_up_to(connection, NEWEST)
}

fn identify_up_to(connection: &Connection, newest: u32) -> Result<u32, StoreError> {
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
    let read = || -> rusqlite::Result<(i32, i32, i64)> {
        let objects = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        Ok((number("application_id")?, number("user_version")?, objects))
    };
    let (application, version, objects) = read().map_err(|error| crate::fault::store(&error))?;
    let version = u32::try_from(version).unwrap_or(u32::MAX);
    match (application, version, objects) {
        (APPLICATION, version, _) if version > newest => Err(StoreError::NewerSchema { found: version, known: newest }),
        (APPLICATION, version, _) => Ok(version),
        (0, 0, 0) => Ok(0),
        _ => Err(StoreError::NotAStore(format!(
            "the SQLite database has another application's tables (application_id {application}, user_version {version})"
        ))),
    }
}

/// Brings the file to the newest schema; whichever process comes first does it, the others wait.
pub(crate) fn migrate(connection: &Connection, patience: &Patience, now: Timestamp) -> Result<(), StoreError> {
    migrate_by(connection, patience, now, MIGRATIONS)
}

fn migrate_by(
    connection: &Connection,
    patience: &Patience,
    now: Timestamp,
    migrations: Migrations,
) -> Result<(), StoreError> {
    let newest = u32::try_from(migrations.len()).unwrap_or(u32::MAX);
    if identify_up_to(connection, newest)? == newest {
        return Ok(());
    }
    patiently(patience, || connection.execute_batch("BEGIN EXCLUSIVE"))?;
    let outcome = identify_up_to(connection, newest)
        .and_then(|version| apply(connection, version, now, migrations).map_err(|error| crate::fault::store(&error)));
    let end = if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" };
    patiently(patience, || connection.execute_batch(end))?;
    outcome
}

fn apply(connection: &Connection, version: u32, now: Timestamp, migrations: Migrations) -> rusqlite::Result<()> {
    connection.execute_batch(
        "CREATE TABLE IF NOT EXISTS saga_migrations (
             version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL, applied INTEGER NOT NULL
         ) STRICT",
    )?;
    for (number, (name, sql)) in (1_u32..).zip(migrations).skip(version as usize) {
        connection.execute_batch(sql)?;
        connection.execute(
            "INSERT INTO saga_migrations (version, name, applied) VALUES (?1, ?2, ?3)",
            (number, name, now.0),
        )?;
        connection.pragma_update(None, "user_version", number)?;
    }
    connection.pragma_update(None, "application_id", APPLICATION)
}

/// A database in memory with the newest schema.
#[cfg(test)]
pub(crate) fn fresh() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    let span = std::time::Duration::from_secs(1);
    migrate(&connection, &Patience { busy: span, bound: span }, Timestamp(1)).unwrap();
    connection
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const PATIENCE: Patience = Patience { busy: Duration::from_secs(1), bound: Duration::from_secs(10) };
    const FIRST: Migrations = &[MIGRATIONS[0]];
    const NEXT: Migrations = &[
        MIGRATIONS[0],
        ("tags", "ALTER TABLE saga_runs ADD COLUMN tag TEXT; UPDATE saga_runs SET tag = saga || '!';"),
    ];
    const BROKEN: Migrations = &[MIGRATIONS[0], NEXT[1], ("broken", "CREATE TABLE half (a); CREATE TABLE half (a);")];

    fn migrated(connection: &Connection, migrations: Migrations) -> Result<(), StoreError> {
        migrate_by(connection, &PATIENCE, Timestamp(7), migrations)
    }

    fn versions(connection: &Connection) -> String {
        let sql = "SELECT group_concat(version || ' ' || name || ' ' || applied, ', ') FROM saga_migrations";
        connection.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// A file of the first schema, with a run in it.
    fn older() -> Connection {
        let connection = Connection::open_in_memory().unwrap();
        migrated(&connection, FIRST).unwrap();
        let insert =
            "INSERT INTO saga_runs (run, key, saga, version, fingerprint, input_digest, state, created, updated)
                      VALUES ('r', 'k', 'approval', 1, 'f', 'd', 'running', 1, 1)";
        connection.execute(insert, []).unwrap();
        connection
    }

    #[test]
    fn an_older_file_gets_the_missing_migrations_and_keeps_its_runs() {
        let connection = older();
        assert_eq!(versions(&connection), "1 first 7");
        migrated(&connection, NEXT).unwrap();
        migrated(&connection, NEXT).unwrap();
        assert_eq!(versions(&connection), "1 first 7, 2 tags 7");
        let tag: String = connection.query_row("SELECT tag FROM saga_runs", [], |row| row.get(0)).unwrap();
        assert_eq!(tag, "approval!");
    }

    #[test]
    fn who_was_asked_by_an_older_library_can_decide_and_is_told() {
        let connection = older();
        let insert = "INSERT INTO saga_reviews (run, review, saga, reason, owner, last, actions, opened, settled_at)
                      VALUES ('r', ?1, 'approval', ?2, 'operators', '{}', '[]', 5, ?3)";
        connection.execute(insert, (0, "crash_loop", None::<i64>)).unwrap();
        connection.execute(insert, (1, "undo_failed", Some(6))).unwrap();
        migrated(&connection, MIGRATIONS).unwrap();
        let sql = "SELECT group_concat(review || actions || ifnull(notify_at, '-') || r.owner, ' ')
                   FROM saga_reviews JOIN saga_runs r USING (run)";
        let found: String = connection.query_row(sql, [], |row| row.get(0)).unwrap();
        assert_eq!(found, r#"0["retry","escalate","abandon"]5operators 1[]-operators"#);
    }

    #[test]
    fn an_older_library_refuses_a_newer_file() {
        let connection = older();
        migrated(&connection, NEXT).unwrap();
        let refused = migrated(&connection, FIRST);
        assert!(matches!(refused, Err(StoreError::NewerSchema { found: 2, known: 1 })), "{refused:?}");
    }

    #[test]
    fn a_migration_that_fails_leaves_the_file_as_it_was() {
        let connection = older();
        assert!(migrated(&connection, BROKEN).is_err());
        assert_eq!(versions(&connection), "1 first 7");
        assert_eq!(identify(&connection).unwrap(), 1);
        assert!(connection.is_autocommit());
    }
}
