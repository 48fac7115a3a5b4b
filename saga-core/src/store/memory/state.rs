//! What the memory store holds. Decides that the lists by time never disagree with the runs.

use super::super::rows::{DefinitionRow, InboxItem, ReviewRow, RunRow, StoredEntry, WorkerRow};
use super::super::rules::Standing;
use super::super::writes::{NewEntry, WorkerId};
use crate::journal::Reason;
use crate::run::{RunId, Timestamp};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// All runs and workers.
#[derive(Debug, Clone, Default)]
pub(super) struct Runs {
    pub(super) runs: HashMap<RunId, Held>,
    pub(super) keys: HashMap<String, RunId>,
    /// Runs that have a due time, so that claims do not look at others.
    pub(super) due: BTreeSet<(Timestamp, RunId)>,
    pub(super) created: BTreeSet<(Timestamp, RunId)>,
    pub(super) reviews: BTreeMap<(RunId, u32), ReviewRow>,
    /// Open questions whose owner is to be told: when, and how often that was tried.
    pub(super) to_tell: BTreeMap<(RunId, u32), (Timestamp, u32)>,
    /// Workers that live, and for a while those that do not.
    pub(super) workers: BTreeMap<String, Worker>,
}

/// One worker.
#[derive(Debug, Clone)]
pub(super) struct Worker {
    pub(super) row: WorkerRow,
    pub(super) left: bool,
}

/// One run.
#[derive(Debug, Clone)]
pub(super) struct Held {
    /// The head; `unconsumed_signals` and `cancel_requested` are filled in when it is read.
    pub(super) row: RunRow,
    pub(super) input_digest: String,
    pub(super) journal: Vec<StoredEntry>,
    pub(super) inbox: Vec<Item>,
    /// The inbox number of the accepted cancel.
    pub(super) cancel: Option<u64>,
    pub(super) aside: Option<Reason>,
}

/// One inbox item.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) stored: InboxItem,
    pub(super) is_signal: bool,
    pub(super) once: Option<String>,
    pub(super) taken: bool,
}

impl Held {
    pub(super) fn standing(&self) -> Standing {
        Standing {
            run: self.row.run,
            state: self.row.state,
            fence: self.row.fence,
            leased: self.row.worker.is_some(),
            length: self.row.length,
            inbox_last: self.row.inbox_last,
            past_pivot: self.row.past_pivot,
            cancel: self.cancel,
        }
    }

    /// The head, as others see it.
    pub(super) fn read(&self) -> RunRow {
        let waiting = self.inbox.iter().filter(|item| item.is_signal && !item.taken).count();
        RunRow { unconsumed_signals: waiting as u64, cancel_requested: self.cancel.is_some(), ..self.row.clone() }
    }

    pub(super) fn push(&mut self, entries: Vec<NewEntry>, at: Timestamp) {
        for entry in entries {
            self.row.length += 1;
            self.journal.push(StoredEntry {
                sequence: self.row.length,
                at,
                kind: entry.kind.to_owned(),
                call: entry.call,
                step: entry.step,
                body: entry.body,
            });
        }
    }
}

impl Runs {
    /// Changes who has a run and when it is due.
    pub(super) fn hand(&mut self, run: RunId, worker: Option<WorkerId>, due: Option<Timestamp>) {
        let Some(held) = self.runs.get_mut(&run) else { return };
        if let Some(before) = held.row.due {
            self.due.remove(&(before, run));
        }
        if let Some(due) = due {
            self.due.insert((due, run));
        }
        held.row.worker = worker;
        held.row.due = due;
    }

    /// The runs that a worker has, oldest lease first.
    pub(super) fn held_by(&self, worker: &WorkerId) -> Vec<RunId> {
        let has = |run: &RunId| self.runs.get(run).is_some_and(|held| held.row.worker.as_ref() == Some(worker));
        self.due.iter().map(|(_, run)| *run).filter(has).collect()
    }

    /// Open runs that follow another machine than `definition` says under the same saga and version.
    pub(super) fn under_another_fingerprint(&self, definition: &DefinitionRow) -> u64 {
        let differs = |row: &RunRow| {
            !row.state.is_terminal()
                && row.definition.saga == definition.saga
                && row.definition.version == definition.version
                && row.definition.fingerprint != definition.fingerprint
        };
        self.runs.values().filter(|held| differs(&held.row)).count() as u64
    }
}
