//! Between entries and what a store keeps of them; and from a stored journal back to a run.

use super::seal::Seal;
use crate::decide::{Command, Item};
use crate::journal::{Broken, Entry, Run};
use crate::payload::{self, PayloadError, unwritable};
use crate::run::RunId;
use crate::saga::cut;
use crate::store::{InboxItem, NewEntry, ReviewChange, ReviewRow, Store, StoreError, StoredEntry, limits};

/// Why a run could not be read from its store.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum LoadError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Broken(#[from] Broken),
    #[error("item {0} of the inbox cannot be read: {1}")]
    Inbox(u64, String),
}

/// As a store takes it. `run`, if it is known, tells the step that a call is of.
pub(crate) fn encode(entry: &mut Entry, run: Option<&Run>, seal: &Seal) -> Result<NewEntry, String> {
    let step = match entry {
        Entry::StepIntended { step, .. } => Some(step.clone()),
        _ => entry.call().and_then(|call| run?.step(call)).map(|step| step.step.clone()),
    };
    if let Some(payload) = entry.payload_mut() {
        seal.seal("a payload", payload).map_err(|error| error.to_string())?;
    }
    let body = serde_json::to_vec(entry).map_err(|error| unwritable(&error))?;
    Ok(NewEntry { kind: entry.kind(), call: entry.call(), step, body })
}

pub(crate) fn decode(stored: &StoredEntry, seal: &Seal) -> Result<Entry, Broken> {
    let unreadable =
        |why: String| Broken::Unreadable { sequence: stored.sequence, kind: cut(&stored.kind), why: cut(&why) };
    let mut entry: Entry =
        serde_json::from_slice(&stored.body).map_err(|error| unreadable(payload::unreadable(&error)))?;
    let kind = entry.kind();
    if kind != stored.kind {
        return Err(unreadable(format!("its body is a `{kind}`")));
    }
    if let Some(payload) = entry.payload_mut() {
        seal.open(payload).map_err(|source| Broken::Undecodable { sequence: stored.sequence, kind, source })?;
    }
    Ok(entry)
}

/// The run after the next entries of its journal, in the order in which the store has them.
pub(crate) fn fold(mut run: Option<Run>, id: RunId, page: &[StoredEntry], seal: &Seal) -> Result<Option<Run>, Broken> {
    for stored in page {
        let expected = run.as_ref().map_or(0, |run| run.length) + 1;
        if stored.sequence != expected {
            return Err(Broken::Gap { expected, found: stored.sequence });
        }
        let entry = decode(stored, seal)?;
        match &mut run {
            Some(run) => run.apply(&entry, stored.at)?,
            None => run = Some(Run::begin(id, &entry, stored.at)?),
        }
    }
    Ok(run)
}

/// Reads a whole journal, a page at a time, and folds it.
pub(crate) async fn load(store: &dyn Store, seal: &Seal, id: RunId) -> Result<Run, LoadError> {
    let mut run: Option<Run> = None;
    loop {
        let after = run.as_ref().map_or(0, |run| run.length);
        let page = store.journal(id, after, limits::LONGEST_BATCH).await?;
        let last = page.len() < limits::LONGEST_BATCH as usize;
        run = fold(run, id, &page, seal)?;
        if last {
            return run.ok_or(LoadError::Broken(Broken::NoBeginning));
        }
    }
}

/// The last entry of a journal of this length.
pub(crate) async fn last_entry(store: &dyn Store, seal: &Seal, id: RunId, length: u64) -> Result<Entry, LoadError> {
    let stored = store.journal(id, length.saturating_sub(1), 1).await?;
    Ok(decode(stored.first().ok_or(Broken::NoBeginning)?, seal)?)
}

/// As an inbox takes it.
pub(crate) fn post(command: &mut Command, seal: &Seal) -> Result<Vec<u8>, PayloadError> {
    if let Some(payload) = command.payload_mut() {
        seal.seal("a message", payload)?;
    }
    serde_json::to_vec(command).map_err(|error| PayloadError::Encode { what: "a command", why: unwritable(&error) })
}

