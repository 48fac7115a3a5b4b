//! What a row says. One function for each kind of row; a row that cannot be read is an answer, not an error.
//!
//! Decides which columns a row has, in which order, and which of them a person can do without.

use crate::columns::{Columns, Unreadable};
use rusqlite::Row;
use saga_core::contract::Class;
use saga_core::store::{DefinitionRow, InboxItem, ReviewRow, RunRow, StoredEntry, WorkerId};
use saga_core::{FailureReport, Timestamp};

/// The columns of a run, in the order in which [`run`] reads them, of a table called `r`.
pub(crate) const RUN: &str = "r.run, r.key, r.saga, r.version, r.fingerprint, r.owner, r.state, r.step, r.why, r.error, \
     r.past_pivot, r.cancel, r.length, r.inbox_last, \
     (SELECT count(*) FROM saga_inbox i WHERE i.run = r.run AND i.taken IS NULL AND i.kind = 'signal'), \
     r.fence, r.worker, r.due, r.claims, r.quarantined, r.created, r.updated";

/// How many columns [`RUN`] has.
pub(crate) const RUN_COLUMNS: usize = 22;

/// A run's head, from the columns of [`RUN`].
pub(crate) fn run(row: &Row<'_>) -> Result<RunRow, Unreadable> {
    let from = &mut Columns::of(row);
    Ok(RunRow {
        run: from.run()?,
        key: from.text()?,
        definition: DefinitionRow { saga: from.text()?, version: from.small()?, fingerprint: from.fingerprint()? },
        owner: from.words().unwrap_or_default(),
        state: from.state()?,
        step: from.words(),
        why: from.words(),
        error: from.words(),
        past_pivot: from.flag()?,
        cancel_requested: from.maybe_number()?.is_some(),
        length: from.number()?,
        inbox_last: from.number()?,
        unconsumed_signals: from.number()?,
        fence: from.number()?,
        worker: from.words().map(WorkerId),
        due: from.maybe_instant()?,
        claims: from.small()?,
        quarantined: from.words(),
        created: from.instant()?,
        updated: from.instant()?,
    })
}

/// The columns of an entry, as [`entry`] reads them.
pub(crate) const ENTRY: &str = "sequence, at, kind, call, step, body";

/// An entry. Its body is judged by whoever folds the journal.
pub(crate) fn entry(row: &Row<'_>) -> Result<StoredEntry, Unreadable> {
    let from = &mut Columns::of(row);
    Ok(StoredEntry {
        sequence: from.number()?,
        at: from.instant().unwrap_or(Timestamp(0)),
        kind: from.words().unwrap_or_default(),
        call: from.call(),
        step: from.words(),
        body: from.bytes(),
    })
}

/// The columns of an inbox item, as [`item`] reads them.
pub(crate) const ITEM: &str = "number, at, body, by, note";

/// An inbox item. Its body is judged by whoever takes it up.
pub(crate) fn item(row: &Row<'_>) -> Result<InboxItem, Unreadable> {
    let from = &mut Columns::of(row);
    Ok(InboxItem {
        number: from.number()?,
        at: from.instant().unwrap_or(Timestamp(0)),
        body: from.bytes(),
        by: from.words().unwrap_or_default(),
        note: from.words().unwrap_or_default(),
    })
}

/// The columns of a question, as [`review`] reads them.
pub(crate) const REVIEW: &str = "run, saga, review, call, step, reason, owner, last, first, actions, opened, \
     requested_by, requested_at, decision, settled_by, settled_at";

/// How many columns [`REVIEW`] has.
pub(crate) const REVIEW_COLUMNS: usize = 16;

