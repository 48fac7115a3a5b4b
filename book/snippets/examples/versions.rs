//! A saga's body changes while a run of the old one is open.
#![allow(missing_docs)]

use book_snippets::{Gateway, GatewayError, settings};
use saga_core::decide::State;
use saga_core::store::MemoryStore;
use saga_core::time::{days, millis};
use saga_core::{BuildError, Engine, Saga, Signal, StepCx, StepError, saga, signal, step};
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::sync::Arc;

#[step(irreversible, idempotent(key))]
pub async fn publish(cx: &StepCx<Gateway>) -> Result<u64, GatewayError> {
    cx.env().apply("publish", cx.key()).await
}

#[step(read_only, idempotent)]
pub async fn proofread(cx: &StepCx<Gateway>) -> Result<u64, GatewayError> {
    cx.env().look("proofread").await
}

#[derive(Serialize, Deserialize, Signal)]
pub struct Go;

#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
#[error(transparent)]
pub struct Refusal(#[from] StepError<GatewayError>);

pub mod first {
    use super::*;

    #[saga(version = 1, owner = "me")]
    pub async fn issue(cx: &mut Saga) -> Result<(), Refusal> {
        let _ = signal::<Go>(cx).within(days(1)).await;
        publish(cx).await?;
        Ok(())
    }
}

// ANCHOR: changed
pub mod changed {
    use super::*;

    #[saga(version = 1, owner = "me")] // the body is another one, the version is not
    pub async fn issue(cx: &mut Saga) -> Result<(), Refusal> {
        let _ = signal::<Go>(cx).within(days(1)).await;
        proofread(cx).await?;
        publish(cx).await?;
        Ok(())
    }
}
// ANCHOR_END: changed

pub mod second {
    use super::*;

    #[saga(version = 2, owner = "me")]
    pub async fn issue(cx: &mut Saga) -> Result<(), Refusal> {
        let _ = signal::<Go>(cx).within(days(1)).await;
        proofread(cx).await?;
        publish(cx).await?;
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (store, gateway) = (Arc::new(MemoryStore::new()), Gateway::default());
    let engine = Engine::builder(store.clone(), gateway.clone()).settings(settings());
    let engine = engine.saga::<first::issue>().start().await?;
    let run = engine.start(first::issue()).await?;
    while run.status().await?.state != State::Waiting {
        tokio::time::sleep(millis(5)).await;
    }
    assert!(engine.stop(millis(100)).await);

    // ANCHOR: refused
    let refused = Engine::builder(store.clone(), gateway.clone()).saga::<changed::issue>().start().await;
    assert!(matches!(refused, Err(BuildError::ChangedDefinition { version: 1, open: 1, .. })));
    // ANCHOR_END: refused

    // ANCHOR: parked
    let newer = Engine::builder(store.clone(), gateway.clone()).settings(settings());
    let newer = newer.saga::<second::issue>().start().await?;
    run.send(Go).await?;
    let why = run.status().await?.why.unwrap_or_default();
    assert!(why.starts_with("no running worker has issue v1 with fingerprint"), "{why}");
    assert!(newer.stop(millis(100)).await);
    // ANCHOR_END: parked

    // ANCHOR: beside
    let both = Engine::builder(store, gateway.clone()).settings(settings());
    let both = both.saga::<first::issue>().saga::<second::issue>().start().await?;
    both.run::<first::issue>(run.run()).await?.outcome().await?;
    assert_eq!(gateway.sent(), ["publish"]); // the open run went on by the body that it began with
    let run = both.start(second::issue()).await?;
    run.send(Go).await?;
    run.outcome().await?;
    assert_eq!(gateway.sent(), ["publish", "proofread", "publish"]);
    // ANCHOR_END: beside
    Ok(())
}

#[test]
fn it_runs() -> Result<(), Box<dyn Error>> {
    main()
}
