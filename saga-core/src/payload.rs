//! Bytes that are kept exactly: what was written is what is read.
//!
//! Decides the form of inputs, outputs and errors in the journal (JSON text, so that a person can read it in the database)
//! and their largest size. Knows nothing of what they mean.

use crate::journaled::Journaled;
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::Arc;

/// The largest payload a store must take: 1 MiB. A larger one is refused before anything is stored.
pub const LARGEST_PAYLOAD: usize = 1 << 20;

/// A journaled value: JSON text as it was written, never reformatted. `Debug` shows only its size: payloads stay out of logs.
#[derive(Clone, PartialEq, Eq)]
pub struct Payload(Arc<[u8]>);

/// A value that has no journaled form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// serde refused it.
    #[error("{what} cannot be journaled: {why}")]
    Encode {
        /// The type.
        what: &'static str,
        /// serde's words.
        why: String,
    },
    /// The stored text is not this type.
    #[error("the journaled text is not a {what}: {why}")]
    Decode {
        /// The type.
        what: &'static str,
        /// serde's words; they can quote the text.
        why: String,
    },
    /// More than [`LARGEST_PAYLOAD`].
    #[error(
        "{what} takes {size} bytes in the journal; the limit is {LARGEST_PAYLOAD}: store it elsewhere and journal a reference"
    )]
    TooLarge {
        /// The type.
        what: &'static str,
        /// Its size in bytes.
        size: usize,
    },
}

impl Payload {
    /// Writes a value.
    ///
    /// # Errors
    /// When serde refuses the value, or it is larger than [`LARGEST_PAYLOAD`].
    pub fn of<T: Journaled>(value: &T) -> Result<Payload, PayloadError> {
        value.journal()
    }

    /// Writes a value and reads it back: what would be lost only after a crash (a NaN is written as `null`) is refused now.
    ///
    /// # Errors
    /// As [`Payload::of`] and [`Payload::read`].
    pub(crate) fn proven<T: Journaled>(value: &T) -> Result<Payload, PayloadError> {
        let payload = Payload::of(value)?;
        payload.read::<T>()?;
        Ok(payload)
    }

    /// Writes a value that need not be readable, like a `str`.
    pub(crate) fn written<T: Serialize + ?Sized>(value: &T) -> Result<Payload, PayloadError> {
        let what = std::any::type_name::<T>();
        let bytes = serde_json::to_vec(value).map_err(|error| PayloadError::Encode { what, why: error.to_string() })?;
        Payload::checked(bytes, what)
    }

    /// Takes bytes whose size has not been checked.
    pub(crate) fn checked(bytes: Vec<u8>, what: &'static str) -> Result<Payload, PayloadError> {
        if bytes.len() > LARGEST_PAYLOAD {
            return Err(PayloadError::TooLarge { what, size: bytes.len() });
        }
        Ok(Payload(bytes.into()))
    }

    /// Reads a value.
    ///
    /// # Errors
    /// When the text is not a `T`.
    pub fn read<T: Journaled>(&self) -> Result<T, PayloadError> {
        T::recall(&self.0)
    }

    /// The bytes, for a store.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// A payload from a store's bytes.
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>) -> Payload {
        Payload(bytes.into())
    }

    /// The text, for a person; bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }

    /// A digest that is the same for the same value written with its keys in another order. Numbers compare by their digits:
    /// `10` and `10.0` differ.
    pub fn digest(&self) -> String {
        let canonical = crate::canonical::canonical(&self.0);
        let bytes = canonical.as_deref().unwrap_or(&self.0);
        Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether both are the same value: the same bytes, or the same JSON with keys in another order.
    pub fn same_value(&self, other: &Payload) -> bool {
        if self.0 == other.0 {
            return true;
        }
        match (crate::canonical::canonical(&self.0), crate::canonical::canonical(&other.0)) {
            (Some(left), Some(right)) => left == right,
            _ => false,
        }
    }
}

/// Reads a value from its JSON text.
pub(crate) fn decoded<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, PayloadError> {
    serde_json::from_slice(bytes)
        .map_err(|error| PayloadError::Decode { what: std::any::type_name::<T>(), why: error.to_string() })
}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Payload({} bytes)", self.0.len())
    }
}

impl Serialize for Payload {
    /// As a JSON string of its text: an entry that holds payloads stays readable and exact.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => serializer.collect_seq(self.0.iter()),
        }
    }
}

impl<'de> serde::Deserialize<'de> for Payload {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Payload;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a payload: a text, or an array of bytes")
            }
            fn visit_str<E>(self, text: &str) -> Result<Payload, E> {
                Ok(Payload(text.as_bytes().into()))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut sequence: A) -> Result<Payload, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = sequence.next_element::<u8>()? {
                    bytes.push(byte);
                }
                Ok(Payload(bytes.into()))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}
