//! Who has which run: claims, renewals, runs that are set aside, and workers that come and go.
//!
//! Decides how due runs are found without looking at history, and that a row which cannot be read stops no other.

use crate::columns::{Columns, Unreadable};
use crate::fault::Fault;
use crate::rows::{self, RUN};
use crate::write::{Facts, exactly_one, facts, open_review, whole};
use rusqlite::{Connection, params};
use saga_core::Timestamp;
use saga_core::journal::Reason;
use saga_core::store::{Claim, Claimed, DefinitionRow, Lease, Refused, ReviewRow, RunRow, SetAside, WorkerId, rules};
use std::collections::HashSet;
use std::time::Duration;

/// How long a row that cannot be read is left alone before it is looked at again, in case somebody has repaired it.
const UNREADABLE_RETRY: Duration = Duration::from_secs(300);

/// Due runs of one definition: a range of a partial index, however many runs there are.
pub(crate) const DUE: &str = "SELECT r.due, r.run, r.rowid FROM saga_runs r INDEXED BY saga_runs_runnable \
     WHERE r.saga = ?1 AND r.version = ?2 AND r.fingerprint = ?3 AND r.due <= ?4 \
     AND r.ended = 0 ORDER BY r.due, r.run LIMIT ?5";

pub(crate) fn claim(connection: &Connection, claim: &Claim, now: Timestamp) -> Result<Vec<Claimed>, Fault> {
    let limit = rules::page(claim.limit);
    let (mut claimed, mut seen) = (Vec::new(), HashSet::new());
    while claimed.len() < limit {
        let found = due(connection, &claim.definitions, now, limit - claimed.len())?;
        // At the end of time a row is due again at once.
        let new: Vec<i64> = found.into_iter().filter(|row| seen.insert(*row)).collect();
        if new.is_empty() {
            break;
        }
        for row in new {
            match head(connection, row)? {
                Ok(head) => claimed.push(take(connection, row, head, claim, now)?),
                Err(cause) => set_unreadable_aside(connection, row, &cause, now)?,
            }
        }
    }
    Ok(claimed)
}

/// The rows of due runs, oldest due first.
fn due(
    connection: &Connection,
    definitions: &[DefinitionRow],
    now: Timestamp,
    limit: usize,
) -> Result<Vec<i64>, Fault> {
    let mut found: Vec<(i64, Vec<u8>, i64)> = Vec::new();
    let mut statement = connection.prepare_cached(DUE)?;
    for definition in definitions {
        let fingerprint = definition.fingerprint.to_string();
        let limit = whole(limit as u64);
        let mut rows = statement.query(params![definition.saga, definition.version, fingerprint, now.0, limit])?;
        while let Some(row) = rows.next()? {
            found.push((row.get(0)?, row.get_ref(1)?.as_bytes().unwrap_or_default().to_vec(), row.get(2)?));
        }
    }
    found.sort();
    found.dedup();
    found.truncate(limit);
    Ok(found.into_iter().map(|(_, _, row)| row).collect())
}

pub(crate) fn head(connection: &Connection, row: i64) -> Result<Result<RunRow, Unreadable>, Fault> {
    let mut statement = connection.prepare_cached(&format!("SELECT {RUN} FROM saga_runs r WHERE r.rowid = ?1"))?;
    Ok(statement.query_row([row], |row| Ok(rows::run(row)))?)
}

fn take(connection: &Connection, row: i64, mut head: RunRow, claim: &Claim, now: Timestamp) -> Result<Claimed, Fault> {
    head.fence += 1;
    head.claims = head.claims.saturating_add(1);
    head.worker = Some(claim.worker.clone());
    head.due = Some(now.plus(claim.lease));
    let changed = connection
        .prepare_cached("UPDATE saga_runs SET fence = ?2, claims = ?3, worker = ?4, due = ?5 WHERE rowid = ?1")?
        .execute(params![row, whole(head.fence), head.claims, claim.worker.0, head.due.map(|due| due.0)])?;
    exactly_one(changed)?;
    Ok(Claimed { row: head, at: now })
}

