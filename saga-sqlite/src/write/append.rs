//! More entries of a run, the questions that they open or settle, and what happens to the lease.

use super::{Facts, exactly_one, facts, review, whole};
use crate::fault::Fault;
use rusqlite::{Connection, params};
use saga_core::store::rules::{self, Ownership};
use saga_core::store::{Append, NewEntry, ReviewChange, Then, Written};
use saga_core::{RunId, Timestamp};

pub(super) fn append(connection: &Connection, append: Append, now: Timestamp) -> Result<Written, Fault> {
    let Facts { standing, saga, updated, set_aside, .. } = facts(connection, append.run)?;
    standing.append(&append)?;
    let run = append.run.to_string();
    let at = rules::stamp(now, updated);
    push(connection, append.run, standing.length, &append.entries, at)?;
    for number in &append.inbox_taken {
        connection
            .prepare_cached("UPDATE saga_inbox SET taken = ?3 WHERE run = ?1 AND number = ?2 AND taken IS NULL")?
            .execute(params![run, whole(*number), at.0])?;
    }
    let asks = standing.inbox_last > 0 && matches!(append.then, Then::Release(_));
    let wanted = asks && waiting(connection, &run, append.inbox_seen)?;
    let head = &append.head;
    let (kept, due) = match rules::ownership(head.state, append.then, now, wanted) {
        Ownership::Kept => (true, None),
        Ownership::Free(due) => (false, due.map(|due| due.0)),
    };
    let changed = connection
        .prepare_cached(
            "UPDATE saga_runs SET state = ?4, step = ?5, why = ?6, error = ?7, past_pivot = ?8, length = length + ?9,
                    updated = iif(?9 > 0, ?10, updated), claims = 0,
                    worker = iif(?11, worker, NULL), due = iif(?11, due, ?12), quarantined = NULL, quarantined_as = NULL
             WHERE run = ?1 AND fence = ?2 AND length = ?3 AND worker IS NOT NULL",
        )?
        .execute(params![
            run,
            whole(standing.fence),
            whole(standing.length),
            head.state.name(),
            head.step,
            head.why,
            head.error,
            head.past_pivot,
            whole(append.entries.len() as u64),
            at.0,
            kept,
            due,
        ])?;
    exactly_one(changed)?;
    if set_aside {
        let (decision, by) = (rules::REPAIRED.0.to_owned(), rules::REPAIRED.1.to_owned());
        let settled = ReviewChange::Settle { review: rules::SET_ASIDE, decision, by };
        review::change(connection, append.run, &saga, settled, at)?;
    }
    for change in append.reviews {
        review::change(connection, append.run, &saga, change, at)?;
    }
    Ok(Written::Appended { at })
}

/// Writes entries after the first `length` ones.
pub(super) fn push(
    connection: &Connection,
    run: RunId,
    length: u64,
    entries: &[NewEntry],
    at: Timestamp,
) -> Result<(), Fault> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO saga_journal (run, sequence, at, kind, call, step, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let run = run.to_string();
    for (sequence, entry) in (length + 1..).zip(entries) {
        let call = entry.call.map(|call| call.0);
        exactly_one(statement.execute(params![
            run,
            whole(sequence),
            at.0,
            entry.kind,
            call,
            entry.step,
            entry.body
        ])?)?;
    }
    Ok(())
}

/// Whether the inbox has something that makes a released run due now: see [`rules::wants`].
fn waiting(connection: &Connection, run: &str, seen: Option<u64>) -> Result<bool, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT 1 FROM saga_inbox WHERE run = ?1 AND taken IS NULL AND (kind <> 'signal' OR number > ?2)",
    )?;
    Ok(statement.exists(params![run, whole(seen.unwrap_or(0))])?)
}
