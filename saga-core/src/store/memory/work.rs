//! Who has which run: claims, renewals, runs that are set aside, and workers that come and go.

use super::super::rows::{Claimed, DefinitionRow, Lease, Quarantined, WorkerRow};
use super::super::rules;
use super::super::writes::{Claim, WorkerId};
use super::super::{Refused, ReviewRow};
use super::state::Runs;
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
        if let Some(row) = self.workers.get_mut(&worker.0) {
            row.until = until;
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

    pub(super) fn quarantine(
        &mut self,
        aside: &Quarantined,
        retry_in: Duration,
        now: Timestamp,
    ) -> Result<(), Refused> {
        let run: RunId = aside.run.parse().map_err(|_| rules::not_an_identity(&aside.run))?;
        let held = self.runs.get_mut(&run).ok_or(Refused::NoSuchRun(run))?;
        held.standing().set_aside(aside.fence)?;
        held.row.quarantined = Some(rules::cause(&aside.cause));
        held.aside = Some(aside.reason);
        let at = rules::stamp(now, held.row.updated);
        let question = rules::set_aside_review(run, &held.row.definition.saga, aside.reason, &aside.cause, at);
        self.hand(run, None, Some(now.plus(retry_in)));
        match self.open_review(run, rules::SET_ASIDE) {
            Some(open) => *open = ReviewRow { opened: open.opened, requested: open.requested.take(), ..question },
            None => {
                self.reviews.insert((run, rules::SET_ASIDE), question);
            }
        }
        Ok(())
    }

    pub(super) fn enroll(
        &mut self,
        worker: &WorkerId,
        mut definitions: Vec<DefinitionRow>,
        until: Timestamp,
    ) -> Vec<u64> {
        let others = definitions.iter().map(|definition| self.under_another_fingerprint(definition)).collect();
        definitions.sort_by(|left, right| identity(left).cmp(&identity(right)));
        definitions.dedup();
        self.workers.insert(worker.0.clone(), WorkerRow { worker: worker.clone(), until, definitions });
        others
    }

    pub(super) fn leave(&mut self, worker: &WorkerId, now: Timestamp) {
        self.workers.remove(&worker.0);
        for run in self.held_by(worker) {
            self.hand(run, None, Some(now));
        }
    }

    pub(super) fn live(&self, now: Timestamp) -> Vec<WorkerRow> {
        self.workers.values().filter(|worker| worker.until > now).cloned().collect()
    }
}

/// What tells one machine from another, in the order in which machines are listed.
pub(super) fn identity(definition: &DefinitionRow) -> (&str, u32, u64) {
    (&definition.saga, definition.version, definition.fingerprint.0)
}
