//! Where a run is and why it is not moving, in words: from its head, the time, and who is there to work on it.

use super::client::ClientError;
use crate::decide::State;
use crate::run::{RunId, Timestamp};
use crate::store::{RunRow, Store, rules};
use std::fmt;

/// The state of a run, for people and programs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Status {
    /// The run.
    pub run: RunId,
    /// Its key.
    pub key: String,
    /// Its saga.
    pub saga: String,
    /// Its version.
    pub version: u32,
    /// Its state.
    pub state: State,
    /// The step it is at.
    pub step: Option<String>,
    /// Why it is not moving; of an ended run, nothing.
    pub why: Option<String>,
    /// The last error; of an unwound run, why it was unwound.
    pub error: Option<String>,
    /// Until when the reason holds by itself.
    pub until: Option<Timestamp>,
    /// Whether it can still be cancelled.
    pub cancellable: bool,
    /// Whether a cancel was accepted.
    pub cancel_requested: bool,
    /// Signals that no wait has taken up.
    pub unconsumed_signals: u64,
    /// When it was created.
    pub created: Timestamp,
    /// When its last entry was written.
    pub updated: Timestamp,
}

impl Status {
    /// The status that a head gives.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn of(store: &dyn Store, row: RunRow) -> Result<Status, ClientError> {
        let outside = outside(store, &row).await?;
        let rests_by_itself = outside.is_none() && row.worker.is_none() && !row.state.is_terminal();
        let why = outside.or_else(|| row.why.clone().filter(|_| !row.state.is_terminal()));
        let unwinding = row.state == State::Unwinding;
        Ok(Status {
            run: row.run,
            key: row.key,
            saga: row.definition.saga,
            version: row.definition.version,
            state: row.state,
            step: row.step,
            why,
            error: row.error,
            until: row.due.filter(|_| rests_by_itself),
            cancellable: !row.state.is_terminal() && !unwinding && !row.past_pivot && !row.cancel_requested,
            cancel_requested: row.cancel_requested,
            unconsumed_signals: row.unconsumed_signals,
            created: row.created,
            updated: row.updated,
        })
    }
}

/// Reasons that lie outside the run: it is set aside, or nobody is there to work on it.
async fn outside(store: &dyn Store, row: &RunRow) -> Result<Option<String>, ClientError> {
    if row.state.is_terminal() {
        return Ok(None);
    }
    if let Some(cause) = &row.quarantined {
        return Ok(Some(format!("set aside: {cause}")));
    }
    let now = store.now().await?;
    if row.due.is_none_or(|due| due > now) {
        return Ok(None);
    }
    let workers = store.workers().await?;
    let definition = &row.definition;
    if workers.is_empty() {
        return Ok(Some("no worker is running".to_owned()));
    }
    if !workers.iter().any(|worker| worker.definitions.contains(definition)) {
        return Ok(Some(rules::definition_missing(definition)));
    }
    Ok(Some(match &row.worker {
        Some(worker) => format!("its worker {worker} is gone; another one takes over"),
        None => "waits for a worker that has room".to_owned(),
    }))
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} v{}): {}", self.run, self.saga, self.version, self.state)?;
        if let Some(why) = &self.why {
            write!(f, ", {why}")?;
        }
        if let Some(error) =
            self.error.as_ref().filter(|error| self.why.as_ref().is_none_or(|why| !why.contains(*error)))
        {
            write!(f, "; {error}")?;
        }
        if self.cancel_requested && !self.state.is_terminal() {
            f.write_str("; a cancel was accepted")?;
        }
        if let Some(until) = self.until {
            write!(f, " (until {until})")?;
        }
        if self.unconsumed_signals > 0 && self.state.is_terminal() {
            write!(f, "; {} signals were never taken up", self.unconsumed_signals)?;
        }
        Ok(())
    }
}
