//! Between entries and what a store keeps of them; and from a stored journal back to a run.

use crate::decide::{Command, Item};
use crate::journal::{Broken, Entry, Run};
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

pub(crate) fn encode(entry: &Entry, run: &Run) -> Result<NewEntry, String> {
    let step = match entry {
        Entry::StepIntended { step, .. } => Some(step.clone()),
        _ => entry.call().and_then(|call| run.step(call)).map(|step| step.step.clone()),
    };
    let body = serde_json::to_vec(entry).map_err(|error| error.to_string())?;
    Ok(NewEntry { kind: entry.kind(), call: entry.call(), step, body })
}

fn decode(stored: &StoredEntry) -> Result<Entry, Broken> {
    let unreadable =
        |why: String| Broken::Unreadable { sequence: stored.sequence, kind: cut(&stored.kind), why: cut(&why) };
    let entry: Entry = serde_json::from_slice(&stored.body).map_err(|error| unreadable(error.to_string()))?;
    if entry.kind() != stored.kind {
        return Err(unreadable(format!("its body is a `{}`", entry.kind())));
    }
    Ok(entry)
}

/// Reads a whole journal, a page at a time, and folds it.
pub(crate) async fn load(store: &dyn Store, id: RunId) -> Result<Run, LoadError> {
    let mut run: Option<Run> = None;
    loop {
        let after = run.as_ref().map_or(0, |run| run.length);
        let page = store.journal(id, after, limits::LONGEST_BATCH).await?;
        let last = page.len() < limits::LONGEST_BATCH as usize;
        for (expected, stored) in (after + 1..).zip(&page) {
            if stored.sequence != expected {
                return Err(Broken::Gap { expected, found: stored.sequence }.into());
            }
            let entry = decode(stored)?;
            match &mut run {
                Some(run) => run.apply(&entry, stored.at)?,
                None => run = Some(Run::begin(id, &entry, stored.at)?),
            }
        }
        if last {
            return run.ok_or(LoadError::Broken(Broken::NoBeginning));
        }
    }
}

/// The last entry of a journal of this length.
pub(crate) async fn last_entry(store: &dyn Store, id: RunId, length: u64) -> Result<Entry, LoadError> {
    let stored = store.journal(id, length.saturating_sub(1), 1).await?;
    Ok(decode(stored.first().ok_or(Broken::NoBeginning)?)?)
}

pub(crate) fn item(stored: &InboxItem) -> Result<Item, LoadError> {
    let command: Command = serde_json::from_slice(&stored.body)
        .map_err(|error| LoadError::Inbox(stored.number, cut(&error.to_string())))?;
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
            let decision = serde_json::to_value(decision.action()).ok()?.as_str()?.to_owned();
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
