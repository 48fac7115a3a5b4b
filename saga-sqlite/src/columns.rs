//! One column of a row after the other, each checked: what is wrong is said with the column's name.
//!
//! Decides which values are readable. The column `readable` of `saga_runs` says the same in SQL, for lists and for people.

use rusqlite::Row;
use rusqlite::types::ValueRef;
use saga_core::decide::State;
use saga_core::definition::Fingerprint;
use saga_core::journal::Reason;
use saga_core::{CallNumber, RunId, Timestamp};
use serde_json::Value;

/// The largest number that a row may have: there is room to count on.
const LARGEST: u64 = (1 << 62) - 1;

/// Why a row cannot be read.
pub(crate) type Unreadable = String;

/// Reads columns one after the other.
pub(crate) struct Columns<'r> {
    row: &'r Row<'r>,
    next: usize,
}

impl<'r> Columns<'r> {
    pub(crate) fn of(row: &'r Row<'r>) -> Columns<'r> {
        Columns::from(row, 0)
    }

    /// From the column with this number on.
    pub(crate) fn from(row: &'r Row<'r>, next: usize) -> Columns<'r> {
        Columns { row, next }
    }

    fn value(&mut self) -> Result<ValueRef<'r>, Unreadable> {
        self.next += 1;
        self.row.get_ref(self.next - 1).map_err(|error| error.to_string())
    }

    /// A text that must be exact.
    pub(crate) fn text(&mut self) -> Result<String, Unreadable> {
        match self.value()? {
            ValueRef::Text(bytes) => String::from_utf8(bytes.to_vec()).map_err(|_| self.wrong("is not UTF-8 text")),
            _ => Err(self.wrong("is not text")),
        }
    }

    /// A text for people: never a reason not to read a row.
    pub(crate) fn words(&mut self) -> Option<String> {
        match self.value() {
            Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
            _ => None,
        }
    }

    pub(crate) fn bytes(&mut self) -> Vec<u8> {
        match self.value() {
            Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => bytes.to_vec(),
            _ => Vec::new(),
        }
    }

    pub(crate) fn maybe_number(&mut self) -> Result<Option<u64>, Unreadable> {
        match self.value()? {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(number) => match u64::try_from(number) {
                Ok(number) if number <= LARGEST => Ok(Some(number)),
                _ => Err(self.wrong("is out of range")),
            },
            _ => Err(self.wrong("is not a number")),
        }
    }

    pub(crate) fn number(&mut self) -> Result<u64, Unreadable> {
        self.maybe_number()?.ok_or_else(|| self.wrong("is missing"))
    }

    pub(crate) fn small(&mut self) -> Result<u32, Unreadable> {
        u32::try_from(self.number()?).map_err(|_| self.wrong("is out of range"))
    }

    pub(crate) fn flag(&mut self) -> Result<bool, Unreadable> {
        Ok(self.number()? != 0)
    }

    pub(crate) fn maybe_instant(&mut self) -> Result<Option<Timestamp>, Unreadable> {
        let at = self.maybe_number()?.map(|at| Timestamp(i64::try_from(at).unwrap_or(i64::MAX)));
        match at {
            Some(at) if at > Timestamp::LATEST => Err(self.wrong("is not an instant before the year 10000")),
            at => Ok(at),
        }
    }

    pub(crate) fn instant(&mut self) -> Result<Timestamp, Unreadable> {
        self.maybe_instant()?.ok_or_else(|| self.wrong("is missing"))
    }

    pub(crate) fn run(&mut self) -> Result<RunId, Unreadable> {
        let text = self.text()?;
        match text.parse::<RunId>() {
            Ok(run) if run.to_string() == text => Ok(run),
            _ => Err(self.wrong("is not a UUID")),
        }
    }

    pub(crate) fn state(&mut self) -> Result<State, Unreadable> {
        let name = self.text()?;
        State::named(&name).ok_or_else(|| self.wrong(&format!("is not known: `{name}`")))
    }

    pub(crate) fn fingerprint(&mut self) -> Result<Fingerprint, Unreadable> {
        let text = self.text()?;
        match u64::from_str_radix(&text, 16).map(Fingerprint) {
            Ok(fingerprint) if fingerprint.to_string() == text => Ok(fingerprint),
            _ => Err(self.wrong("is not 16 hexadecimal digits")),
        }
    }

    pub(crate) fn call(&mut self) -> Option<CallNumber> {
        self.maybe_number().ok().flatten().and_then(|call| u32::try_from(call).ok()).map(CallNumber)
    }

    pub(crate) fn reason(&mut self) -> Result<Reason, Unreadable> {
        let name = self.text()?;
        serde_json::from_value(Value::String(name)).map_err(|error| self.wrong(&error.to_string()))
    }

    fn wrong(&self, how: &str) -> Unreadable {
        let name = self.row.as_ref().column_name(self.next - 1).unwrap_or("a column");
        format!("the column {name} {how}")
    }
}
