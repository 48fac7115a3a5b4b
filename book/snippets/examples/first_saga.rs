//! The book's first saga, run: approved, rejected, and with a reply that is lost.
#![allow(missing_docs)]

use book_snippets::{Decision, Gateway, Publication, Refusal, Submission, Told, approval};
use saga_core::store::MemoryStore;
use saga_core::{Engine, RunOutcome};
use std::error::Error;
use std::sync::Arc;

// ANCHOR: engine
async fn engine(gateway: &Gateway) -> Result<Engine<Gateway>, Box<dyn Error>> {
    let store = Arc::new(MemoryStore::new());
    Ok(Engine::builder(store, gateway.clone()).saga::<approval>().start().await?)
}
// ANCHOR_END: engine

// ANCHOR: approved
async fn approved(engine: &Engine<Gateway>, gateway: &Gateway) -> Result<(), Box<dyn Error>> {
    let submission = Submission { title: "On tides".to_owned() };
    let run = engine.start(approval(submission)).key("tides#1").await?;
    run.send(Decision::Approve).await?;
    assert!(matches!(run.outcome().await?, RunOutcome::Completed(Publication(_))));
    assert_eq!(gateway.sent(), ["reserve", "publish"]);
    Ok(())
}
// ANCHOR_END: approved

// ANCHOR: rejected
async fn rejected(engine: &Engine<Gateway>, gateway: &Gateway) -> Result<(), Box<dyn Error>> {
    let run = engine.start(approval(Submission { title: "On ferns".to_owned() })).await?;
    run.send(Decision::Reject { reason: "needs sources".to_owned() }).await?;
    let refusal = Refusal::Rejected("needs sources".to_owned());
    assert_eq!(run.outcome().await?, RunOutcome::Refused(refusal));
    assert_eq!(gateway.sent(), ["reserve", "release"]);
    assert!(gateway.effects().is_empty());
    Ok(())
}
// ANCHOR_END: rejected

// ANCHOR: lost
async fn reply_lost(engine: &Engine<Gateway>, gateway: &Gateway) -> Result<(), Box<dyn Error>> {
    gateway.tell("publish", &[Told::LoseReply]);
    let run = engine.start(approval(Submission { title: "On moths".to_owned() })).await?;
    run.send(Decision::Approve).await?;
    assert!(matches!(run.outcome().await?, RunOutcome::Completed(_)));
    assert_eq!(gateway.sent(), ["reserve", "publish", "publish"]); // the second one under the same key
    assert_eq!(gateway.effects(), ["reserve", "publish"]); // and one publication
    Ok(())
}
// ANCHOR_END: lost

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let gateway = Gateway::default();
    approved(&engine(&gateway).await?, &gateway).await?;
    let gateway = Gateway::default();
    rejected(&engine(&gateway).await?, &gateway).await?;
    let gateway = Gateway::default();
    reply_lost(&engine(&gateway).await?, &gateway).await
}

#[test]
fn it_runs() -> Result<(), Box<dyn Error>> {
    main()
}
