//! What people and programs do with the workflow: submit, decide, ask, cancel, settle reviews, work.
//!
//! Decides commands and their words. All but `work` need only the store, so they run in any process.

use crate::gateway::Gateway;
use crate::model::Submission;
use crate::workflow::{Decision, approval};
use saga_core::journal;
use saga_core::store::{Page, Store};
use saga_core::{CancelAnswer, Client, Engine, Handle, RunId, Settings};
use saga_sqlite::SqliteStore;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// What can go wrong at the desk, in words.
pub type DeskResult<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// The desk of one store.
#[derive(Debug, Clone)]
pub struct Desk {
    client: Client,
}

impl Desk {
    /// Opens the store; the file is made if it is not there.
    ///
    /// # Errors
    /// When the file is no store of ours, or cannot be opened.
    pub fn open(store: &Path) -> DeskResult<Desk> {
        Ok(Desk { client: Client::new(Arc::new(SqliteStore::open(store)?)) })
    }

    /// The client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Starts the approval of a submission; the same submission twice is one run.
    ///
    /// # Errors
    /// When the submission makes no sense, or another text was submitted under the same revision.
    pub async fn submit(&self, submission: Submission, patience: Duration) -> DeskResult<Handle<approval>> {
        submission.check()?;
        let key = format!("{}#{}", submission.id, submission.revision);
        Ok(self.client.start(approval(submission, patience)).key(key).await?)
    }

    /// The run with this key (`id#revision`).
    ///
    /// # Errors
    /// When there is none.
    pub async fn find(&self, key: &str) -> DeskResult<Handle<approval>> {
        let found = self.client.find(key).await?;
        Ok(found.ok_or_else(|| format!("no submission `{key}`: the key is ID#REVISION, as `submit` printed it"))?)
    }

    /// Sends an editor's decision.
    ///
    /// # Errors
    /// When there is no such run, or it is over.
    pub async fn decide(&self, key: &str, decision: Decision) -> DeskResult<()> {
        Ok(self.find(key).await?.send(decision).await?)
    }

    /// Where a submission is and why it is not moving, and a line for each step.
    ///
    /// # Errors
    /// When there is no such run.
    pub async fn status(&self, key: &str) -> DeskResult<String> {
        let run = self.find(key).await?;
        let mut text = run.status().await?.to_string();
        for step in run.steps().await? {
            let (forward, check, undo) = step.attempts;
            text.push_str(&format!(
                "\n  {} {}: {} (attempted {forward}, looked up {check}, undone {undo} times)",
                step.call, step.step, step.state
            ));
            if let Some(last) = step.last {
                text.push_str(&format!("; last failure: {}", last.message));
            }
        }
        Ok(text)
    }

    /// Cancels, and says in words what that did.
    ///
    /// # Errors
    /// When there is no such run.
    pub async fn cancel(&self, key: &str, by: &str, reason: &str) -> DeskResult<String> {
        Ok(match self.find(key).await?.cancel(by, reason).await? {
            CancelAnswer::Accepted => "accepted: what was done will be undone".to_owned(),
            CancelAnswer::AlreadyUnwinding => "not needed: it is being undone already".to_owned(),
            CancelAnswer::PastPivot => "too late: it is published, or may be".to_owned(),
            CancelAnswer::AlreadyEnded(state) => format!("too late: it is already {state}"),
        })
    }

    /// The questions that wait for a person, a paragraph each: owner, both causes, and what may be done.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn reviews(&self) -> DeskResult<Vec<String>> {
        let open = self.client.reviews(Page::first(100)).await?;
        Ok(open.iter().map(review).collect())
    }

    /// Settles a question.
    ///
    /// # Errors
    /// When it is not open, or another decision is on its way.
    pub async fn settle(
        &self,
        run: RunId,
        number: u32,
        decision: journal::Decision,
        by: &str,
        note: &str,
    ) -> DeskResult<()> {
        Ok(self.client.decide(run, number, decision, by, note).await?)
    }
}

fn review(row: &saga_core::store::ReviewRow) -> String {
    let step = row.step.as_deref().unwrap_or("the run");
    let first = row.first.as_ref().map(|first| format!("\n    it began with: {}", first.message)).unwrap_or_default();
    let actions: Vec<String> = row.actions.iter().map(|action| format!("{action:?}")).collect();
    format!(
        "review {} of run {}: {} must decide about {step} ({})\n    last answer: {}{first}\n    may be done: {}",
        row.review,
        row.run,
        row.owner,
        row.reason.name(),
        row.last.message,
        actions.join(", ")
    )
}

/// Works until the process is asked to stop (SIGTERM, Ctrl-C); then hands its runs over.
///
/// # Errors
/// When the store or the gateway's address is not usable.
pub async fn work(store: PathBuf, gateway: &str, lease: Duration, name: String) -> DeskResult<()> {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(store)?);
    let gateway = Gateway::at(gateway)?.with_timeout(Duration::from_millis(1_500));
    let mut settings = Settings::default();
    settings.name = name;
    settings.lease = lease;
    settings.renew = lease / 4;
    settings.poll = Duration::from_millis(50);
    let engine = Engine::builder(store, gateway).saga::<approval>().settings(settings).start().await?;
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    tokio::select! {
        _ = terminate.recv() => {}
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    engine.stop(Duration::from_secs(5)).await;
    Ok(())
}
