//! The codec of the user's: what is stored in place of a payload's text.
//!
//! Decides that every payload passes here on its way to the store and back, and that its size counts as it is stored. Knows
//! nothing of what payloads mean.

use crate::payload::{LARGEST_PAYLOAD, Payload, PayloadError};
use crate::saga::cut;
use std::fmt;
use std::sync::Arc;

/// Why a codec could not do it. Its words reach logs and people: no payload may be in them.
pub type CodecError = Box<dyn std::error::Error + Send + Sync>;

/// Encrypts, compresses or signs payloads: whatever a store sees of inputs, outputs, errors, signals and drawn values. Give the
/// same one to [`EngineBuilder::codec`](crate::EngineBuilder::codec) and [`Client::with_codec`](crate::Client::with_codec), in
/// every process of the store.
///
/// Both functions are called on the engine's threads, between commits: they should not wait. `decode` must give back exactly the
/// bytes that `encode` was given. `encode` may give other bytes each time, as a cipher with a random nonce does. A codec whose key
/// changes must still decode what the old one encoded; it can tell by a byte of its own at the beginning. A payload that was
/// stored before there was a codec is read as it is.
pub trait PayloadCodec: Send + Sync + 'static {
    /// What is stored in place of `plain`.
    ///
    /// # Errors
    /// When it cannot be done; then nothing is stored.
    fn encode(&self, plain: &[u8]) -> Result<Vec<u8>, CodecError>;

    /// What `coded` stands for.
    ///
    /// # Errors
    /// When it cannot be done: the key is another one, or the bytes were changed. A run that needs it is set aside.
    fn decode(&self, coded: &[u8]) -> Result<Vec<u8>, CodecError>;
}

/// Seals payloads for the store and opens those that come from it.
#[derive(Clone, Default)]
pub(crate) struct Seal(Option<Arc<dyn PayloadCodec>>);

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Seal(codec)" } else { "Seal(plain)" })
    }
}

impl Seal {
    pub(crate) fn with(codec: impl PayloadCodec) -> Seal {
        Seal(Some(Arc::new(codec)))
    }

    pub(crate) fn has_codec(&self) -> bool {
        self.0.is_some()
    }

    /// Adds what is stored to a payload, and checks its size.
    pub(crate) fn seal(&self, what: &'static str, payload: &mut Payload) -> Result<(), PayloadError> {
        if let Some(codec) = &self.0
            && payload.coded().is_none()
        {
            let refused = |error: CodecError| PayloadError::Uncodable { what, why: cut(&error.to_string()) };
            *payload = payload.with_coded(codec.encode(payload.plain()?).map_err(refused)?);
        }
        match Seal::size(payload) {
            size if size > LARGEST_PAYLOAD => Err(PayloadError::TooLarge { what, size }),
            _ => Ok(()),
        }
    }

    /// How large a sealed payload is in the store.
    pub(crate) fn size(payload: &Payload) -> usize {
        payload.coded().map_or(payload.bytes().len(), <[u8]>::len)
    }

    /// Adds its text to a payload that comes from the store.
    pub(crate) fn open(&self, payload: &mut Payload) -> Result<(), PayloadError> {
        if let (Some(codec), Some(coded)) = (&self.0, payload.coded()) {
            let refused = |error: CodecError| PayloadError::Undecodable { why: cut(&error.to_string()) };
            *payload = payload.with_plain(codec.decode(coded).map_err(refused)?);
        }
        payload.plain().map(drop)
    }
}
