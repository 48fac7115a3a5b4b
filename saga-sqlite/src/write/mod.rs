//! Writes, each in a savepoint of its own: accepted whole, or refused without a trace.
//!
//! Decides how the facts of a run are read and how a batch is answered. What is refused is decided by
//! [`saga_core::store::rules`], the same for every store.

mod append;
mod aside;
mod create;
mod post;
mod review;

pub(crate) use review::open as open_review;

use crate::columns::Columns;
use crate::fault::Fault;
use crate::writer::alone;
use rusqlite::{Connection, OptionalExtension};
use saga_core::store::rules::Standing;
use saga_core::store::{Refused, StoreError, Write, Written, limits};
use saga_core::{RunId, Timestamp};

/// Does all writes of a batch, in order.
///
/// # Errors
/// When the store itself is failing; then nothing of the batch may stay.
pub(crate) fn batch(
    connection: &Connection,
    writes: Vec<Write>,
    now: Timestamp,
) -> Result<Vec<Result<Written, Refused>>, Fault> {
    let mut answers = Vec::with_capacity(writes.len());
    for write in writes {
        let outcome = match limits::check(&write) {
            Err(refused) => Err(Fault::Refused(refused)),
            Ok(()) => alone(connection, || one(connection, write, now))?,
        };
        answers.push(match outcome {
            Ok(written) => Ok(written),
            Err(fault) => Err(fault.refusal().map_err(Fault::Store)?),
        });
    }
    Ok(answers)
}

fn one(connection: &Connection, write: Write, now: Timestamp) -> Result<Written, Fault> {
    match write {
        Write::Create(new) => create::create(connection, &new, now),
        Write::Append(append) => append::append(connection, append, now),
        Write::Post(post) => post::post(connection, &post, now),
    }
}

/// What decides about a write to a run, and what is needed to do it.
pub(crate) struct Facts {
    pub(crate) standing: Standing,
    pub(crate) saga: String,
    pub(crate) owner: String,
    pub(crate) updated: Timestamp,
    pub(crate) set_aside: bool,
}

/// The facts of a run.
///
/// # Errors
/// `NoSuchRun`, or `Rejected` if its row cannot be read.
pub(crate) fn facts(connection: &Connection, run: RunId) -> Result<Facts, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT state, fence, worker IS NOT NULL AS leased, length, inbox_last, past_pivot, cancel, saga, updated,
                owner, quarantined IS NOT NULL AS set_aside
         FROM saga_runs WHERE run = ?1",
    )?;
    let read = |row: &rusqlite::Row<'_>| Ok(read_facts(&mut Columns::of(row), run));
    match statement.query_row([run.to_string()], read).optional()? {
        None => Err(Refused::NoSuchRun(run).into()),
        Some(Ok(facts)) => Ok(facts),
        Some(Err(cause)) => Err(Refused::Rejected(format!("the row of run {run} cannot be read: {cause}")).into()),
    }
}

fn read_facts(from: &mut Columns<'_>, run: RunId) -> Result<Facts, String> {
    let standing = Standing {
        run,
        state: from.state()?,
        fence: from.number()?,
        leased: from.flag()?,
        length: from.number()?,
        inbox_last: from.number()?,
        past_pivot: from.flag()?,
        cancel: from.maybe_number()?,
    };
    let (saga, updated, owner) = (from.text()?, from.instant()?, from.words().unwrap_or_default());
    Ok(Facts { standing, saga, owner, updated, set_aside: from.flag()? })
}

/// A number as SQLite takes it. Larger ones than it can hold name nothing that is stored.
pub(crate) fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Exactly one row must have changed.
///
/// # Errors
/// The transaction did not do what it was computed to do: everything is rolled back.
pub(crate) fn exactly_one(changed: usize) -> Result<(), Fault> {
    if changed == 1 {
        return Ok(());
    }
    Err(Fault::Store(StoreError::Unavailable(format!("a write changed {changed} rows instead of one"))))
}
