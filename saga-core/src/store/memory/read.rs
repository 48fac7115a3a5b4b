//! Reads of the memory store.

use super::super::rows::{Health, InboxItem, Page, Quarantined, ReviewRow, RunFilter, RunRow, StoredEntry};
use super::super::rules;
use super::state::{Held, Runs};
use super::work::identity;
use crate::decide::State;
use crate::run::{RunId, Timestamp};
use std::collections::BTreeSet;

impl Runs {
    pub(super) fn journal(&self, run: RunId, after: u64, limit: u32) -> Vec<StoredEntry> {
        let Some(held) = self.runs.get(&run) else { return Vec::new() };
        let after = usize::try_from(after).unwrap_or(usize::MAX);
        held.journal.iter().skip(after).take(rules::page(limit)).cloned().collect()
    }

    pub(super) fn inbox(&self, run: RunId, after: u64, limit: u32) -> Vec<InboxItem> {
        let Some(held) = self.runs.get(&run) else { return Vec::new() };
        let waiting = held.inbox.iter().filter(|item| !item.taken && item.stored.number > after);
        waiting.take(rules::page(limit)).map(|item| item.stored.clone()).collect()
    }

    pub(super) fn row(&self, run: RunId) -> Option<RunRow> {
        self.runs.get(&run).map(Held::read)
    }

    pub(super) fn find(&self, key: &str) -> Option<RunRow> {
        self.keys.get(key).and_then(|run| self.row(*run))
    }

    pub(super) fn list(&self, filter: &RunFilter, page: Page) -> Vec<RunRow> {
        let wanted = |held: &&Held| {
            (filter.states.is_empty() || filter.states.contains(&held.row.state))
                && filter.saga.as_ref().is_none_or(|saga| *saga == held.row.definition.saga)
        };
        let newest_first = self.created.iter().rev().filter_map(|(_, run)| self.runs.get(run));
        part(newest_first.filter(wanted), page).map(Held::read).collect()
    }

    pub(super) fn reviews(&self, only_open: bool, page: Page) -> Vec<ReviewRow> {
        let mut rows: Vec<&ReviewRow> =
            self.reviews.values().filter(|row| !only_open || row.settled.is_none()).collect();
        rows.sort_by_key(|row| (row.opened, row.run, row.review));
        part(rows.into_iter(), page).cloned().collect()
    }

    pub(super) fn quarantined(&self, page: Page) -> Vec<Quarantined> {
        let mut rows: Vec<Quarantined> = self.runs.values().filter_map(|held| self.set_aside(held)).collect();
        rows.sort_by(|left, right| left.run.cmp(&right.run));
        part(rows.into_iter(), page).collect()
    }

    fn set_aside(&self, held: &Held) -> Option<Quarantined> {
        let reason = held.aside?;
        let question = self.reviews.get(&(held.row.run, rules::SET_ASIDE))?;
        Some(Quarantined {
            run: held.row.run.to_string(),
            fence: (held.row.fence > 0).then_some(held.row.fence),
            owner: question.owner.clone(),
            reason,
            cause: held.row.quarantined.clone()?,
            since: Some(question.opened),
        })
    }

    pub(super) fn health(&self, now: Timestamp) -> Health {
        let live = self.live(now);
        let known: BTreeSet<_> = live.iter().flat_map(|worker| &worker.definitions).map(identity).collect();
        let count =
            |wanted: &dyn Fn(&RunRow) -> bool| self.runs.values().filter(|held| wanted(&held.row)).count() as u64;
        Health {
            runs: State::ALL.map(|state| (state, count(&|row| row.state == state))).to_vec(),
            due: self.due.iter().take_while(|(due, _)| *due <= now).count() as u64,
            open_reviews: self.reviews.values().filter(|row| row.settled.is_none()).count() as u64,
            quarantined: count(&|row| row.quarantined.is_some()),
            workers: live.len() as u64,
            without_worker: count(&|row| !row.state.is_terminal() && !known.contains(&identity(&row.definition))),
        }
    }
}

fn part<T>(rows: impl Iterator<Item = T>, page: Page) -> impl Iterator<Item = T> {
    rows.skip(usize::try_from(page.skip).unwrap_or(usize::MAX)).take(rules::page(page.limit))
}
