//! Ways to end early: a cancel, a deadline, and the stop of a worker, which ends no run.
#![allow(missing_docs)]

use book_snippets::{Gateway, GatewayError, Told, settings};
use saga_core::decide::State;
use saga_core::store::MemoryStore;
use saga_core::time::{days, millis, seconds};
use saga_core::{CancelAnswer, Engine, Handle, RunOutcome, Saga, SagaType, StepCx, StepError, saga, sleep, step};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::sync::Arc;

#[step(compensable(undo = release), idempotent(key), retry(times = 3, base = "1ms"))]
pub async fn reserve(cx: &StepCx<Gateway>) -> Result<u64, GatewayError> {
    cx.env().apply("reserve", cx.key()).await
}

pub async fn release(cx: &StepCx<Gateway>, _made: Option<&u64>) -> Result<(), GatewayError> {
    assert!(!cx.is_cancelled(), "a cancel cannot reach an undo");
    cx.env().take_back("release", cx.effect_key()).await
}

#[step(irreversible, idempotent(key))]
pub async fn publish(cx: &StepCx<Gateway>) -> Result<u64, GatewayError> {
    cx.env().apply("publish", cx.key()).await
}

#[derive(Debug, thiserror::Error, Serialize, Deserialize, PartialEq)]
#[error(transparent)]
pub struct Refusal(#[from] StepError<GatewayError>);

#[saga(version = 1, owner = "me", deadline = "30d")]
pub async fn slow(cx: &mut Saga) -> Result<(), Refusal> {
    reserve(cx).await?;
    sleep(cx, days(1)).await;
    Ok(())
}

#[saga(version = 1, owner = "me")]
pub async fn published(cx: &mut Saga) -> Result<(), Refusal> {
    publish(cx).await?;
    sleep(cx, millis(800)).await;
    Ok(())
}

// ANCHOR: deadline
#[saga(version = 1, owner = "me", deadline = "50ms")]
pub async fn late(cx: &mut Saga) -> Result<(), Refusal> {
    reserve(cx).await?;
    sleep(cx, days(1)).await;
    Ok(())
}
// ANCHOR_END: deadline

async fn start(store: &MemoryStore, gateway: &Gateway) -> Result<Engine<Gateway>, Box<dyn Error>> {
    let engine = Engine::builder(Arc::new(store.clone()), gateway.clone());
    Ok(engine.saga::<slow>().saga::<published>().saga::<late>().settings(settings()).start().await?)
}

async fn until<S: SagaType>(run: &Handle<S>, state: State) -> Result<(), Box<dyn Error>> {
    while run.status().await?.state != state {
        tokio::time::sleep(millis(5)).await;
    }
    Ok(())
}

async fn cancelled(engine: &Engine<Gateway>, gateway: &Gateway) -> Result<(), Box<dyn Error>> {
    // ANCHOR: cancel
    let run = engine.start(slow()).await?;
    until(&run, State::Waiting).await?;
    assert_eq!(run.cancel("anna", "no longer needed").await?, CancelAnswer::Accepted);
    let outcome = run.outcome().await?;
    assert_eq!(outcome, RunOutcome::Cancelled("cancelled by anna: no longer needed".to_owned()));
    assert_eq!(run.cancel("anna", "again").await?, CancelAnswer::AlreadyEnded(State::Cancelled));
    assert!(gateway.effects().is_empty());

    let run = engine.start(published()).await?;
    until(&run, State::Waiting).await?;
    assert_eq!(run.cancel("anna", "too late").await?, CancelAnswer::PastPivot);
    assert_eq!(run.outcome().await?, RunOutcome::Completed(()));
    // ANCHOR_END: cancel

    gateway.tell("release", &[Told::Hang]);
    let run = engine.start(slow()).await?;
    until(&run, State::Waiting).await?;
    assert_eq!(run.cancel("anna", "no longer needed").await?, CancelAnswer::Accepted);
    until(&run, State::Unwinding).await?;
    assert_eq!(run.cancel("ben", "me too").await?, CancelAnswer::AlreadyUnwinding);
    Ok(())
}

async fn over_the_deadline(engine: &Engine<Gateway>) -> Result<(), Box<dyn Error>> {
    let run = engine.start(late()).await?;
    assert_eq!(run.outcome().await?, RunOutcome::Cancelled("the saga's deadline passed".to_owned()));
    Ok(())
}

async fn handed_over() -> Result<(), Box<dyn Error>> {
    let (store, gateway) = (MemoryStore::new(), Gateway::default());
    gateway.tell("publish", &[Told::Hang]);
    // ANCHOR: stop
    let first = start(&store, &gateway).await?;
    let run = first.start(published()).await?;
    while gateway.sent().is_empty() {
        tokio::time::sleep(millis(5)).await;
    }
    assert!(first.stop(millis(20)).await); // the attempt is given up after 20 ms, and the run handed over

    let second = start(&store, &gateway).await?;
    let run = second.run::<published>(run.run()).await?;
    assert_eq!(run.outcome().await?, RunOutcome::Completed(()));
    assert_eq!(gateway.sent(), ["publish", "publish"]); // again, under the same key
    // ANCHOR_END: stop
    assert_eq!(gateway.effects(), ["publish"]);
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (store, gateway) = (MemoryStore::new(), Gateway::default());
    let engine = start(&store, &gateway).await?;
    over_the_deadline(&engine).await?;
    tokio::time::timeout(seconds(20), cancelled(&engine, &gateway)).await??;
    handed_over().await
}

#[test]
fn it_runs() -> Result<(), Box<dyn Error>> {
    main()
}