/// A question to a person.
pub(crate) fn review(row: &Row<'_>) -> Result<ReviewRow, Unreadable> {
    let from = &mut Columns::of(row);
    Ok(ReviewRow {
        run: from.run()?,
        saga: from.text()?,
        review: from.small()?,
        call: from.call(),
        step: from.words(),
        reason: from.reason()?,
        owner: from.words().unwrap_or_default(),
        last: report(&from.words().unwrap_or_default()),
        first: from.words().as_deref().map(report),
        actions: from.words().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default(),
        opened: from.instant()?,
        requested: from.words().zip(from.maybe_instant()?),
        settled: match (from.words(), from.words(), from.maybe_instant()?) {
            (decision, by, Some(at)) => Some((decision.unwrap_or_default(), by.unwrap_or_default(), at)),
            _ => None,
        },
    })
}

/// A failure as it is stored; what is not one is shown as it stands.
fn report(text: &str) -> FailureReport {
    serde_json::from_str(text).unwrap_or_else(|_| FailureReport {
        class: Class::Unknown,
        code: None,
        reference: None,
        message: text.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    /// A good row, then changed.
    fn read(connection: &Connection, change: &str) -> (bool, Result<RunRow, Unreadable>) {
        let insert =
            "INSERT INTO saga_runs (run, key, saga, version, fingerprint, input_digest, state, created, updated)
                      VALUES ('0198f0a2-7c1b-7d3e-8f00-0123456789ab', 'k', 'approval', 1, '00000000deadbeef', 'd',
                              'running', 1, 1)";
        connection.execute_batch(&format!("DELETE FROM saga_runs; {insert}; UPDATE saga_runs SET {change};")).unwrap();
        let sql = format!("SELECT {RUN}, r.readable FROM saga_runs r");
        connection.query_row(&sql, [], |row| Ok((row.get(RUN_COLUMNS)?, run(row)))).unwrap()
    }

    #[test]
    fn the_column_readable_says_what_the_library_can_read() {
        let connection = crate::schema::fresh();
        let good =
            ["version = 0", "version = 4294967295", "due = 253402300799999999", "state = 'abandoned'", "key = ''"];
        let bad = [
            "run = 'x'",
            "run = upper(run)",
            "run = replace(run, '-', '')",
            "run = '0198f0a27-c1b-7d3e-8f00-0123456789ab'",
            "run = '0198f0a2-7c1b-7d3e-8f00-0123456789ag'",
            "run = '0198f0a2-7c1b-7d3e-8f00-0123456789a-'",
            "version = -1",
            "version = 4294967296",
            "fingerprint = 'deadbeef'",
            "fingerprint = 'DEADBEEF00000000'",
            "fingerprint = '+000000000000001'",
            "state = 'Running'",
            "state = ''",
            "cancel = -1",
            "length = -1",
            "inbox_last = 9223372036854775807",
            "fence = 4611686018427387904",
            "claims = 4294967296",
            "due = -1",
            "due = 253402300800000000",
            "created = -1",
            "updated = 9223372036854775807",
        ];
        for change in good {
            let (readable, row) = read(&connection, change);
            assert!(readable && row.is_ok(), "{change}: {row:?}");
        }
        for change in bad {
            let (readable, row) = read(&connection, change);
            assert!(!readable && row.is_err(), "{change}: {readable} {row:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let connection = crate::schema::fresh();
        for (change, words) in [
            ("state = 'runing'", "the column state is not known: `runing`"),
            ("created = -1", "the column created is out of range"),
            ("due = 253402300800000000", "the column due is not an instant before the year 10000"),
            ("key = CAST(x'ff' AS TEXT)", "the column key is not UTF-8 text"),
        ] {
            assert_eq!(read(&connection, change).1.unwrap_err(), words);
        }
    }

    #[test]
    fn texts_for_people_never_make_a_row_unreadable() {
        let connection = crate::schema::fresh();
        let (_, row) = read(&connection, "why = CAST(x'61ff' AS TEXT), error = CAST(x'00' AS TEXT)");
        let row = row.unwrap();
        assert_eq!((row.why.as_deref(), row.error.as_deref()), (Some("a\u{fffd}"), Some("\0")));
    }
}
