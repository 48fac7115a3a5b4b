//! The ledger as others may read it. Decides nothing; changes nothing.

use super::{LedgerError, LedgerFile, rules};
use crate::gateway::wire::{Effect, Ledger, Published, Reservation};
use crate::model::Publication;
use rusqlite::{OptionalExtension, Row, params, types::Type};
use serde::de::DeserializeOwned;
use serde::de::value::{Error as WordError, StrDeserializer};

const PUBLICATIONS: &str = "SELECT id, key, reservation, submission, revision, title, body, at FROM publications";

impl LedgerFile {
    /// Everything, read at one instant.
    ///
    /// # Errors
    /// When the database fails.
    pub fn read(&mut self) -> Result<Ledger, LedgerError> {
        let slots = self.slots;
        let transaction = self.connection.transaction()?;
        let reservations = transaction
            .prepare("SELECT id, key, submission, revision, slot, state, at FROM reservations ORDER BY id")?
            .query_map([], reservation)?
            .collect::<Result<_, _>>()?;
        let publications = transaction
            .prepare(&format!("{PUBLICATIONS} ORDER BY id"))?
            .query_map([], published)?
            .collect::<Result<_, _>>()?;
        let effects = transaction
            .prepare("SELECT number, key, kind, submission, revision, outcome, code, at FROM effects ORDER BY number")?
            .query_map([], effect)?
            .collect::<Result<_, _>>()?;
        Ok(Ledger { slots, reservations, publications, effects })
    }

    /// What was published under this key.
    ///
    /// # Errors
    /// When the database fails.
    pub fn find(&self, key: &str) -> Result<Option<Publication>, LedgerError> {
        let sql = format!("{PUBLICATIONS} WHERE key = ?1");
        let found = self.connection.query_row(&sql, params![key], published).optional()?;
        Ok(found.map(|row| row.publication))
    }

    /// The publication with this identity.
    ///
    /// # Errors
    /// When the database fails.
    pub fn published(&self, id: &str) -> Result<Option<Published>, LedgerError> {
        let Some(number) = id.strip_prefix("publication-").and_then(|number| number.parse::<i64>().ok()) else {
            return Ok(None);
        };
        let sql = format!("{PUBLICATIONS} WHERE id = ?1");
        let found = self.connection.query_row(&sql, params![number], published).optional()?;
        Ok(found.filter(|row| row.publication.id == id))
    }
}

fn reservation(row: &Row<'_>) -> rusqlite::Result<Reservation> {
    Ok(Reservation {
        id: rules::reservation_name(row.get(0)?),
        key: row.get(1)?,
        submission: row.get(2)?,
        revision: row.get(3)?,
        slot: row.get(4)?,
        state: word(row, 5)?,
        at: row.get(6)?,
    })
}

fn published(row: &Row<'_>) -> rusqlite::Result<Published> {
    Ok(Published {
        publication: rules::publication(row.get(0)?, row.get(3)?, row.get(4)?),
        key: row.get(1)?,
        reservation: rules::reservation_name(row.get(2)?),
        title: row.get(5)?,
        body: row.get(6)?,
        at: row.get(7)?,
    })
}

fn effect(row: &Row<'_>) -> rusqlite::Result<Effect> {
    Ok(Effect {
        number: row.get(0)?,
        key: row.get(1)?,
        kind: word(row, 2)?,
        submission: row.get(3)?,
        revision: row.get(4)?,
        outcome: word(row, 5)?,
        code: row.get(6)?,
        at: row.get(7)?,
    })
}

/// Reads a word as the enum whose name on the wire it is.
pub(super) fn word<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    let text: String = row.get(column)?;
    T::deserialize(StrDeserializer::<WordError>::new(&text))
        .map_err(|error| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error)))
}
