//! Whose owner is to be told. Decides that looking costs the writer nothing as long as there is nobody.

use crate::fault::Fault;
use crate::rows::{self, REVIEW};
use crate::write::{exactly_one, whole};
use rusqlite::{Connection, params};
use saga_core::Timestamp;
use saga_core::store::{Notice, rules};
use std::time::Duration;

pub(crate) fn is_due(connection: &Connection, now: Timestamp) -> Result<bool, Fault> {
    let mut statement = connection.prepare_cached("SELECT 1 FROM saga_reviews WHERE notify_at <= ?1 LIMIT 1")?;
    Ok(statement.exists([now.0])?)
}

pub(crate) fn take(connection: &Connection, wait: Duration, limit: u32, now: Timestamp) -> Result<Vec<Notice>, Fault> {
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {REVIEW}, notify_tries, run, review FROM saga_reviews
         WHERE notify_at <= ?1 ORDER BY notify_at, run, review LIMIT ?2"
    ))?;
    let mut found = Vec::new();
    let mut due = statement.query(params![now.0, whole(rules::page(limit) as u64)])?;
    while let Some(row) = due.next()? {
        let attempt = row.get::<_, i64>(rows::REVIEW_COLUMNS).map_or(0, |tries| u32::try_from(tries).unwrap_or(0));
        let key: (rusqlite::types::Value, i64) =
            (row.get(rows::REVIEW_COLUMNS + 1)?, row.get(rows::REVIEW_COLUMNS + 2)?);
        found.push((key, attempt.saturating_add(1), rows::review(row)));
    }
    let mut again = connection
        .prepare_cached("UPDATE saga_reviews SET notify_at = ?3, notify_tries = ?4 WHERE run = ?1 AND review = ?2")?;
    let mut taken = Vec::new();
    for ((run, review), attempt, row) in found {
        let at = rules::notify_again(now, wait, attempt);
        exactly_one(again.execute(params![run, review, at.0, attempt])?)?;
        match row {
            Ok(row) => taken.push(Notice::of(row, attempt)),
            Err(cause) => tracing::warn!(cause, "a question cannot be read, and nobody can be told of it"),
        }
    }
    Ok(taken)
}

pub(crate) fn told(connection: &Connection, told: &Notice) -> Result<(), Fault> {
    connection
        .prepare_cached(
            "UPDATE saga_reviews SET notify_at = NULL
             WHERE run = ?1 AND review = ?2 AND owner = ?3 AND opened = ?4 AND notify_at IS NOT NULL",
        )?
        .execute(params![told.run.to_string(), told.review, told.owner, told.opened.0])?;
    Ok(())
}
