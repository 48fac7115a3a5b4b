//! Questions to people: opened, requested, settled.

use super::exactly_one;
use crate::columns::Columns;
use crate::fault::Fault;
use rusqlite::{Connection, OptionalExtension, params};
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
        ReviewChange::Settle { review, decision, by } => {
            let mut statement = connection.prepare_cached(
                "UPDATE saga_reviews SET decision = ?3, settled_by = ?4, settled_at = ?5, requested_by = NULL,
                        requested_at = NULL
                 WHERE run = ?1 AND review = ?2 AND settled_at IS NULL",
            )?;
            statement.execute(params![run.to_string(), review, decision, by, at.0])?;
            Ok(())
        }
        ReviewChange::Escalate { review, owner } => reopen(connection, run, review, Some(owner)),
        ReviewChange::Refuse { review } => reopen(connection, run, review, None),
    }
}

/// Another decision may be requested.
fn reopen(connection: &Connection, run: RunId, review: u32, owner: Option<String>) -> Result<(), Fault> {
    let mut statement = connection.prepare_cached(
        "UPDATE saga_reviews SET owner = coalesce(?3, owner), requested_by = NULL, requested_at = NULL
         WHERE run = ?1 AND review = ?2 AND settled_at IS NULL",
    )?;
    statement.execute(params![run.to_string(), review, owner])?;
    Ok(())
}

/// Writes a question. One with the same number that is settled begins anew; an open one keeps its age.
pub(crate) fn open(connection: &Connection, review: &ReviewRow) -> Result<(), Fault> {
    let json = |value: serde_json::Result<String>| value.unwrap_or_else(|error| error.to_string());
    let mut statement = connection.prepare_cached(
        "INSERT INTO saga_reviews (run, review, saga, call, step, reason, owner, last, first, actions, opened,
                                   requested_by, requested_at, decision, settled_by, settled_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
         ON CONFLICT (run, review) DO UPDATE SET
             reason = excluded.reason, last = excluded.last, owner = excluded.owner,
             opened = iif(settled_at IS NULL, opened, excluded.opened),
             requested_by = iif(settled_at IS NULL, requested_by, NULL),
             requested_at = iif(settled_at IS NULL, requested_at, NULL),
             decision = NULL, settled_by = NULL, settled_at = NULL",
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
