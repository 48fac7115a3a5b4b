//! Whose owner is to be told, in the memory store.

use super::super::rows::Notice;
use super::super::rules;
use super::state::Runs;
use crate::run::{RunId, Timestamp};
use std::time::Duration;

impl Runs {
    /// The owner of a question is to be told.
    pub(super) fn tell(&mut self, run: RunId, review: u32, at: Timestamp) {
        self.to_tell.insert((run, review), (at, 0));
    }

    pub(super) fn notices(&mut self, wait: Duration, limit: u32, now: Timestamp) -> Vec<Notice> {
        let due = self.to_tell.iter().filter(|(_, (at, _))| *at <= now);
        let mut due: Vec<(Timestamp, RunId, u32)> = due.map(|((run, review), (at, _))| (*at, *run, *review)).collect();
        due.sort();
        due.truncate(rules::page(limit));
        let mut taken = Vec::new();
        for (_, run, review) in due {
            let attempt = self.to_tell.get(&(run, review)).map_or(0, |(_, attempts)| *attempts).saturating_add(1);
            self.to_tell.insert((run, review), (rules::notify_again(now, wait, attempt), attempt));
            taken.extend(self.open_review(run, review).map(|row| Notice::of(row.clone(), attempt)));
        }
        taken
    }

    pub(super) fn notified(&mut self, told: &Notice) {
        let same = |row: &mut _| {
            let row: &super::super::ReviewRow = row;
            row.owner == told.owner && row.opened == told.opened
        };
        if self.open_review(told.run, told.review).is_some_and(same) {
            self.to_tell.remove(&(told.run, told.review));
        }
    }
}
