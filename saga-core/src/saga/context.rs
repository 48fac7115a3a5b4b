//! What a step's function is given: its environment, its key, its limits and its fence.

use crate::run::{CallNumber, RunId};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// The context of one attempt of a step with environment `E`.
pub struct StepCx<E = ()> {
    pub(crate) env: Arc<dyn EnvironmentOf<E>>,
    pub(crate) attempt: AttemptCx,
}

/// Hands out a borrowed environment; hides the type of the whole.
pub(crate) trait EnvironmentOf<E>: Send + Sync {
    fn get(&self) -> &E;
}

/// The part of the context that does not depend on the environment.
#[derive(Debug, Clone)]
pub(crate) struct AttemptCx {
    pub(crate) run: RunId,
    pub(crate) call: CallNumber,
    pub(crate) key: String,
    pub(crate) effect_key: String,
    pub(crate) attempt: u32,
    pub(crate) fence: Fence,
    pub(crate) deadline: Instant,
    pub(crate) cancelled: watch::Receiver<bool>,
    pub(crate) span: tracing::Span,
}

/// Who may still act for a run. Hand it to the other side, so that late work of a worker that lost the run can be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    /// Raised by every claim of the run: a larger epoch supersedes a smaller one.
    pub epoch: u64,
    /// When this worker's lease ends unless it is renewed.
    pub deadline: std::time::Instant,
}

impl<E> StepCx<E> {
    /// The step's environment.
    pub fn env(&self) -> &E {
        self.env.get()
    }

    /// The idempotency key of this call: `run:call:step`, the same for all attempts, restarts and workers; an undo has its own.
    pub fn key(&self) -> &str {
        &self.attempt.key
    }

    /// The key under which the effect itself was sent: in an undo or a check, the key to name the effect by. In the step
    /// itself it is [`StepCx::key`].
    pub fn effect_key(&self) -> &str {
        &self.attempt.effect_key
    }

    /// The run.
    pub fn run(&self) -> RunId {
        self.attempt.run
    }

    /// The call's number in its run.
    pub fn call(&self) -> CallNumber {
        self.attempt.call
    }

    /// Which attempt this is: 1 for the first.
    pub fn attempt(&self) -> u32 {
        self.attempt.attempt
    }

    /// The fence of this attempt.
    pub fn fence(&self) -> Fence {
        self.attempt.fence
    }

    /// How long this attempt may still take before its outcome counts as unknown.
    pub fn time_left(&self) -> Duration {
        self.attempt.deadline.saturating_duration_since(Instant::now())
    }

    /// Whether a cancel of the run was accepted. Never true in an undo: a cancel cannot reach it.
    pub fn is_cancelled(&self) -> bool {
        *self.attempt.cancelled.borrow()
    }

    /// Waits until a cancel of the run is accepted; for ever if there is none.
    pub async fn cancelled(&self) {
        let mut cancelled = self.attempt.cancelled.clone();
        if cancelled.wait_for(|cancelled| *cancelled).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// The span of this attempt, with run, step and attempt as fields.
    pub fn span(&self) -> &tracing::Span {
        &self.attempt.span
    }
}

impl<E> fmt::Debug for StepCx<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StepCx").field("key", &self.attempt.key).field("attempt", &self.attempt.attempt).finish()
    }
}