pub(crate) fn item(stored: &InboxItem, seal: &Seal) -> Result<Item, LoadError> {
    let mut command: Command = serde_json::from_slice(&stored.body)
        .map_err(|error| LoadError::Inbox(stored.number, payload::unreadable(&error)))?;
    if let Some(payload) = command.payload_mut() {
        seal.open(payload).map_err(|error| LoadError::Inbox(stored.number, error.to_string()))?;
    }
    Ok(Item { number: stored.number, command })
}

/// What an entry does to the list of questions.
pub(crate) fn review_change(entry: &Entry, run: &Run) -> Option<ReviewChange> {
    match entry {
        Entry::ReviewOpened { review, call, reason, owner, last, first, actions } => {
            Some(ReviewChange::Open(Box::new(ReviewRow {
                run: run.id,
                saga: run.saga.clone(),
                review: *review,
                call: *call,
                step: call.and_then(|call| run.step(call)).map(|step| step.step.clone()),
                reason: *reason,
                owner: owner.clone(),
                last: last.clone(),
                first: first.clone(),
                actions: actions.clone(),
                opened: run.updated,
                requested: None,
                settled: None,
            })))
        }
        Entry::ReviewSettled { review, decision: crate::journal::Decision::Escalate { owner }, .. } => {
            Some(ReviewChange::Escalate { review: *review, owner: owner.clone() })
        }
        Entry::ReviewSettled { review, decision, by, .. } => {
            let decision = decision.action().name().to_owned();
            Some(ReviewChange::Settle { review: *review, decision, by: by.clone() })
        }
        Entry::DecisionRefused { review, .. } => Some(ReviewChange::Refuse { review: *review }),
        _ => None,
    }
}

/// The inbox item that an entry takes up.
pub(crate) fn taken(entry: &Entry) -> Option<u64> {
    match entry {
        Entry::SignalReceived { signal, .. } => Some(*signal),
        Entry::CancelTaken { request, .. }
        | Entry::ReviewSettled { request, .. }
        | Entry::DecisionRefused { request, .. } => Some(*request),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::run::Timestamp;
    use proptest::prelude::*;

    const ENTRIES: [&str; 6] = [
        r#"{"started":{"saga":"s","version":1,"fingerprint":7,"inputs":"{}","deadline":5}}"#,
        r#"{"step_intended":{"call":0,"step":"a","inputs":"{}","pivot":true}}"#,
        r#"{"attempt_failed":{"call":0,"phase":"forward","report":{"class":"unknown","message":"m"},"again_in":18446744073709551615}}"#,
        r#"{"wait_started":{"call":1,"wait":{"signal":{"name":"n","within":9}}}}"#,
        r#"{"review_opened":{"review":1,"reason":"undo_failed","owner":"o","last":{"class":"refused","message":""},"actions":["retry"]}}"#,
        r#"{"ended":{"end":{"abandoned":{"by":"b","left":[4294967295]}}}}"#,
    ];

    fn stored(kind: &str, body: Vec<u8>) -> StoredEntry {
        StoredEntry { sequence: 1, at: Timestamp(0), kind: kind.to_owned(), call: None, step: None, body }
    }

    #[test]
    fn what_was_written_is_read_and_its_kind_must_fit() {
        for text in ENTRIES {
            let entry: Entry = serde_json::from_str(text).unwrap();
            let body = serde_json::to_vec(&entry).unwrap();
            assert_eq!(decode(&stored(entry.kind(), body.clone()), &Seal::default()).unwrap(), entry);
            assert!(matches!(decode(&stored("kept", body), &Seal::default()), Err(Broken::Unreadable { .. })));
        }
    }

    proptest! {
        #[test]
        fn a_damaged_entry_is_an_error_or_an_entry_never_a_panic(
            which in 0..ENTRIES.len(), changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..8),
        ) {
            let mut body = ENTRIES[which].as_bytes().to_vec();
            for (at, byte) in changes {
                *at.get_mut(&mut body) = byte;
            }
            if let Ok(entry) = decode(&stored("started", body), &Seal::default()) {
                prop_assert_eq!(entry.kind(), "started");
                let mut run = Run::begin(RunId::fresh(), &entry, Timestamp(i64::MAX)).unwrap();
                for text in ENTRIES {
                    let _ = run.apply(&serde_json::from_str(text).unwrap(), Timestamp::LATEST);
                }
            }
        }
    }
}
