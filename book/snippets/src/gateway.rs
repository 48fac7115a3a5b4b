//! A gateway in memory that fails as it is told. It stands for the outside world and knows nothing of sagas.

use saga_core::Failure;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

// ANCHOR: error
/// Why a call of the gateway failed, and what that proves.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum GatewayError {
    /// It took nothing; later it may.
    #[failure(transient)]
    #[error("the gateway is busy")]
    Busy,
    /// It said no, and will say no again.
    #[failure(refused, code = "no_slot", reference = request)]
    #[error("the gateway refused")]
    Refused {
        /// The number under which the gateway knows the request.
        request: u64,
    },
    /// It was sent, and nobody knows what became of it.
    #[failure(unknown)]
    #[error("no reply from the gateway")]
    NoReply,
}
// ANCHOR_END: error

/// What the gateway does with one call, instead of applying it and saying so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Told {
    /// Apply it and say so.
    Apply,
    /// Apply nothing, and say that it is busy.
    Busy,
    /// Apply nothing, and say no.
    Refuse,
    /// Apply nothing, and say nothing.
    LoseRequest,
    /// Apply it, and say nothing.
    LoseReply,
    /// Apply it, and never come to an end.
    Hang,
}

/// The gateway. Clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct Gateway(Arc<Mutex<Inside>>);

#[derive(Debug, Default)]
struct Inside {
    told: HashMap<&'static str, VecDeque<Told>>,
    sent: Vec<&'static str>,
    effects: BTreeMap<String, &'static str>,
}

impl Gateway {
    fn inside(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells it what to do with the next calls of an operation; those after them are applied.
    pub fn tell(&self, operation: &'static str, told: &[Told]) {
        self.inside().told.insert(operation, told.iter().copied().collect());
    }

    /// The operations that were sent so far, in order.
    pub fn sent(&self) -> Vec<&'static str> {
        self.inside().sent.clone()
    }

    /// The operations whose effects are there, in the order of their keys.
    pub fn effects(&self) -> Vec<&'static str> {
        self.inside().effects.values().copied().collect()
    }

    /// Whether the effect with this key is there.
    pub fn has(&self, key: &str) -> bool {
        self.inside().effects.contains_key(key)
    }

    /// Makes an effect, once for each key.
    ///
    /// # Errors
    /// As it was told.
    pub async fn apply(&self, operation: &'static str, key: &str) -> Result<u64, GatewayError> {
        let effect = |inside: &mut Inside| {
            inside.effects.insert(key.to_owned(), operation);
        };
        self.call(operation, effect).await
    }

    /// Takes the effect with this key back; does nothing if it is not there.
    ///
    /// # Errors
    /// As it was told.
    pub async fn take_back(&self, operation: &'static str, key: &str) -> Result<(), GatewayError> {
        let effect = |inside: &mut Inside| {
            inside.effects.remove(key);
        };
        self.call(operation, effect).await.map(drop)
    }

    /// Looks something up.
    ///
    /// # Errors
    /// As it was told.
    pub async fn look(&self, operation: &'static str) -> Result<u64, GatewayError> {
        self.call(operation, |_| {}).await
    }

    async fn call(&self, operation: &'static str, apply: impl FnOnce(&mut Inside)) -> Result<u64, GatewayError> {
        let (told, request) = {
            let mut inside = self.inside();
            inside.sent.push(operation);
            let told = inside.told.get_mut(operation).and_then(VecDeque::pop_front).unwrap_or(Told::Apply);
            if matches!(told, Told::Apply | Told::LoseReply | Told::Hang) {
                apply(&mut inside);
            }
            (told, inside.sent.len() as u64)
        };
        match told {
            Told::Apply => Ok(request),
            Told::Busy => Err(GatewayError::Busy),
            Told::Refuse => Err(GatewayError::Refused { request }),
            Told::LoseRequest | Told::LoseReply => Err(GatewayError::NoReply),
            Told::Hang => std::future::pending().await,
        }
    }
}
