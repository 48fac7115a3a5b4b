//! Bytes that are kept exactly: what was written is what is read.
//!
//! Decides the form of inputs, outputs and errors in the journal: JSON text, so that a person can read it in the database, or
//! what the user's codec made of it. Decides that no error about a value quotes it. Knows nothing of what values mean.

use crate::journaled::Journaled;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::Arc;

/// The largest payload a store must take: 1 MiB, counted as it is stored. A larger one is refused before anything is stored.
pub const LARGEST_PAYLOAD: usize = 1 << 20;

/// A journaled value: JSON text as it was written, never reformatted. `Debug` shows only its size: payloads stay out of logs.
///
/// Where a codec is set, it also holds what is stored in place of the text. A payload that was read from a store and not yet
/// decoded holds only that.
#[derive(Clone)]
pub struct Payload {
    plain: Option<Arc<[u8]>>,
    coded: Option<Arc<[u8]>>,
}

/// A value that has no journaled form. No error quotes the value, or what stands in its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PayloadError {
    /// serde refused it.
    #[error("{what} cannot be journaled: {why}")]
    Encode {
        /// The type.
        what: &'static str,
        /// What serde cannot write.
        why: String,
    },
    /// The stored text is not this type.
    #[error("the journaled text is not a {what}: {why}")]
    Decode {
        /// The type.
        what: &'static str,
        /// What is wrong, and where; never what stands there.
        why: String,
    },
    /// The codec cannot encode it.
    #[error("{what} cannot be encoded: {why}")]
    Uncodable {
        /// What.
        what: &'static str,
        /// The codec's words.
        why: String,
    },
    /// What is stored cannot be decoded: a codec is missing, or another one, or another key was used.
    #[error("a stored payload cannot be decoded: {why}")]
    Undecodable {
        /// The codec's words.
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
    /// When serde refuses the value. Its size is checked when it is about to be stored.
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
        let unwritable = |error| PayloadError::Encode { what: std::any::type_name::<T>(), why: unwritable(&error) };
        serde_json::to_vec(value).map(Payload::from_bytes).map_err(unwritable)
    }

    /// The same value, with what is stored in place of its text.
    pub(crate) fn with_coded(&self, coded: Vec<u8>) -> Payload {
        Payload { plain: self.plain.clone(), coded: Some(coded.into()) }
    }

    /// The same value, with the text that what is stored stands for.
    pub(crate) fn with_plain(&self, plain: Vec<u8>) -> Payload {
        Payload { plain: Some(plain.into()), coded: self.coded.clone() }
    }

    /// What is stored in place of the text, if it is known.
    pub(crate) fn coded(&self) -> Option<&[u8]> {
        self.coded.as_deref()
    }

    /// The text, if it is known.
    pub(crate) fn plain(&self) -> Result<&[u8], PayloadError> {
        let why = || "it was written with a codec, and none is set here".to_owned();
        self.plain.as_deref().ok_or_else(|| PayloadError::Undecodable { why: why() })
    }

    /// Reads a value.
    ///
    /// # Errors
    /// When the text is not a `T`, or not yet decoded.
    pub fn read<T: Journaled>(&self) -> Result<T, PayloadError> {
        T::recall(self.plain()?)
    }

    /// The bytes of the text; none if it is not yet decoded.
    pub fn bytes(&self) -> &[u8] {
        self.plain.as_deref().unwrap_or_default()
    }

    /// A payload of this text.
    pub fn from_bytes(bytes: impl Into<Arc<[u8]>>) -> Payload {
        Payload { plain: Some(bytes.into()), coded: None }
    }

    /// The text, for a person; bytes that are not UTF-8 are replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    /// A digest that is the same for the same value written with its keys in another order. Numbers compare by their digits:
    /// `10` and `10.0` differ.
    pub fn digest(&self) -> String {
        let canonical = crate::canonical::canonical(self.bytes());
        let bytes = canonical.as_deref().unwrap_or(self.bytes());
        Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Whether both are the same value: the same bytes, or the same JSON with keys in another order.
    pub fn same_value(&self, other: &Payload) -> bool {
        if self == other {
            return true;
        }
        match (crate::canonical::canonical(self.bytes()), crate::canonical::canonical(other.bytes())) {
            (Some(left), Some(right)) => left == right,
            _ => false,
        }
    }
}

/// Reads a value from its JSON text.
pub(crate) fn decoded<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, PayloadError> {
    let unreadable = |error| PayloadError::Decode { what: std::any::type_name::<T>(), why: unreadable(&error) };
    serde_json::from_slice(bytes).map_err(unreadable)
}

/// What is wrong with a text, and where. serde's own words quote what stands there, and these reach logs, lists and people.
pub(crate) fn unreadable(error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    let what = match error.classify() {
        Category::Data => "something else stands",
        Category::Eof => "it ends too early,",
        Category::Syntax | Category::Io => "it is no JSON",
    };
    format!("{what} at line {} column {}", error.line(), error.column())
}

/// What serde cannot write. Only its own words are passed on: those of a type's `Serialize` may quote the value.
pub(crate) fn unwritable(error: &serde_json::Error) -> String {
    const KNOWN: [&str; 2] = ["key must be a string", "float key must be finite (got NaN or +/-inf)"];
    let words = error.to_string();
    if KNOWN.contains(&words.as_str()) { words } else { "its type refuses to be written as JSON".to_owned() }
}

/// Equal in text; where one of them is not decoded, in what is stored.
impl PartialEq for Payload {
    fn eq(&self, other: &Payload) -> bool {
        match (&self.plain, &other.plain) {
            (Some(left), Some(right)) => left == right,
            _ => self.coded.is_some() && self.coded == other.coded,
        }
    }
}

impl Eq for Payload {}

impl fmt::Debug for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.plain {
            Some(plain) => write!(f, "Payload({} bytes)", plain.len()),
            None => f.write_str("Payload(coded)"),
        }
    }
}

/// The key under which coded bytes stand, in an object: a plain payload is a string or an array.
const CODED: &str = "coded";

impl Serialize for Payload {
    /// As a JSON string of its text: an entry that holds payloads stays readable and exact. Coded, as an object with Base64.
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Some(coded) = &self.coded {
            return serializer.collect_map([(CODED, BASE64.encode(coded))]);
        }
        match std::str::from_utf8(self.bytes()) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => serializer.collect_seq(self.bytes().iter()),
        }
    }
}

impl<'de> serde::Deserialize<'de> for Payload {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Payload;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a payload: a text, an array of bytes, or what a codec made of it")
            }
            fn visit_str<E>(self, text: &str) -> Result<Payload, E> {
                Ok(Payload::from_bytes(text.as_bytes()))
            }
            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut sequence: A) -> Result<Payload, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = sequence.next_element::<u8>()? {
                    bytes.push(byte);
                }
                Ok(Payload::from_bytes(bytes))
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Payload, A::Error> {
                let wrong = || serde::de::Error::custom("this is no coded payload");
                let Some((key, text)) = map.next_entry::<String, String>()? else { return Err(wrong()) };
                let coded = BASE64.decode(text).ok().filter(|_| key == CODED).ok_or_else(wrong)?;
                Ok(Payload { plain: None, coded: Some(coded.into()) })
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}
