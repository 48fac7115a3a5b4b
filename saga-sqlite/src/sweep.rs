//! Runs that are due while no worker with their definition lives: found without looking at history, asked about once.
//!
//! Decides that looking costs the writer nothing: candidates are read beside it, and only those go to it, to be judged again
//! under its lock. So however many workers look, each question is opened once.

use crate::fault::Fault;
use crate::work::{head, put_aside, set_unreadable_aside};
use crate::write::{open_review, whole};
use rusqlite::{Connection, OptionalExtension, params};
use saga_core::journal::Reason;
use saga_core::store::rules;
use saga_core::{RunId, Timestamp};

/// The next definition that a run which can become due has: one step in an index for each definition, however many runs.
pub(crate) const DEFINITION: &str = "SELECT saga, version, fingerprint FROM saga_runs INDEXED BY saga_runs_runnable \
     WHERE due IS NOT NULL AND (saga, version, fingerprint) > (?1, ?2, ?3) ORDER BY saga, version, fingerprint LIMIT 1";

/// Whether a worker with the definition lived after an instant.
const KNOWN: &str = "SELECT 1 FROM saga_worker_definitions d JOIN saga_workers w ON w.worker = d.worker \
     WHERE d.saga = ?1 AND d.version = ?2 AND d.fingerprint = ?3 AND w.until > ?4";

/// Its runs that are due since then and that nobody is asked about.
const MISSING: &str = "SELECT due, run, rowid FROM saga_runs INDEXED BY saga_runs_runnable \
     WHERE saga = ?1 AND version = ?2 AND fingerprint = ?3 AND due <= ?4 AND ended = 0 AND quarantined IS NULL \
     ORDER BY due, run LIMIT ?5";

/// The rows of runs that may have to be set aside, oldest due first. `before`: see [`rules::missing_since`].
pub(crate) fn candidates(connection: &Connection, before: Timestamp, limit: u32) -> Result<Vec<i64>, Fault> {
    let limit = rules::page(limit);
    let mut definition = (String::new(), -1_i64, String::new());
    let mut found: Vec<(i64, Vec<u8>, i64)> = Vec::new();
    let mut next = connection.prepare_cached(DEFINITION)?;
    while let Some(row) = next
        .query_row(params![definition.0, definition.1, definition.2], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?
    {
        definition = row;
        let (saga, version, fingerprint) = &definition;
        if connection.prepare_cached(KNOWN)?.exists(params![saga, version, fingerprint, before.0])? {
            continue;
        }
        let mut statement = connection.prepare_cached(MISSING)?;
        let mut rows = statement.query(params![saga, version, fingerprint, before.0, whole(limit as u64)])?;
        while let Some(row) = rows.next()? {
            found.push((row.get(0)?, row.get_ref(1)?.as_bytes().unwrap_or_default().to_vec(), row.get(2)?));
        }
    }
    found.sort();
    found.truncate(limit);
    Ok(found.into_iter().map(|(_, _, row)| row).collect())
}

/// Sets those of the rows aside of which it still holds. They stay due.
pub(crate) fn set_aside(
    connection: &Connection,
    rows: &[i64],
    before: Timestamp,
    now: Timestamp,
) -> Result<Vec<RunId>, Fault> {
    let mut asked = Vec::new();
    for row in rows {
        let still = "SELECT 1 FROM saga_runs WHERE rowid = ?1 AND due <= ?2 AND ended = 0 AND quarantined IS NULL";
        if !connection.prepare_cached(still)?.exists(params![row, before.0])? {
            continue;
        }
        let head = match head(connection, *row)? {
            Ok(head) => head,
            Err(cause) => {
                set_unreadable_aside(connection, *row, &cause, now)?;
                continue;
            }
        };
        let definition = &head.definition;
        let of = params![definition.saga, definition.version, definition.fingerprint.to_string(), before.0];
        if connection.prepare_cached(KNOWN)?.exists(of)? {
            continue;
        }
        let (reason, words) = (Reason::DefinitionMissing, rules::definition_missing(definition));
        put_aside(connection, *row, reason, &words, None)?;
        let at = rules::stamp(now, head.updated);
        open_review(connection, &rules::set_aside_review(head.run, &definition.saga, &head.owner, reason, &words, at))?;
        asked.push(head.run);
    }
    Ok(asked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_found_by_steps_in_the_index_of_runnable_runs() {
        let connection = crate::schema::fresh();
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {DEFINITION}")).unwrap();
        let mut rows = statement.query(params!["approval", 1, "f"]).unwrap();
        let mut plan = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            plan.push(row.get::<_, String>(3).unwrap());
        }
        let search = "SEARCH saga_runs USING COVERING INDEX saga_runs_runnable ((saga,version,fingerprint)>(?,?,?))";
        assert_eq!(plan, [search]);
    }
}
