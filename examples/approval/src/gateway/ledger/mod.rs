//! What happened at the gateway, durably: one SQLite file, one transaction for a request, its effect and its reply.
//!
//! Decides what a key that is already known is answered. Which requests are carried out is decided in `rules`. Knows
//! no HTTP beyond the number of a status, and no faults beyond being told to refuse.

mod rules;
mod view;

use super::wire::{Change, Operation, Outcome, Problem};
use rules::Verdict;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use std::path::Path;
use std::time::Duration;

/// The code of a reserve that was released, before or after it arrived.
const RELEASED: &str = "released";

/// The ledger.
#[derive(Debug)]
pub struct LedgerFile {
    connection: Connection,
    slots: u32,
}

/// What a request is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The HTTP status.
    pub status: u16,
    /// The body, JSON.
    pub body: String,
}

/// Why the ledger could not be read or written. Whether the request was applied is not known.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The database said no.
    #[error("the ledger cannot be used: {0}")]
    Database(#[from] rusqlite::Error),
    /// A reply or a request has no JSON form.
    #[error("the ledger cannot write JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// A reply as it was stored.
struct Stored {
    operation: String,
    request: Option<String>,
    reply: Reply,
}

impl LedgerFile {
    /// Opens the file, or makes it. `slots` is how many can be held at once.
    ///
    /// # Errors
    /// When the file cannot be opened, or is not a ledger.
    pub fn open(path: &Path, slots: u32) -> Result<LedgerFile, LedgerError> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        // A reply that has left must be true after a power cut.
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.execute_batch(include_str!("schema.sql"))?;
        Ok(LedgerFile { connection, slots })
    }

    /// Carries a request out, or gives the stored reply of its key again. `refusal` is asked only if the key is new.
    ///
    /// # Errors
    /// When the database fails.
    pub fn apply(
        &mut self,
        key: &str,
        change: &Change,
        refusal: impl FnOnce() -> Option<String>,
    ) -> Result<Reply, LedgerError> {
        let slots = self.slots;
        let request = change.body()?;
        // Immediate: what is read here must still hold when it is written, also beside another process.
        let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let reply = match stored(&transaction, key)? {
            Some(known) => again(&transaction, key, change, &request, known)?,
            None => {
                let verdict = match refusal() {
                    Some(code) => Verdict::refused(code, "the gateway was told to refuse this"),
                    None => rules::decide(&transaction, key, change, slots)?,
                };
                first(&transaction, key, change, &request, verdict)?
            }
        };
        transaction.commit()?;
        Ok(reply)
    }
}

/// Records a request whose key is new.
fn first(
    transaction: &Transaction<'_>,
    key: &str,
    change: &Change,
    request: &str,
    verdict: Verdict,
) -> Result<Reply, LedgerError> {
    let (reply, is_final) = match verdict {
        Verdict::Carried { outcome, body } => {
            record(transaction, key, change, outcome, None)?;
            (Reply { status: 200, body }, true)
        }
        Verdict::Refused { code, message } => {
            let reply = refuse(transaction, key, change, 409, code, message)?;
            // A refused reserve or publish is refused for ever: were it not, a delayed copy of the request could be
            // carried out after the caller was told no. A release may be asked again: carried out late, it does no
            // harm.
            (reply, change.operation() != Operation::Release)
        }
    };
    if is_final {
        keep(transaction, key, change.operation(), Some(request), &reply)?;
    }
    Ok(reply)
}

/// Answers a request whose key is known.
fn again(
    transaction: &Transaction<'_>,
    key: &str,
    change: &Change,
    request: &str,
    known: Stored,
) -> Result<Reply, LedgerError> {
    let is_same = known.operation == change.operation().name()
        && known.request.as_deref().is_none_or(|stored_request| stored_request == request);
    if !is_same {
        let message = format!(
            "this key was used for another request (a {}): expected the same request again, or a new key",
            known.operation
        );
        return refuse(transaction, key, change, 422, "key_reused".to_owned(), message);
    }
    let code = match known.reply.status {
        200 => None,
        _ => {
            let Problem { code, message, .. } = serde_json::from_str(&known.reply.body)?;
            if code == RELEASED {
                // Not a duplicate: what was answered first, if anything was, holds no more.
                return refuse(transaction, key, change, 409, code, message);
            }
            Some(code)
        }
    };
    record(transaction, key, change, Outcome::Duplicate, code.as_deref())?;
    Ok(known.reply)
}

fn refuse(
    transaction: &Transaction<'_>,
    key: &str,
    change: &Change,
    status: u16,
    code: String,
    message: String,
) -> Result<Reply, LedgerError> {
    let number = record(transaction, key, change, Outcome::Refused, Some(&code))?;
    let problem = Problem { code, message, reference: Some(format!("effect-{number}")) };
    Ok(Reply { status, body: serde_json::to_string(&problem)? })
}

fn record(
    transaction: &Transaction<'_>,
    key: &str,
    change: &Change,
    outcome: Outcome,
    code: Option<&str>,
) -> Result<i64, LedgerError> {
    let submission = change.submission();
    transaction.execute(
        "INSERT INTO effects (key, kind, submission, revision, outcome, code) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![key, change.operation().name(), submission.id, submission.revision, outcome.name(), code],
    )?;
    Ok(transaction.last_insert_rowid())
}

fn keep(
    transaction: &Transaction<'_>,
    key: &str,
    operation: Operation,
    request: Option<&str>,
    reply: &Reply,
) -> Result<(), LedgerError> {
    transaction.execute(
        "INSERT INTO replies (key, operation, request, status, reply) VALUES (?1, ?2, ?3, ?4, ?5)",
        params![key, operation.name(), request, reply.status, reply.body],
    )?;
    Ok(())
}

fn stored(transaction: &Transaction<'_>, key: &str) -> Result<Option<Stored>, LedgerError> {
    let found = transaction.query_row(
        "SELECT operation, request, status, reply FROM replies WHERE key = ?1",
        params![key],
        |row| {
            let reply = Reply { status: row.get(2)?, body: row.get(3)? };
            Ok(Stored { operation: row.get(0)?, request: row.get(1)?, reply })
        },
    );
    Ok(found.optional()?)
}
