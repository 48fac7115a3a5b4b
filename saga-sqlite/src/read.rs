//! Reads: journals, inboxes, lists and numbers. Decides which index each list walks, so that none of them reads history.

use crate::columns::{Columns, Unreadable};
use crate::fault::Fault;
use crate::rows::{self, ENTRY, ITEM, REVIEW, RUN, RUN_COLUMNS};
use crate::write::whole;
use rusqlite::{Connection, OptionalExtension, Params, Row, params};
use saga_core::decide::State;
use saga_core::journal::Reason;
use saga_core::store::rules::{OPERATORS, SET_ASIDE};
use saga_core::store::{
    DefinitionRow, Health, InboxItem, Page, Quarantined, ReviewRow, RunFilter, RunRow, StoredEntry, WorkerId,
    WorkerRow, rules,
};
use saga_core::{RunId, Timestamp};

/// The rows that can be read, a page of them; the others are skipped and logged.
fn page<T>(
    connection: &Connection,
    sql: &str,
    of: impl Params,
    page: Page,
    read: impl Fn(&Row<'_>) -> Result<T, Unreadable>,
) -> Result<Vec<T>, Fault> {
    let (mut skip, limit) = (page.skip, rules::page(page.limit));
    let mut found = Vec::new();
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(of)?;
    while found.len() < limit {
        let Some(row) = rows.next()? else { break };
        match read(row) {
            Ok(_) if skip > 0 => skip -= 1,
            Ok(value) => found.push(value),
            Err(cause) => tracing::warn!(cause, "a row cannot be read and is left out"),
        }
    }
    Ok(found)
}

pub(crate) fn journal(connection: &Connection, run: RunId, after: u64, limit: u32) -> Result<Vec<StoredEntry>, Fault> {
    let sql = format!("SELECT {ENTRY} FROM saga_journal WHERE run = ?1 AND sequence > ?2 ORDER BY sequence");
    page(connection, &sql, params![run.to_string(), whole(after)], Page::first(limit), rows::entry)
}

pub(crate) fn inbox(connection: &Connection, run: RunId, after: u64, limit: u32) -> Result<Vec<InboxItem>, Fault> {
    let sql = format!("SELECT {ITEM} FROM saga_inbox WHERE run = ?1 AND number > ?2 AND taken IS NULL ORDER BY number");
    page(connection, &sql, params![run.to_string(), whole(after)], Page::first(limit), rows::item)
}

pub(crate) fn run(connection: &Connection, run: RunId) -> Result<Option<RunRow>, Fault> {
    one(connection, "r.run = ?1", &run.to_string())
}

pub(crate) fn find(connection: &Connection, key: &str) -> Result<Option<RunRow>, Fault> {
    one(connection, "r.key = ?1", key)
}

fn one(connection: &Connection, which: &str, of: &str) -> Result<Option<RunRow>, Fault> {
    let mut statement = connection.prepare_cached(&format!("SELECT {RUN} FROM saga_runs r WHERE {which}"))?;
    match statement.query_row([of], |row| Ok(rows::run(row))).optional()? {
        Some(Err(cause)) => {
            tracing::warn!(cause, "a run's row cannot be read");
            Ok(None)
        }
        found => Ok(found.transpose().unwrap_or_default()),
    }
}

pub(crate) fn list(connection: &Connection, filter: &RunFilter, part: Page) -> Result<Vec<RunRow>, Fault> {
    let only_open = !filter.states.is_empty() && filter.states.iter().all(|state| !state.is_terminal());
    // Few runs are open: sort them. Otherwise walk from the newest.
    let (index, open) = if only_open { ("saga_runs_open", "r.ended = 0") } else { ("saga_runs_created", "1") };
    let wanted = |state: &State| filter.states.is_empty() || filter.states.contains(state);
    let states: Vec<String> =
        State::ALL.iter().filter(|state| wanted(state)).map(|state| format!("'{}'", state.name())).collect();
    let sql = format!(
        "SELECT {RUN} FROM saga_runs r INDEXED BY {index}
         WHERE {open} AND r.state IN ({}) AND (?1 IS NULL OR r.saga = ?1) ORDER BY r.created DESC, r.run DESC",
        states.join(", ")
    );
    page(connection, &sql, [&filter.saga], part, rows::run)
}

pub(crate) fn reviews(connection: &Connection, only_open: bool, part: Page) -> Result<Vec<ReviewRow>, Fault> {
    let open = if only_open { "WHERE settled_at IS NULL" } else { "" };
    let sql = format!("SELECT {REVIEW} FROM saga_reviews {open} ORDER BY opened, run, review");
    page(connection, &sql, [], part, rows::review)
}

/// Runs that were set aside, and those whose row cannot be read; both from indexes that have no other rows.
pub(crate) fn quarantined(connection: &Connection, part: Page) -> Result<Vec<Quarantined>, Fault> {
    let sql = format!(
        "SELECT {RUN}, r.quarantined_as, r.run, v.owner, v.opened
         FROM saga_runs r LEFT JOIN saga_reviews v ON v.run = r.run AND v.review = {SET_ASIDE} AND v.settled_at IS NULL
         WHERE r.rowid IN (SELECT rowid FROM saga_runs WHERE quarantined IS NOT NULL
                           UNION SELECT rowid FROM saga_runs WHERE readable = 0)
         ORDER BY r.run"
    );
    page(connection, &sql, [], part, |row| {
        let readable = rows::run(row);
        let mut more = Columns::from(row, RUN_COLUMNS);
        let reason = more.reason().unwrap_or(Reason::JournalBroken);
        let run = more.words().unwrap_or_default();
        let owner = more.words().unwrap_or_else(|| OPERATORS.to_owned());
        let since = more.maybe_instant().unwrap_or_default();
        let (fence, cause) = match readable {
            Ok(head) => (Some(head.fence).filter(|fence| *fence > 0), head.quarantined.unwrap_or_default()),
            Err(cause) => (None, format!("the run's row cannot be read: {cause}")),
        };
        Ok(Quarantined { run, fence, owner, reason, cause, since })
    })
}

pub(crate) fn workers(connection: &Connection, now: Timestamp) -> Result<Vec<WorkerRow>, Fault> {
    let sql = "SELECT w.worker, w.until, d.saga, d.version, d.fingerprint
               FROM saga_workers w LEFT JOIN saga_worker_definitions d ON d.worker = w.worker
               WHERE w.until > ?1 ORDER BY w.worker, d.saga, d.version, d.fingerprint";
    let mut live: Vec<WorkerRow> = Vec::new();
    let mut statement = connection.prepare_cached(sql)?;
    let mut found = statement.query([now.0])?;
    while let Some(row) = found.next()? {
        let from = &mut Columns::of(row);
        let (worker, until) = (WorkerId(from.words().unwrap_or_default()), from.instant().unwrap_or(Timestamp::LATEST));
        if live.last().is_none_or(|last| last.worker != worker) {
            live.push(WorkerRow { worker, until, definitions: Vec::new() });
        }
        let definition = (from.text(), from.small(), from.fingerprint());
        if let (Some(last), (Ok(saga), Ok(version), Ok(fingerprint))) = (live.last_mut(), definition) {
            last.definitions.push(DefinitionRow { saga, version, fingerprint });
        }
    }
    Ok(live)
}

pub(crate) fn health(connection: &Connection, now: Timestamp) -> Result<Health, Fault> {
    let count = |sql: &str, of: &[&dyn rusqlite::ToSql]| -> Result<u64, Fault> {
        let counted: i64 = connection.prepare_cached(sql)?.query_row(of, |row| row.get(0))?;
        Ok(counted.unsigned_abs())
    };
    let mut runs = Vec::with_capacity(State::ALL.len());
    for state in State::ALL {
        let (index, part) =
            if state.is_terminal() { ("saga_runs_ended", "ended = 1") } else { ("saga_runs_open", "ended = 0") };
        let sql = format!("SELECT count(*) FROM saga_runs INDEXED BY {index} WHERE {part} AND state = ?1");
        runs.push((state, count(&sql, &[&state.name()])?));
    }
    Ok(Health {
        runs,
        due: count("SELECT count(*) FROM saga_runs INDEXED BY saga_runs_runnable WHERE due <= ?1", &[&now.0])?,
        open_reviews: count("SELECT count(*) FROM saga_reviews WHERE settled_at IS NULL", &[])?,
        quarantined: count(
            "SELECT count(*) FROM (SELECT rowid FROM saga_runs WHERE quarantined IS NOT NULL
                                   UNION SELECT rowid FROM saga_runs WHERE readable = 0)",
            &[],
        )?,
        workers: count("SELECT count(*) FROM saga_workers WHERE until > ?1", &[&now.0])?,
        without_worker: count(
            "SELECT count(*) FROM saga_runs r INDEXED BY saga_runs_open
             WHERE r.ended = 0 AND NOT EXISTS (
                 SELECT 1 FROM saga_worker_definitions d JOIN saga_workers w ON w.worker = d.worker
                 WHERE d.saga = r.saga AND d.version = r.version AND d.fingerprint = r.fingerprint AND w.until > ?1)",
            &[&now.0],
        )?,
    })
}
