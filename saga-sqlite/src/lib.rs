//! The embedded store of typed-sagas: one SQLite file that survives a power failure and that people can read.
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("sagas.db");
//! let store = saga_sqlite::SqliteStore::open(path)?;
//! # drop(store);
//! # Ok(())
//! # }
//! ```
//!
//! - Write-ahead log with full synchronisation, read back on every connection; a place that cannot give it is refused.
//! - One connection writes, on a thread of its own; what arrives while it commits travels in its next commit.
//! - Several processes may use one file, on one machine. A lock that another process holds is waited for.
//! - The tables and views are public: [`SCHEMA`] describes them, with queries for an incident.

mod columns;
mod connection;
mod fault;
mod notices;
mod options;
mod read;
mod readers;
mod rows;
mod schema;
mod store;
mod sweep;
mod watch;
mod work;
mod write;
mod writer;

pub use options::SqliteOptions;
pub use store::SqliteStore;

/// The schema, for whoever opens the file with `sqlite3` at night.
#[doc = include_str!("../SCHEMA.md")]
pub const SCHEMA: &str = include_str!("../SCHEMA.md");
