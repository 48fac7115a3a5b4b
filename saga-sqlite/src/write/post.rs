//! Items for a run's inbox.

use super::{Facts, aside, exactly_one, facts, review, whole};
use crate::columns::Columns;
use crate::fault::Fault;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use saga_core::Timestamp;
use saga_core::store::{AsideDecision, InboxPost, Poster, Written, rules};

pub(super) fn post(connection: &Connection, post: &InboxPost, now: Timestamp) -> Result<Written, Fault> {
    let Facts { standing, updated, .. } = facts(connection, post.run)?;
    let run = post.run.to_string();
    if let Some(once) = &post.once
        && let Some(first) = posted(connection, "once = ?2", params![run, once])?
    {
        return Ok(first);
    }
    let at = rules::stamp(now, updated);
    let (kind, name, about) = match &post.kind {
        Poster::Signal { name } => {
            standing.signal()?;
            ("signal", Some(name), None)
        }
        Poster::Cancel => {
            if let Some(number) = standing.cancel()?
                && let Some(first) = posted(connection, "number = ?2", params![run, whole(number)])?
            {
                return Ok(first);
            }
            ("cancel", None, None)
        }
        Poster::Decision { review } => {
            standing.decision(*review, review::requested(connection, post.run, *review)?)?;
            review::request(connection, post.run, *review, &post.by, at)?;
            ("decision", None, Some(*review))
        }
        Poster::Aside(decision) => {
            standing.decide_aside(review::reason_aside(connection, post.run)?, decision, &post.note)?;
            ("decision", None, Some(rules::SET_ASIDE))
        }
    };
    let taken = matches!(post.kind, Poster::Aside(_)).then_some(at.0);
    let number = standing.inbox_last + 1;
    let inserted = connection
        .prepare_cached(
            "INSERT INTO saga_inbox (run, number, at, kind, name, review, body, by, note, once, taken)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        )?
        .execute(params![
            run,
            whole(number),
            at.0,
            kind,
            name,
            about,
            post.body,
            post.by,
            post.note,
            post.once,
            taken
        ])?;
    exactly_one(inserted)?;
    let wakes = (!matches!(post.kind, Poster::Aside(AsideDecision::Escalate { .. }))).then_some(now.0);
    let changed = connection
        .prepare_cached(
            "UPDATE saga_runs SET inbox_last = ?2, cancel = iif(?3, ?2, cancel),
                    due = iif(worker IS NULL, coalesce(?4, due), due)
             WHERE run = ?1",
        )?
        .execute(params![run, whole(number), post.kind == Poster::Cancel, wakes])?;
    exactly_one(changed)?;
    if let Poster::Aside(decision) = &post.kind {
        aside::carry_out(connection, post.run, decision, &post.by, at)?;
    }
    Ok(Written::Posted { number, at })
}

/// What an earlier post was answered with.
fn posted(connection: &Connection, which: &str, of: impl Params) -> Result<Option<Written>, Fault> {
    let mut statement =
        connection.prepare_cached(&format!("SELECT number, at FROM saga_inbox WHERE run = ?1 AND {which}"))?;
    let read = |row: &Row<'_>| {
        let from = &mut Columns::of(row);
        Ok(from.number().ok().zip(from.instant().ok()))
    };
    let found = statement.query_row(of, read).optional()?.flatten();
    Ok(found.map(|(number, at)| Written::Posted { number, at }))
}