pub(crate) fn set_unreadable_aside(
    connection: &Connection,
    row: i64,
    cause: &str,
    now: Timestamp,
) -> Result<(), Fault> {
    tracing::error!(row, cause, "a run's row cannot be read; it is set aside");
    let (reason, words) = (Reason::JournalBroken, format!("the run's row cannot be read: {cause}"));
    put_aside(connection, row, reason, &words, Some(now.plus(UNREADABLE_RETRY)))?;
    let mut statement = connection.prepare_cached("SELECT run, saga, owner FROM saga_runs WHERE rowid = ?1")?;
    let identity = statement.query_row([row], |row| {
        let from = &mut Columns::of(row);
        Ok((from.run(), from.words().unwrap_or_default(), from.words().unwrap_or_default()))
    })?;
    // A row whose identity is what cannot be read has no question, but stands in the list of runs that are set aside.
    if let (Ok(run), saga, owner) = identity {
        // No decision can be carried out on a row that cannot be read: it has to be repaired first.
        let question = rules::set_aside_review(run, &saga, &owner, reason, &words, now);
        open_review(connection, &ReviewRow { actions: Vec::new(), ..question })?;
    }
    Ok(())
}

/// Marks a run as set aside; `free`: nobody has it any more, and it is due then.
pub(crate) fn put_aside(
    connection: &Connection,
    row: i64,
    reason: Reason,
    cause: &str,
    free: Option<Timestamp>,
) -> Result<(), Fault> {
    let changed = connection
        .prepare_cached(
            "UPDATE saga_runs SET quarantined = ?2, quarantined_as = ?3, worker = iif(?4 IS NULL, worker, NULL),
                    due = coalesce(?4, due)
             WHERE rowid = ?1",
        )?
        .execute(params![row, rules::cause(cause), reason.name(), free.map(|due| due.0)])?;
    exactly_one(changed)
}

pub(crate) fn quarantine(
    connection: &Connection,
    aside: &SetAside,
    retry_in: Duration,
    now: Timestamp,
) -> Result<(), Fault> {
    let Facts { standing, saga, owner, updated, .. } = facts(connection, aside.run)?;
    standing.set_aside(aside.fence)?;
    let row = connection
        .prepare_cached("SELECT rowid FROM saga_runs WHERE run = ?1")?
        .query_row([aside.run.to_string()], |row| row.get(0))?;
    put_aside(connection, row, aside.reason, &aside.cause, Some(now.plus(retry_in)))?;
    let at = rules::stamp(now, updated);
    open_review(connection, &rules::set_aside_review(aside.run, &saga, &owner, aside.reason, &aside.cause, at))
}

/// The answer to whoever asked for a quarantine: a refusal is an answer, a failure is not.
pub(crate) fn answer(outcome: Result<(), Fault>) -> Result<Result<(), Refused>, Fault> {
    match outcome {
        Ok(()) => Ok(Ok(())),
        Err(fault) => Ok(Err(fault.refusal().map_err(Fault::Store)?)),
    }
}

pub(crate) fn renew(connection: &Connection, worker: &WorkerId, until: Timestamp) -> Result<Vec<Lease>, Fault> {
    connection
        .prepare_cached("UPDATE saga_workers SET until = ?2 WHERE worker = ?1 AND gone = 0")?
        .execute(params![worker.0, until.0])?;
    let mut statement = connection
        .prepare_cached("UPDATE saga_runs SET due = ?2 WHERE worker = ?1 RETURNING run, fence, inbox_last")?;
    let mut rows = statement.query(params![worker.0, until.0])?;
    let mut held = Vec::new();
    while let Some(row) = rows.next()? {
        let from = &mut Columns::of(row);
        // A row that has become unreadable is set aside when its lease ends or its worker writes.
        if let (Ok(run), Ok(fence), Ok(inbox_last)) = (from.run(), from.number(), from.number()) {
            held.push(Lease { run, fence, inbox_last });
        }
    }
    held.sort_by_key(|lease| lease.run);
    Ok(held)
}

