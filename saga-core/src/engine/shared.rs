//! What all runs of one engine share: the store, the writer, the clock, the leases, and the wish to stop.

use super::chance::Chance;
use super::live::{Holds, StoreClock};
use super::over::Ends;
use super::registry::Registry;
use super::resident::Resident;
use super::seal::Seal;
use super::writer::Writer;
use crate::journal::{Reason, Run};
use crate::run::RunId;
use crate::saga::cut;
use crate::store::{SetAside, Store, WorkerId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;

/// How long a run that cannot be read rests before it is tried again, in case it was repaired.
const ASIDE: Duration = Duration::from_secs(30);

/// How many resting runs are kept in memory, so that a signal need not read their journals again.
const KEPT: usize = 4_096;

/// How a worker works. The defaults suit a service of one process.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// The worker's name, for people; each start adds an identity of its own.
    pub name: String,
    /// How long a claim holds without renewal. After a crash, its runs move on after at most this and one poll.
    pub lease: Duration,
    /// How often leases are renewed; well below `lease`.
    pub renew: Duration,
    /// How often due runs are looked for when nothing in this process says that there are any.
    pub poll: Duration,
    /// How many runs are worked on at once.
    pub concurrency: usize,
    /// How long a run may be due while no worker that has its saga lives before its owner is asked. Longer than a deployment
    /// takes.
    pub missing_after: Duration,
    /// How long a notifier may take to tell somebody. After a failure, and after a crash, it is tried again after this time,
    /// doubled with each try up to an hour.
    pub notify_within: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            name: "worker".to_owned(),
            lease: Duration::from_secs(15),
            renew: Duration::from_secs(2),
            poll: Duration::from_millis(200),
            concurrency: 128,
            missing_after: Duration::from_secs(60),
            notify_within: Duration::from_secs(30),
        }
    }
}

/// When a stop was asked for, and how long attempts may still take.
pub(crate) type Stopping = Option<Instant>;

pub(crate) struct Shared<P> {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) writer: Writer,
    pub(crate) environment: Arc<P>,
    pub(crate) registry: Registry<P>,
    pub(crate) worker: WorkerId,
    pub(crate) settings: Settings,
    pub(crate) clock: StoreClock,
    pub(crate) holds: Arc<Holds>,
    pub(crate) stopping: watch::Sender<Stopping>,
    /// Something may be due: a run was created, or an item arrived.
    pub(crate) due: Arc<Notify>,
    pub(crate) ends: Arc<Ends>,
    /// Somebody is to be told of a question.
    pub(crate) asked: Notify,
    pub(crate) seal: Seal,
    pub(crate) chance: Chance,
    pub(crate) kept: Mutex<HashMap<RunId, Resident<P>>>,
}

impl<P: Send + Sync + 'static> Shared<P> {
    pub(crate) fn is_stopping(&self) -> bool {
        self.stopping.borrow().is_some()
    }

    /// Ends when a stop was asked for.
    pub(crate) async fn stop_asked(&self) {
        // The sender lives in `self`: this cannot fail while it is borrowed.
        let _ = self.stopping.subscribe().wait_for(Option::is_some).await;
    }

    /// Ends when a stop was asked for and the time for attempts to end is over.
    pub(crate) async fn grace_over(&self) {
        self.stop_asked().await;
        let until = *self.stopping.borrow();
        if let Some(until) = until {
            tokio::time::sleep_until(until).await;
        }
    }

    /// A number between 0 and 1 for jitter.
    pub(crate) fn luck(&self) -> f64 {
        self.chance.luck()
    }

    pub(crate) fn ended(&self, run: &Run) {
        let state = crate::decide::Head::of(run).state;
        metrics::counter!("saga_runs_ended_total", "saga" => run.saga.clone(), "state" => state.name()).increment(1);
        tracing::info!(run = %run.id, saga = run.saga, state = state.name(), "run ended");
        self.ends.ended(run.id);
    }

    /// The owner of a run that was set aside is asked.
    pub(crate) fn asked_aside(&self, run: RunId, reason: Reason) {
        metrics::counter!("saga_quarantined_total", "reason" => reason.name()).increment(1);
        tracing::warn!(%run, reason = reason.name(), "the run is set aside: a person must decide");
        self.asked.notify_one();
    }

    /// Sets a run aside; the rest goes on.
    pub(crate) async fn set_aside(&self, run: RunId, fence: Option<u64>, reason: Reason, cause: String) {
        tracing::error!(%run, reason = reason.name(), cause, "run set aside");
        let retry_in = if reason == Reason::CrashLoop { ASIDE * 120 } else { ASIDE };
        let aside = SetAside { run, fence, reason, cause: cut(&cause) };
        match self.store.quarantine(aside, retry_in).await {
            Ok(Ok(())) => self.asked_aside(run, reason),
            Ok(Err(refused)) => tracing::warn!(%run, %refused, "the run could not be set aside"),
            Err(error) => tracing::warn!(%run, %error, "the run could not be set aside"),
        }
    }

    pub(crate) fn keep(&self, resident: Resident<P>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT
            && let Some(any) = kept.keys().next().copied()
        {
            kept.remove(&any);
        }
        kept.insert(resident.id(), resident);
    }

    pub(crate) fn take_kept(&self, run: RunId) -> Option<Resident<P>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).remove(&run)
    }
}
