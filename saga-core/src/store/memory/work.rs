//! Who has which run: claims, renewals, runs that are set aside, and workers that come and go.

use super::super::rows::{Claimed, DefinitionRow, Lease, WorkerRow};
use super::super::rules;
use super::super::writes::{Claim, SetAside, WorkerId};
use super::super::{Refused, ReviewRow};
use super::state::{Runs, Worker};
use crate::journal::Reason;
use crate::run::{RunId, Timestamp};
use std::collections::BTreeSet;
use std::time::Duration;

impl Runs {
    pub(super) fn claim(&mut self, claim: &Claim, now: Timestamp) -> Vec<Claimed> {
        let known: BTreeSet<_> = claim.definitions.iter().map(identity).collect();
        let due = self.due.iter().take_while(|(due, _)| *due <= now).map(|(_, run)| *run);
        let mine = |run: &RunId| self.runs.get(run).is_some_and(|held| known.contains(&identity(&held.row.definition)));
        let taken: Vec<RunId> = due.filter(mine).take(rules::page(claim.limit)).collect();
        taken.into_iter().filter_map(|run| self.take(run, claim, now)).collect()
    }

    fn take(&mut self, run: RunId, claim: &Claim, now: Timestamp) -> Option<Claimed> {
        self.hand(run, Some(claim.worker.clone()), Some(now.plus(claim.lease)));
        let held = self.runs.get_mut(&run)?;
        held.row.fence += 1;
        held.row.claims = held.row.claims.saturating_add(1);
        Some(Claimed { row: held.read(), at: now })
    }

    pub(super) fn renew(&mut self, worker: &WorkerId, until: Timestamp) -> Vec<Lease> {
        if let Some(known) = self.workers.get_mut(&worker.0).filter(|known| !known.left) {
            known.row.until = until;
        }
        let mut held = self.held_by(worker);
        held.sort();
        for run in &held {
            self.hand(*run, Some(worker.clone()), Some(until));
        }
        let lease = |run: &RunId| {
            let row = &self.runs.get(run)?.row;
            Some(Lease { run: *run, fence: row.fence, inbox_last: row.inbox_last })
        };
        held.iter().filter_map(lease).collect()
    }

    pub(super) fn quarantine(&mut self, aside: &SetAside, retry_in: Duration, now: Timestamp) -> Result<(), Refused> {
        let held = self.runs.get(&aside.run).ok_or(Refused::NoSuchRun(aside.run))?;
        held.standing().set_aside(aside.fence)?;
        self.ask_aside(aside.run, aside.reason, &aside.cause, now);
        self.hand(aside.run, None, Some(now.plus(retry_in)));
        Ok(())
    }

    /// Marks a run as set aside and opens its question, unless it is open.
    fn ask_aside(&mut self, run: RunId, reason: Reason, cause: &str, now: Timestamp) {
        let Some(held) = self.runs.get_mut(&run) else { return };
        held.row.quarantined = Some(rules::cause(cause));
        held.aside = Some(reason);
        let at = rules::stamp(now, held.row.updated);
        let question = rules::set_aside_review(run, &held.row.definition.saga, &held.row.owner, reason, cause, at);
        match self.open_review(run, rules::SET_ASIDE) {
            Some(open) => {
                let owner = std::mem::take(&mut open.owner);
                *open = ReviewRow { opened: open.opened, owner, ..question };
            }
            None => {
                self.reviews.insert((run, rules::SET_ASIDE), question);
                self.tell(run, rules::SET_ASIDE, at);
            }
        }
    }

    pub(super) fn sweep(&mut self, grace: Duration, limit: u32, now: Timestamp) -> Vec<RunId> {
        let before = rules::missing_since(now, grace);
        let lived = self.workers.values().filter(|worker| worker.row.until > before);
        let known: BTreeSet<_> = lived.flat_map(|worker| &worker.row.definitions).map(identity).collect();
        let due = self.due.iter().take_while(|(due, _)| *due <= before).filter_map(|(_, run)| self.runs.get(run));
        let missing = due.filter(|held| held.aside.is_none() && !known.contains(&identity(&held.row.definition)));
        let missing: Vec<(RunId, String)> = missing
            .take(rules::page(limit))
            .map(|held| (held.row.run, rules::definition_missing(&held.row.definition)))
            .collect();
        for (run, words) in &missing {
            self.ask_aside(*run, Reason::DefinitionMissing, words, now);
        }
        missing.into_iter().map(|(run, _)| run).collect()
    }

    pub(super) fn enroll(
        &mut self,
        worker: &WorkerId,
        mut definitions: Vec<DefinitionRow>,
        until: Timestamp,
        now: Timestamp,
    ) -> Vec<u64> {
        let others = definitions.iter().map(|definition| self.under_another_fingerprint(definition)).collect();
        definitions.sort_by(|left, right| identity(left).cmp(&identity(right)));
        definitions.dedup();
        let forgotten = rules::missing_since(now, rules::FORGET_WORKERS);
        self.workers.retain(|_, known| known.row.until >= forgotten);
        let row = WorkerRow { worker: worker.clone(), until, definitions };
        self.workers.insert(worker.0.clone(), Worker { row, left: false });
        others
    }

    pub(super) fn leave(&mut self, worker: &WorkerId, now: Timestamp) {
        if let Some(known) = self.workers.get_mut(&worker.0) {
            (known.row.until, known.left) = (known.row.until.min(now), true);
        }
        for run in self.held_by(worker) {
            self.hand(run, None, Some(now));
        }
    }

    pub(super) fn live(&self, now: Timestamp) -> Vec<WorkerRow> {
        self.workers.values().filter(|worker| worker.row.until > now).map(|worker| worker.row.clone()).collect()
    }
}

/// What tells one machine from another, in the order in which machines are listed.
pub(super) fn identity(definition: &DefinitionRow) -> (&str, u32, u64) {
    (&definition.saga, definition.version, definition.fingerprint.0)
}
