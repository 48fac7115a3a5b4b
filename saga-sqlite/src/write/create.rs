//! New runs.

use super::append::push;
use super::{exactly_one, whole};
use crate::columns::Columns;
use crate::fault::Fault;
use crate::rows::{self, RUN, RUN_COLUMNS};
use rusqlite::{Connection, OptionalExtension, params};
use saga_core::Timestamp;
use saga_core::store::rules::{self, Ownership};
use saga_core::store::{Due, NewRun, Refused, RunRow, Then, Written};

pub(super) fn create(connection: &Connection, new: &NewRun, now: Timestamp) -> Result<Written, Fault> {
    if let Some((there, input_digest)) = by_key(connection, &new.key)? {
        rules::same_run(
            &new.key,
            there.run,
            (&there.definition.saga, there.definition.version, &input_digest),
            (&new.definition.saga, new.definition.version, &new.input_digest),
        )?;
        return Ok(Written::Existing(Box::new(there)));
    }
    let at = rules::stamp(now, Timestamp(0));
    let then = if new.then == Then::Keep { Then::Release(Due::Now) } else { new.then };
    let ended = new.head.state.is_terminal();
    let (worker, fence, due) = match (&new.claim, rules::ownership(new.head.state, then, now, false)) {
        (Some((worker, lease)), _) if !ended => (Some(&worker.0), 1, Some(now.plus(*lease))),
        (_, Ownership::Free(due)) => (None, 0, due),
        (_, Ownership::Kept) => (None, 0, None),
    };
    let mut statement = connection.prepare_cached(
        "INSERT INTO saga_runs (run, key, saga, version, fingerprint, input_digest, state, step, why, error, past_pivot,
                                length, fence, worker, due, claims, created, updated, owner)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?13, ?16, ?16, ?17)
         ON CONFLICT (run) DO NOTHING",
    )?;
    let inserted = statement.execute(params![
        new.run.to_string(),
        new.key,
        new.definition.saga,
        new.definition.version,
        new.definition.fingerprint.to_string(),
        new.input_digest,
        new.head.state.name(),
        new.head.step,
        new.head.why,
        new.head.error,
        new.head.past_pivot,
        whole(new.entries.len() as u64),
        fence,
        worker,
        due.map(|due| due.0),
        at.0,
        new.owner,
    ])?;
    if inserted == 0 {
        return Err(rules::identity_taken(new.run).into());
    }
    exactly_one(inserted)?;
    push(connection, new.run, 0, &new.entries, at)?;
    Ok(Written::Created { at })
}

/// The run with this key, and the digest of its input.
fn by_key(connection: &Connection, key: &str) -> Result<Option<(RunRow, String)>, Fault> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT {RUN}, r.input_digest FROM saga_runs r WHERE r.key = ?1"))?;
    let read = |row: &rusqlite::Row<'_>| {
        let digest = Columns::from(row, RUN_COLUMNS).words().unwrap_or_default();
        Ok(rows::run(row).map(|run| (run, digest)))
    };
    match statement.query_row([key], read).optional()? {
        None => Ok(None),
        Some(Ok(found)) => Ok(Some(found)),
        Some(Err(cause)) => {
            Err(Refused::Rejected(format!("the key `{key}` belongs to a run whose row cannot be read: {cause}")).into())
        }
    }
}