pub(crate) fn enroll(
    connection: &Connection,
    worker: &WorkerId,
    definitions: &[DefinitionRow],
    now: Timestamp,
    lease: Duration,
) -> Result<Vec<u64>, Fault> {
    let forgotten = rules::missing_since(now, rules::FORGET_WORKERS);
    connection.prepare_cached("DELETE FROM saga_workers WHERE until < ?1")?.execute([forgotten.0])?;
    connection
        .prepare_cached(
            "INSERT INTO saga_workers (worker, until) VALUES (?1, ?2)
             ON CONFLICT (worker) DO UPDATE SET until = excluded.until, gone = 0",
        )?
        .execute(params![worker.0, now.plus(lease).0])?;
    connection.prepare_cached("DELETE FROM saga_worker_definitions WHERE worker = ?1")?.execute([&worker.0])?;
    let mut others = Vec::with_capacity(definitions.len());
    for definition in definitions {
        let of = params![worker.0, definition.saga, definition.version, definition.fingerprint.to_string()];
        connection
            .prepare_cached(
                "INSERT INTO saga_worker_definitions (worker, saga, version, fingerprint) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT DO NOTHING",
            )?
            .execute(of)?;
        others.push(under_another_fingerprint(connection, definition)?);
    }
    Ok(others)
}

/// Open runs that follow another machine than `definition` says under the same saga and version.
fn under_another_fingerprint(connection: &Connection, definition: &DefinitionRow) -> Result<u64, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT count(*) FROM saga_runs INDEXED BY saga_runs_open
         WHERE saga = ?1 AND version = ?2 AND fingerprint <> ?3
           AND ended = 0",
    )?;
    let of = params![definition.saga, definition.version, definition.fingerprint.to_string()];
    let count: i64 = statement.query_row(of, |row| row.get(0))?;
    Ok(count.unsigned_abs())
}

pub(crate) fn leave(connection: &Connection, worker: &WorkerId, now: Timestamp) -> Result<(), Fault> {
    connection
        .prepare_cached("UPDATE saga_workers SET until = min(until, ?2), gone = 1 WHERE worker = ?1")?
        .execute(params![worker.0, now.0])?;
    connection
        .prepare_cached("UPDATE saga_runs SET worker = NULL, due = ?2 WHERE worker = ?1")?
        .execute(params![worker.0, now.0])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_searches_the_partial_index_and_sorts_nothing() {
        let connection = crate::schema::fresh();
        let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {DUE}")).unwrap();
        let mut rows = statement.query(params!["approval", 1, "f", 7, 10]).unwrap();
        let mut plan = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            plan.push(row.get::<_, String>(3).unwrap());
        }
        let search = "SEARCH r USING INDEX saga_runs_runnable (saga=? AND version=? AND fingerprint=? AND due<?)";
        assert_eq!(plan, [search]);
    }

    #[test]
    fn ended_runs_are_in_no_index_that_claims_and_renewals_use() {
        let connection = crate::schema::fresh();
        let insert =
            "INSERT INTO saga_runs (run, key, saga, version, fingerprint, input_digest, state, created, updated)
                      VALUES (?1, ?1, 'approval', 1, 'f', 'd', 'completed', 1, 1)";
        for number in 0..100 {
            connection.execute(insert, [number.to_string()]).unwrap();
        }
        for (index, wanted) in [
            ("saga_runs_runnable", "due IS NOT NULL"),
            ("saga_runs_leased", "worker IS NOT NULL"),
            ("saga_runs_open", "ended = 0"),
        ] {
            let sql = format!("SELECT count(*) FROM saga_runs INDEXED BY {index} WHERE {wanted}");
            let entries: i64 = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
            assert_eq!(entries, 0, "{index}");
        }
    }
}
