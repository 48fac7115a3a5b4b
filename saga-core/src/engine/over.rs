//! Who waits for which run to end, within this process: each end wakes those who wait for it and nobody else.

use crate::run::RunId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// The ends that somebody waits for.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    awaited: Mutex<HashMap<RunId, Arc<Notify>>>,
}

impl Ends {
    fn with<T>(&self, act: impl FnOnce(&mut HashMap<RunId, Arc<Notify>>) -> T) -> T {
        act(&mut self.awaited.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What is woken when the run ends. Whoever asks must look at the store once more before waiting.
    pub(crate) fn of(&self, run: RunId) -> Arc<Notify> {
        self.with(|awaited| {
            // Those whose waiters have gone are dropped when there are many of them.
            if awaited.len() >= 1_024 {
                awaited.retain(|_, notify| Arc::strong_count(notify) > 1);
            }
            awaited.entry(run).or_default().clone()
        })
    }

    /// The run has ended.
    pub(crate) fn ended(&self, run: RunId) {
        if let Some(notify) = self.with(|awaited| awaited.remove(&run)) {
            notify.notify_waiters();
        }
    }
}
