//! Questions to people: opened, requested, settled.

use super::exactly_one;
use crate::columns::Columns;
use crate::fault::Fault;
use rusqlite::{Connection, OptionalExtension, params};
use saga_core::journal::Reason;
use saga_core::store::{ReviewChange, ReviewRow, rules};
use saga_core::{RunId, Timestamp};

pub(super) fn change(
    connection: &Connection,
    run: RunId,
    saga: &str,
    change: ReviewChange,
    at: Timestamp,
) -> Result<(), Fault> {
    match change {
        ReviewChange::Open(review) => {
            let there = connection
                .prepare_cached("SELECT 1 FROM saga_reviews WHERE run = ?1 AND review = ?2")?
                .exists(params![run.to_string(), review.review])?;
            rules::open_review(run, review.review, there)?;
            open(connection, &ReviewRow { run, saga: saga.to_owned(), opened: at, ..*review })
        }
        ReviewChange::Settle { review, decision, by } => settle(connection, run, Some(review), &decision, &by, at),
        ReviewChange::Escalate { review, owner } => reopen(connection, run, review, Some((owner, at))),
        ReviewChange::Refuse { review } => reopen(connection, run, review, None),
    }
}

/// Settles an open question, or all open ones of the run. There is nothing to tell anybody any more.
pub(super) fn settle(
    connection: &Connection,
    run: RunId,
    review: Option<u32>,
    decision: &str,
    by: &str,
    at: Timestamp,
) -> Result<(), Fault> {
    let mut statement = connection.prepare_cached(
        "UPDATE saga_reviews SET decision = ?3, settled_by = ?4, settled_at = ?5, requested_by = NULL,
                requested_at = NULL, notify_at = NULL
         WHERE run = ?1 AND review = coalesce(?2, review) AND settled_at IS NULL",
    )?;
    statement.execute(params![run.to_string(), review, decision, by, at.0])?;
    Ok(())
}

/// Another decision may be requested; a new owner is to be told.
fn reopen(connection: &Connection, run: RunId, review: u32, owner: Option<(String, Timestamp)>) -> Result<(), Fault> {
    let (owner, at) = owner.unzip();
    let mut statement = connection.prepare_cached(
        "UPDATE saga_reviews SET owner = coalesce(?3, owner), requested_by = NULL, requested_at = NULL,
                notify_at = coalesce(?4, notify_at), notify_tries = iif(?4 IS NULL, notify_tries, 0)
         WHERE run = ?1 AND review = ?2 AND settled_at IS NULL",
    )?;
    statement.execute(params![run.to_string(), review, owner, at.map(|at| at.0)])?;
    Ok(())
}

/// Why the run is set aside, if there is an open question about it.
pub(super) fn reason_aside(connection: &Connection, run: RunId) -> Result<Option<Reason>, Fault> {
    let mut statement = connection
        .prepare_cached("SELECT reason FROM saga_reviews WHERE run = ?1 AND review = ?2 AND settled_at IS NULL")?;
    let read = |row: &rusqlite::Row<'_>| Ok(Columns::of(row).reason().unwrap_or(Reason::JournalBroken));
    Ok(statement.query_row(params![run.to_string(), rules::SET_ASIDE], read).optional()?)
}

/// Writes a question, whose owner is to be told. One with the same number that is settled begins anew; an open one keeps its age
/// and its owner, who is not told again.
pub(crate) fn open(connection: &Connection, review: &ReviewRow) -> Result<(), Fault> {
    let json = |value: serde_json::Result<String>| value.unwrap_or_else(|error| error.to_string());
    let mut statement = connection.prepare_cached(
        "INSERT INTO saga_reviews (run, review, saga, call, step, reason, owner, last, first, actions, opened,
                                   requested_by, requested_at, decision, settled_by, settled_at, notify_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, iif(?16 IS NULL, ?11, NULL))
         ON CONFLICT (run, review) DO UPDATE SET
             reason = excluded.reason, last = excluded.last, actions = excluded.actions,
             owner = iif(settled_at IS NULL, owner, excluded.owner),
             opened = iif(settled_at IS NULL, opened, excluded.opened),
             notify_at = iif(settled_at IS NULL, notify_at, excluded.notify_at),
             notify_tries = iif(settled_at IS NULL, notify_tries, 0),
             requested_by = NULL, requested_at = NULL, decision = NULL, settled_by = NULL, settled_at = NULL",
    )?;
    let (requested_by, requested_at) = review.requested.clone().unzip();
    let settled = review.settled.as_ref();
    let inserted = statement.execute(params![
        review.run.to_string(),
        review.review,
        review.saga,
        review.call.map(|call| call.0),
        review.step,
        review.reason.name(),
        review.owner,
        json(serde_json::to_string(&review.last)),
        review.first.as_ref().map(|first| json(serde_json::to_string(first))),
        json(serde_json::to_string(&review.actions)),
        review.opened.0,
        requested_by,
        requested_at.map(|at| at.0),
        settled.map(|settled| &settled.0),
        settled.map(|settled| &settled.1),
        settled.map(|settled| settled.2.0),
    ])?;
    exactly_one(inserted)
}

/// Of an open question: who requested a decision, and when. `None` if there is no such open question.
pub(super) fn requested(
    connection: &Connection,
    run: RunId,
    review: u32,
) -> Result<Option<Option<(String, Timestamp)>>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT requested_by, requested_at FROM saga_reviews WHERE run = ?1 AND review = ?2 AND settled_at IS NULL",
    )?;
    let read = |row: &rusqlite::Row<'_>| {
        let from = &mut Columns::of(row);
        Ok(from.words().zip(from.maybe_instant().ok().flatten()))
    };
    Ok(statement.query_row(params![run.to_string(), review], read).optional()?)
}

/// A decision is on its way.
pub(super) fn request(connection: &Connection, run: RunId, review: u32, by: &str, at: Timestamp) -> Result<(), Fault> {
    let mut statement = connection.prepare_cached(
        "UPDATE saga_reviews SET requested_by = ?3, requested_at = ?4 WHERE run = ?1 AND review = ?2",
    )?;
    exactly_one(statement.execute(params![run.to_string(), review, by, at.0])?)
}
