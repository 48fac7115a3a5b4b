//! Which requests the gateway carries out: slots are limited, a publish consumes one, a release gives one back.
//!
//! Decides the rules of the trade, on an open transaction. Does not record requests or replies, with one exception: a
//! release settles what the key of its reserve is answered from then on.

use super::{LedgerError, RELEASED, Reply, keep, stored};
use crate::gateway::wire::{
    Change, Operation, Outcome, Problem, Publish, Release, Released, ReservationState, Reserve,
};
use crate::model::{Publication, Slot};
use rusqlite::{OptionalExtension, Row, Transaction, params};

/// What comes of a request whose key is new.
pub(super) enum Verdict {
    Carried { outcome: Outcome, body: String },
    Refused { code: String, message: String },
}

impl Verdict {
    pub(super) fn refused(code: impl Into<String>, message: impl Into<String>) -> Verdict {
        Verdict::Refused { code: code.into(), message: message.into() }
    }
}

pub(super) fn decide(
    transaction: &Transaction<'_>,
    key: &str,
    change: &Change,
    slots: u32,
) -> Result<Verdict, LedgerError> {
    match change {
        Change::Reserve(request) => reserve(transaction, key, request, slots),
        Change::Publish(request) => publish(transaction, key, request),
        Change::Release(request) => release(transaction, request),
    }
}

fn reserve(
    transaction: &Transaction<'_>,
    key: &str,
    Reserve { submission }: &Reserve,
    slots: u32,
) -> Result<Verdict, LedgerError> {
    // The lowest free number is 1 or follows a held one.
    let free: Option<u32> = transaction.query_row(
        "SELECT min(number) FROM (SELECT 1 AS number UNION ALL SELECT slot + 1 FROM reservations WHERE state = 'held')
         WHERE number <= ?1 AND number NOT IN (SELECT slot FROM reservations WHERE state = 'held')",
        params![slots],
        |row| row.get(0),
    )?;
    let Some(number) = free else {
        return Ok(Verdict::refused(
            "no_slot",
            format!("all {slots} slots are held: publish or release one, then use a new key"),
        ));
    };
    transaction.execute(
        "INSERT INTO reservations (key, submission, revision, slot, state) VALUES (?1, ?2, ?3, ?4, 'held')",
        params![key, submission.id, submission.revision, number],
    )?;
    let slot = Slot { number, reservation: reservation_name(transaction.last_insert_rowid()) };
    Ok(Verdict::Carried { outcome: Outcome::Applied, body: serde_json::to_string(&slot)? })
}

fn publish(
    transaction: &Transaction<'_>,
    key: &str,
    Publish { slot, submission }: &Publish,
) -> Result<Verdict, LedgerError> {
    let held = match reservation_number(&slot.reservation) {
        Some(id) => Held::read(transaction, "id = ?1", id)?,
        None => None,
    };
    let held = match held {
        Some(held) if held.slot == Some(slot.number) => held,
        _ => {
            let message = format!("no reservation `{}` of slot {}: reserve one first", slot.reservation, slot.number);
            return Ok(Verdict::refused("no_reservation", message));
        }
    };
    match held.state {
        ReservationState::Held => {}
        ReservationState::Consumed => {
            return Ok(Verdict::refused(
                "no_reservation",
                "the reservation was consumed by another publish: reserve again",
            ));
        }
        ReservationState::Released | ReservationState::Barred => {
            return Ok(Verdict::refused("no_reservation", "the reservation was released: reserve again"));
        }
    }
    if !held.is_for(&submission.id, submission.revision) {
        return Ok(held.other_submission());
    }
    transaction.execute(
        "INSERT INTO publications (key, reservation, submission, revision, title, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        params![key, held.id, submission.id, submission.revision, submission.title, submission.body],
    )?;
    let publication = publication(transaction.last_insert_rowid(), submission.id.clone(), submission.revision);
    held.becomes(transaction, "consumed")?;
    Ok(Verdict::Carried { outcome: Outcome::Applied, body: serde_json::to_string(&publication)? })
}

