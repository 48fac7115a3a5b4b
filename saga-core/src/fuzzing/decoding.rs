//! The journal decoder: what was written is read, whatever is damaged is told apart and named, and nothing panics.

use super::Bytes;
use super::deciding::script;
use super::entries::{entry, later, started};
use crate::decide::walk::{Walk, world};
use crate::engine::codec::{decode, encode, fold};
use crate::engine::seal::Seal;
use crate::journal::{Broken, Entry, Run};
use crate::run::{RunId, Timestamp};
use crate::store::{NewEntry, StoredEntry};
use uuid::Uuid;

const ID: RunId = RunId(Uuid::nil());

/// Panics where the decoder breaks a promise.
pub fn journal_decode(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    match bytes.below(3) {
        0 => text(bytes.rest()),
        1 => entries(&mut bytes),
        _ => journal(&mut bytes),
    }
}

/// Any text: an entry, or an error; and an entry that was read is written and read back the same.
fn text(body: &[u8]) {
    let parsed: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    let kind = parsed.as_ref().and_then(|value| value.as_object()?.keys().next().cloned()).unwrap_or_default();
    let stored = StoredEntry { sequence: 1, at: Timestamp(0), kind, call: None, step: None, body: body.to_vec() };
    match decode(&stored, &Seal::default()) {
        Ok(entry) => {
            assert_eq!(entry.kind(), stored.kind);
            same_after_a_round(&entry, &blank());
            let begins = matches!(entry, Entry::Started { .. });
            assert_eq!(
                fold(None, ID, &[stored], &Seal::default()).is_ok(),
                begins,
                "a journal begins with `started`, and with nothing else"
            );
        }
        Err(Broken::Unreadable { sequence: 1, why, .. }) => assert!(!why.is_empty()),
        Err(other) => panic!("what cannot be read is called {other}"),
    }
}

/// Entries of every kind, in their own words.
fn entries(bytes: &mut Bytes<'_>) {
    let mut run = Run::begin(ID, &started(bytes), Timestamp(0)).unwrap();
    while !bytes.is_empty() {
        let entry = entry(bytes, &run);
        same_after_a_round(&entry, &run);
        let _ = run.apply(&entry, Timestamp(0));
    }
}

fn same_after_a_round(entry: &Entry, run: &Run) {
    let written = encode(&mut entry.clone(), Some(run), &Seal::default()).unwrap();
    let mut stored = stored(1, Timestamp(0), written.clone());
    assert_eq!(&decode(&stored, &Seal::default()).unwrap(), entry, "what is read is not what was written");
    assert_eq!(written.call, entry.call());
    stored.kind.push('x');
    assert!(
        matches!(decode(&stored, &Seal::default()), Err(Broken::Unreadable { .. })),
        "a kind that does not fit is believed"
    );
}

/// A whole journal, damaged in one place: the damage is found where it is, and called what it is.
fn journal(bytes: &mut Bytes<'_>) {
    let (intact, run) = if bytes.flag() { walked(bytes) } else { written(bytes) };
    assert_eq!(
        fold(None, ID, &intact, &Seal::default()).unwrap().as_ref(),
        Some(&run),
        "reading it back gives another run"
    );
    let pages = intact.split_at(bytes.below(intact.len()));
    let paged = fold(fold(None, ID, pages.0, &Seal::default()).unwrap(), ID, pages.1, &Seal::default()).unwrap();
    assert_eq!(paged.as_ref(), Some(&run), "two pages give another run than one");
    let mut damaged = intact.clone();
    let at = bytes.below(intact.len());
    let sequence = at as u64 + 1;
    let damage = bytes.below(6);
    match damage {
        // An end: every prefix is a journal, and says nothing of what is not there yet.
        0 => damaged.truncate(at),
        // A gap.
        1 => drop(damaged.remove(at)),
        // An entry twice.
        2 => damaged.insert(at, intact[at].clone()),
        // An entry of another run in the place of this one's.
        3 => damaged[at] = StoredEntry { sequence, at: intact[at].at, ..intact[0].clone() },
        // A body that is not text of ours.
        4 => damaged[at].body.truncate(bytes.below(intact[at].body.len().min(256))),
        // A kind that is not the body's.
        _ => damaged[at].kind = "unheard_of".to_owned(),
    }
    let read = fold(None, ID, &damaged, &Seal::default());
    let last = at + 1 == intact.len();
    match (damage, read) {
        (0, Ok(run)) => assert_eq!(run.map_or(0, |run| run.length), at as u64),
        (1, Ok(Some(run))) => assert!(last && run.length == at as u64, "a gap was not seen"),
        (1, Ok(None)) => assert!(last && at == 0),
        (1, Err(broken)) => assert_eq!(broken, Broken::Gap { expected: sequence, found: sequence + 1 }),
        (2, Err(broken)) => assert_eq!(broken, Broken::Gap { expected: sequence + 1, found: sequence }),
        (3, Ok(again)) => assert!(at == 0 && again.as_ref() == Some(&run), "an entry of another run was folded"),
        (3, Err(Broken::Foreign { sequence: found, kind, .. })) => {
            assert_eq!((found, kind), (sequence, "started"));
        }
        (4 | 5, Err(Broken::Unreadable { sequence: found, .. })) => assert_eq!(found, sequence),
        (damage, read) => panic!("damage {damage} at {sequence} of {} was read as {read:?}", intact.len()),
    }
}

/// A journal that the core has written.
fn walked(bytes: &mut Bytes<'_>) -> (Vec<StoredEntry>, Run) {
    let (contracts, definition) = world();
    let mut walk = Walk::new(script(&mut Bytes::new(bytes.take(48))), contracts, definition);
    walk.drive();
    let mut run: Option<Run> = None;
    let mut journal = Vec::new();
    for (entry, at) in &walk.journal {
        let before = run.clone().unwrap_or_else(blank);
        journal.push(stored(
            journal.len() as u64 + 1,
            *at,
            encode(&mut entry.clone(), Some(&before), &Seal::default()).unwrap(),
        ));
        run = fold(run, ID, &journal[journal.len() - 1..], &Seal::default()).unwrap();
    }
    let run = run.unwrap();
    assert_eq!(run.calls.len(), walk.run.calls.len());
    (journal, run)
}

/// A journal of anything that folds.
fn written(bytes: &mut Bytes<'_>) -> (Vec<StoredEntry>, Run) {
    let (first, mut now) = (started(bytes), Timestamp(0));
    let mut run = Run::begin(ID, &first, now).unwrap();
    let mut journal = vec![stored(1, now, encode(&mut first.clone(), Some(&run), &Seal::default()).unwrap())];
    for _ in 0..bytes.below(32) {
        now = later(bytes, now);
        let entry = entry(bytes, &run);
        let written = encode(&mut entry.clone(), Some(&run), &Seal::default()).unwrap();
        if run.apply(&entry, now).is_ok() {
            journal.push(stored(run.length, now, written));
        }
    }
    (journal, run)
}

fn stored(sequence: u64, at: Timestamp, new: NewEntry) -> StoredEntry {
    StoredEntry { sequence, at, kind: new.kind.to_owned(), call: new.call, step: new.step, body: new.body }
}

fn blank() -> Run {
    Run::begin(ID, &started(&mut Bytes::new(&[])), Timestamp(0)).unwrap()
}
