//! What travels between the gateway and its callers, as JSON.
//!
//! Decides the form of requests, replies and the ledger's public view. Decides nothing about what happens to them.

use crate::model::{Publication, Slot, Submission};
use serde::{Deserialize, Serialize};

/// The header that carries the key of a request that changes something.
pub const KEY_HEADER: &str = "idempotency-key";

/// The code of a 503 that the gateway itself answers: nothing was applied. A 503 without it proves nothing.
pub const DOWN: &str = "down";

/// What can be asked of the gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Hold a slot.
    Reserve,
    /// Publish, which consumes the held slot.
    Publish,
    /// Give a held slot back, or see to it that it is never held.
    Release,
    /// Look a publication up by its key.
    Find,
}

impl Operation {
    /// Its name in the ledger and on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Reserve => "reserve",
            Operation::Publish => "publish",
            Operation::Release => "release",
            Operation::Find => "find",
        }
    }
}

/// A request that changes something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// `POST /reserve`.
    Reserve(Reserve),
    /// `POST /publish`.
    Publish(Publish),
    /// `POST /release`.
    Release(Release),
}

/// The body of `POST /reserve`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reserve {
    /// For which submission.
    pub submission: Submission,
}

/// The body of `POST /publish`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Publish {
    /// The held slot that is consumed.
    pub slot: Slot,
    /// What to publish.
    pub submission: Submission,
}

/// The body of `POST /release`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// The key of the reserve to undo, also when it is only possible that it ever arrived.
    pub reserve_key: String,
    /// The submission it was for.
    pub submission: Submission,
}

/// The reply to a release: it always holds that the slot is not held any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Released {
    /// Whether this request gave a slot back; `false` when there was nothing to give back.
    pub released: bool,
}

/// The reply to a request that was not carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// A short code for programs.
    pub code: String,
    /// What is wrong, and what was expected.
    pub message: String,
    /// The row of the ledger that records it, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
}

/// The reply to a lookup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Lookup {
    /// It is published.
    Applied {
        /// The publication.
        publication: Publication,
    },
    /// A request with this key has arrived and is not decided yet.
    Pending,
    /// Nothing is published under this key, and no request with it is under way *here*; one may still be on its way.
    NotFound,
}

/// Everything the gateway knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    /// How many slots can be held at once.
    pub slots: u32,
    /// Every reservation there ever was, and every one that is barred.
    pub reservations: Vec<Reservation>,
    /// Every publication.
    pub publications: Vec<Published>,
    /// Every request that was applied, answered again, refused, or found nothing to do, in order.
    pub effects: Vec<Effect>,
}

/// A row of `reservations`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reservation {
    /// Its identity.
    pub id: String,
    /// The key of the reserve.
    pub key: String,
    /// The submission.
    pub submission: String,
    /// Its revision.
    pub revision: u32,
    /// The slot; none where it is barred.
    pub slot: Option<u32>,
    /// What became of it.
    pub state: ReservationState,
    /// When it last changed, in UTC.
    pub at: String,
}

/// What became of a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReservationState {
    /// The slot is held.
    Held,
    /// A publication consumed it.
    Consumed,
    /// It was given back.
    Released,
    /// The release came first: a reserve with this key is refused for ever.
    Barred,
}

/// A row of `publications`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// The key of the publish.
    pub key: String,
    /// The reservation it consumed.
    pub reservation: String,
    /// The receipt.
    pub publication: Publication,
    /// The title.
    pub title: String,
    /// The text.
    pub body: String,
    /// When, in UTC.
    pub at: String,
}

/// A row of `effects`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effect {
    /// Its number, in order.
    pub number: i64,
    /// The key of the request.
    pub key: String,
    /// What was asked.
    pub kind: Operation,
    /// For which submission.
    pub submission: String,
    /// For which revision.
    pub revision: u32,
    /// What came of it.
    pub outcome: Outcome,
    /// The code of a refusal.
    pub code: Option<String>,
    /// When, in UTC.
    pub at: String,
}

/// What came of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It changed something.
    Applied,
    /// The key was known: the stored reply was given again, nothing changed.
    Duplicate,
    /// Nothing changed.
    Refused,
    /// A release that found nothing to release.
    Absent,
}

impl Outcome {
    /// Its name in the ledger.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Applied => "applied",
            Outcome::Duplicate => "duplicate",
            Outcome::Refused => "refused",
            Outcome::Absent => "absent",
        }
    }
}

impl Change {
    /// What is asked.
    pub fn operation(&self) -> Operation {
        match self {
            Change::Reserve(_) => Operation::Reserve,
            Change::Publish(_) => Operation::Publish,
            Change::Release(_) => Operation::Release,
        }
    }

    /// For which submission.
    pub fn submission(&self) -> &Submission {
        match self {
            Change::Reserve(reserve) => &reserve.submission,
            Change::Publish(publish) => &publish.submission,
            Change::Release(release) => &release.submission,
        }
    }

    /// The body as canonical JSON: two requests are the same if these texts are, however they were written.
    ///
    /// # Errors
    /// Never in practice: every field has a JSON form.
    pub fn body(&self) -> Result<String, serde_json::Error> {
        match self {
            Change::Reserve(reserve) => serde_json::to_string(reserve),
            Change::Publish(publish) => serde_json::to_string(publish),
            Change::Release(release) => serde_json::to_string(release),
        }
    }
}