fn release(
    transaction: &Transaction<'_>,
    Release { reserve_key, submission }: &Release,
) -> Result<Verdict, LedgerError> {
    let held = Held::read(transaction, "key = ?1", reserve_key)?;
    if let Some(held) = held.as_ref().filter(|held| !held.is_for(&submission.id, submission.revision)) {
        return Ok(held.other_submission());
    }
    let known = stored(transaction, reserve_key)?;
    if known.as_ref().is_some_and(|known| known.operation != Operation::Reserve.name()) {
        let message = "`reserve_key` is the key of another operation: expected the key of a reserve";
        return Ok(Verdict::refused("not_a_reservation", message));
    }
    let is_held = held.as_ref().is_some_and(|held| held.state == ReservationState::Held);
    if let Some(held) = held.filter(|_| is_held) {
        held.becomes(transaction, "released")?;
        // A late copy of the reserve must not be told that it holds a slot.
        let reply = released_reply("this reservation was released: a slot needs a new key")?;
        transaction.execute(
            "UPDATE replies SET status = ?2, reply = ?3 WHERE key = ?1",
            params![reserve_key, reply.status, reply.body],
        )?;
    } else if known.is_none() {
        // The barrier: the reserve may still be on its way, and must not land after its release.
        transaction.execute(
            "INSERT INTO reservations (key, submission, revision, state) VALUES (?1, ?2, ?3, 'barred')",
            params![reserve_key, submission.id, submission.revision],
        )?;
        let reply = released_reply("this reservation was released before it arrived: a slot needs a new key")?;
        keep(transaction, reserve_key, Operation::Reserve, None, &reply)?;
    }
    let outcome = if is_held { Outcome::Applied } else { Outcome::Absent };
    Ok(Verdict::Carried { outcome, body: serde_json::to_string(&Released { released: is_held })? })
}

/// A reservation as far as the rules look at it.
struct Held {
    id: i64,
    submission: String,
    revision: u32,
    slot: Option<u32>,
    state: ReservationState,
}

impl Held {
    fn read(
        transaction: &Transaction<'_>,
        condition: &'static str,
        value: impl rusqlite::ToSql,
    ) -> Result<Option<Held>, LedgerError> {
        let read = |row: &Row<'_>| {
            Ok(Held {
                id: row.get(0)?,
                submission: row.get(1)?,
                revision: row.get(2)?,
                slot: row.get(3)?,
                state: super::view::word(row, 4)?,
            })
        };
        let sql = format!("SELECT id, submission, revision, slot, state FROM reservations WHERE {condition}");
        Ok(transaction.query_row(&sql, params![value], read).optional()?)
    }

    fn is_for(&self, submission: &str, revision: u32) -> bool {
        self.submission == submission && self.revision == revision
    }

    fn other_submission(&self) -> Verdict {
        let message = format!("the reservation is for revision {} of `{}`", self.revision, self.submission);
        Verdict::refused("other_submission", message)
    }

    fn becomes(&self, transaction: &Transaction<'_>, state: &'static str) -> Result<(), LedgerError> {
        transaction.execute(
            "UPDATE reservations SET state = ?2, at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now') WHERE id = ?1",
            params![self.id, state],
        )?;
        Ok(())
    }
}

fn released_reply(message: &str) -> Result<Reply, LedgerError> {
    let problem = Problem { code: RELEASED.to_owned(), message: message.to_owned(), reference: None };
    Ok(Reply { status: 409, body: serde_json::to_string(&problem)? })
}

pub(super) fn reservation_name(id: i64) -> String {
    format!("reservation-{id}")
}

fn reservation_number(name: &str) -> Option<i64> {
    // Only the name as it was given out: `reservation-01` is another.
    let id = name.strip_prefix("reservation-")?.parse().ok()?;
    (reservation_name(id) == name).then_some(id)
}

pub(super) fn publication(id: i64, submission: String, revision: u32) -> Publication {
    let id = format!("publication-{id}");
    Publication { url: format!("/publications/{id}"), id, submission, revision }
}
