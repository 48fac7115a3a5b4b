//! The other side: a durable ledger that counts what reached it.
//!
//! Decides only what a remote decides: whether it drops duplicates, whether it has an effect, and that a worker whose fence
//! is superseded comes too late. Knows no saga.

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use std::path::Path;
use std::time::Duration;

const SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS effects (
        number INTEGER PRIMARY KEY, run TEXT NOT NULL, step TEXT NOT NULL, key TEXT NOT NULL, undone INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS effects_key ON effects (key);
    CREATE INDEX IF NOT EXISTS effects_run ON effects (run, step);
    CREATE TABLE IF NOT EXISTS arrivals (
        number INTEGER PRIMARY KEY, run TEXT NOT NULL, step TEXT NOT NULL, phase TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS arrivals_run ON arrivals (run, step, phase);
    CREATE TABLE IF NOT EXISTS barred (key TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS epochs (run TEXT PRIMARY KEY, epoch INTEGER NOT NULL) STRICT, WITHOUT ROWID;
";

/// Whether the other side recognises what it has seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remote {
    /// The same key twice is one effect.
    DropsDuplicates,
    /// Every request is an effect.
    TakesEverything,
    /// Nothing is changed; the request is only counted.
    OnlyReads,
}

/// Who asks, and about what.
#[derive(Debug, Clone)]
pub struct Request {
    /// The run.
    pub run: String,
    /// The step.
    pub step: &'static str,
    /// The key under which the effect is known.
    pub key: String,
    /// The fence of whoever asks.
    pub epoch: u64,
}

/// What an undo names its effect by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// The request's key; if there is no such effect, one that comes later is barred.
    ByKey,
    /// The number that the step returned.
    ByNumber(u64),
}

/// What the ledger answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The effect, by its number.
    Effect(u64),
    /// There is none.
    None,
    /// It was undone before it came.
    Barred,
    /// Whoever asks lost the run to a later worker.
    Superseded,
}

/// The effects of a step of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// How often it took effect.
    pub made: u64,
    /// How many of those are not undone.
    pub standing: u64,
    /// How often it was sent.
    pub sent: u64,
    /// How often its undo was sent.
    pub undos: u64,
}

/// The ledger.
#[derive(Debug)]
pub struct Ledger(Connection);

impl Ledger {
    /// Opens it, and makes it if it is not there.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn open(path: &Path) -> rusqlite::Result<Ledger> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(20))?;
        connection.execute_batch(SCHEMA)?;
        Ok(Ledger(connection))
    }

    fn arrive(&mut self, request: &Request, phase: &str) -> rusqlite::Result<(Transaction<'_>, bool)> {
        let transaction = self.0.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let epoch = i64::try_from(request.epoch).unwrap_or(i64::MAX);
        let known: Option<i64> = transaction
            .query_row("SELECT epoch FROM epochs WHERE run = ?1", [&request.run], |row| row.get(0))
            .optional()?;
        let current = known.is_none_or(|known| known <= epoch);
        if current {
            transaction.execute("INSERT OR REPLACE INTO epochs VALUES (?1, ?2)", params![request.run, epoch])?;
            transaction.execute(
                "INSERT INTO arrivals (run, step, phase) VALUES (?1, ?2, ?3)",
                params![request.run, request.step, phase],
            )?;
        }
        Ok((transaction, current))
    }

    /// A request to do it.
    ///
    /// # Errors
    /// Those of SQLite; then nothing was done.
    pub fn apply(&mut self, request: &Request, remote: Remote) -> rusqlite::Result<Answer> {
        let (transaction, current) = self.arrive(request, "forward")?;
        if !current {
            return Ok(Answer::Superseded);
        }
        let barred =
            transaction.query_row("SELECT 1 FROM barred WHERE key = ?1", [&request.key], |_| Ok(())).optional()?;
        let known = find(&transaction, request)?;
        let answer = match (remote, known, barred) {
            (Remote::OnlyReads, ..) => Answer::Effect(0),
            (_, _, Some(())) => Answer::Barred,
            (Remote::DropsDuplicates, Some(number), None) => Answer::Effect(number),
            _ => {
                transaction.execute(
                    "INSERT INTO effects (run, step, key, undone) VALUES (?1, ?2, ?3, 0)",
                    params![request.run, request.step, request.key],
                )?;
                Answer::Effect(transaction.last_insert_rowid().unsigned_abs())
            }
        };
        transaction.commit()?;
        Ok(answer)
    }

    /// A request to undo it. Idempotent.
    ///
    /// # Errors
    /// Those of SQLite; then nothing was undone.
    pub fn undo(&mut self, request: &Request, named: Named) -> rusqlite::Result<Answer> {
        let (transaction, current) = self.arrive(request, "undo")?;
        if !current {
            return Ok(Answer::Superseded);
        }
        let found = match named {
            Named::ByNumber(number) => Some(number),
            Named::ByKey => find(&transaction, request)?,
        };
        match found {
            Some(number) => {
                let number = i64::try_from(number).unwrap_or(i64::MAX);
                transaction.execute("UPDATE effects SET undone = 1 WHERE number = ?1", [number])?;
            }
            None => {
                transaction.execute("INSERT OR IGNORE INTO barred VALUES (?1)", [&request.key])?;
            }
        }
        transaction.commit()?;
        Ok(found.map_or(Answer::None, Answer::Effect))
    }

    /// A question whether it is there.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn look(&mut self, request: &Request) -> rusqlite::Result<Answer> {
        // A question also supersedes: what a lost worker sends after it must not land.
        let (transaction, current) = self.arrive(request, "check")?;
        let found = find(&transaction, request)?;
        transaction.commit()?;
        Ok(if current { found.map_or(Answer::None, Answer::Effect) } else { Answer::Superseded })
    }

    /// What the ledger has of a step of a run.
    ///
    /// # Errors
    /// Those of SQLite.
    pub fn count(&self, run: &str, step: &str) -> rusqlite::Result<Count> {
        let number = |sql: &str| -> rusqlite::Result<u64> {
            self.0.query_row(sql, [run, step], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs)
        };
        Ok(Count {
            made: number("SELECT count(*) FROM effects WHERE run = ?1 AND step = ?2")?,
            standing: number("SELECT count(*) FROM effects WHERE run = ?1 AND step = ?2 AND undone = 0")?,
            sent: number("SELECT count(*) FROM arrivals WHERE run = ?1 AND step = ?2 AND phase = 'forward'")?,
            undos: number("SELECT count(*) FROM arrivals WHERE run = ?1 AND step = ?2 AND phase = 'undo'")?,
        })
    }
}

fn find(transaction: &Transaction<'_>, request: &Request) -> rusqlite::Result<Option<u64>> {
    transaction
        .query_row("SELECT number FROM effects WHERE key = ?1", [&request.key], |row| row.get::<_, i64>(0))
        .optional()
        .map(|number| number.map(i64::unsigned_abs))
}
