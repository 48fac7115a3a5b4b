//! What can stand in the journal. Decides one word for it, so that the compiler has one message where it is missing.

use crate::payload::{Payload, PayloadError};
use serde::{Serialize, de::DeserializeOwned};

/// Something that can be written to the journal and read back: it has serde's `Serialize` and `Deserialize`, and owns what it
/// holds. Implemented for every such type; there is nothing to do by hand.
///
/// It has no supertraits on purpose: with them the compiler would report each of serde's traits by itself, in its own words.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be journaled",
    label = "this is kept in the journal and read back from it",
    note = "add `#[derive(serde::Serialize, serde::Deserialize)]` to `{Self}`; it must own what it holds"
)]
pub trait Journaled: Sized {
    /// Writes it.
    ///
    /// # Errors
    /// When serde refuses it.
    fn journal(&self) -> Result<Payload, PayloadError>;

    /// Writes several, as one value.
    ///
    /// # Errors
    /// When serde refuses one.
    fn journal_items(items: &[Self]) -> Result<Payload, PayloadError>;

    /// Reads it.
    ///
    /// # Errors
    /// When the bytes are something else.
    fn recall(bytes: &[u8]) -> Result<Self, PayloadError>;

    /// Reads several.
    ///
    /// # Errors
    /// When the bytes are something else.
    fn recall_items(bytes: &[u8]) -> Result<Vec<Self>, PayloadError>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize + DeserializeOwned> Journaled for T {
    fn journal(&self) -> Result<Payload, PayloadError> {
        Payload::written(self)
    }

    fn journal_items(items: &[Self]) -> Result<Payload, PayloadError> {
        Payload::written(items)
    }

    fn recall(bytes: &[u8]) -> Result<Self, PayloadError> {
        crate::payload::decoded(bytes)
    }

    fn recall_items(bytes: &[u8]) -> Result<Vec<Self>, PayloadError> {
        crate::payload::decoded(bytes)
    }
}

/// How an input of type `T` is written and read. Used by generated code: only making one asks whether `T` can be journaled,
/// so that an input that cannot is reported once.
#[derive(Debug)]
pub struct InputForm<T> {
    pub(crate) write: fn(&T) -> Result<Payload, PayloadError>,
    pub(crate) write_items: fn(&[T]) -> Result<Payload, PayloadError>,
    pub(crate) read: fn(&[u8]) -> Result<T, PayloadError>,
    pub(crate) read_items: fn(&[u8]) -> Result<Vec<T>, PayloadError>,
}

/// The form of an input. Used by generated code.
pub const fn journaled<T: Journaled>() -> InputForm<T> {
    InputForm { write: T::journal, write_items: T::journal_items, read: T::recall, read_items: T::recall_items }
}
