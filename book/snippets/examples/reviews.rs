//! An undo fails, a person is asked, and the person decides.
#![allow(missing_docs)]

use book_snippets::{Gateway, GatewayError, Told, settings, until_it_rests};
use saga_core::journal::{Action, Decision, Reason};
use saga_core::store::{MemoryStore, Page};
use saga_core::{Engine, Notice, Notifier, NotifyError, RunOutcome, Saga, StepCx, StepError, saga, step};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::sync::Arc;

#[step(compensable(undo = release, retry(times = 2, base = "1ms")), idempotent(key))]
pub async fn reserve(cx: &StepCx<Gateway>) -> Result<u64, GatewayError> {
    cx.env().apply("reserve", cx.key()).await
}

pub async fn release(cx: &StepCx<Gateway>, _made: Option<&u64>) -> Result<(), GatewayError> {
    cx.env().take_back("release", cx.effect_key()).await
}

#[derive(Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum Refusal {
    #[error("nobody wants it any more")]
    NotWanted,
    #[error(transparent)]
    Gateway(#[from] StepError<GatewayError>),
}

#[saga(version = 1, owner = "editors")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    reserve(cx).await?;
    Err(Refusal::NotWanted)
}

// ANCHOR: notifier
#[derive(Clone)]
struct Desk(tokio::sync::mpsc::UnboundedSender<String>);

impl Notifier for Desk {
    async fn notify(&self, notice: &Notice) -> Result<(), NotifyError> {
        let question = format!("{}, {} of {}: {}", notice.owner, notice.review, notice.saga, notice.reason.name());
        Ok(self.0.send(question)?) // an error means: nobody was told, try again later
    }
}
// ANCHOR_END: notifier

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let gateway = Gateway::default();
    gateway.tell("release", &[Told::Busy, Told::Busy]);
    let store = Arc::new(MemoryStore::new());
    let (sender, mut told) = tokio::sync::mpsc::unbounded_channel();
    let engine = Engine::builder(store, gateway.clone()).saga::<order>().settings(settings());
    // ANCHOR: notify
    let engine = engine.notify(Desk(sender)).start().await?;
    // ANCHOR_END: notify
    let run = engine.start(order()).await?;

    // ANCHOR: asked
    let status = until_it_rests(&run).await?;
    assert_eq!(status.why.as_deref(), Some("editors must decide: undo_failed: the gateway is busy"));
    let review = engine.reviews(Page::first(10)).await?.pop().ok_or("a review is open")?;
    assert_eq!((review.reason, review.step.as_deref()), (Reason::UndoFailed, Some("reserve")));
    // Both causes: the last answer of the undo, and what the unwind began with.
    assert_eq!(review.last.message, "the gateway is busy");
    assert_eq!(review.first.ok_or("the unwind has a cause")?.message, "nobody wants it any more");
    assert_eq!(review.actions, [Action::Retry, Action::MarkUndone, Action::Escalate, Action::Abandon]);
    // ANCHOR_END: asked

    // ANCHOR: told
    assert_eq!(told.recv().await.as_deref(), Some("editors, 1 of order: undo_failed"));
    // ANCHOR_END: told

    // ANCHOR: decided
    engine.decide(run.run(), review.review, Decision::Retry, "anna", "the gateway is up again").await?;
    assert_eq!(run.outcome().await?, RunOutcome::Refused(Refusal::NotWanted));
    assert!(gateway.effects().is_empty());
    // ANCHOR_END: decided
    Ok(())
}

#[test]
fn it_runs() -> Result<(), Box<dyn Error>> {
    main()
}
