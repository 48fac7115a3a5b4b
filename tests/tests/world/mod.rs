//! The steps and sagas of the engine tests, in the world that the faults are played in too.
#![allow(dead_code, unused_imports, unreachable_pub, reason = "each test file uses its own part")]

use saga_core::store::{MemoryStore, Store};
use saga_core::time::{millis, seconds};
use saga_core::{Done, Engine, Found, Saga, Settings, Signal, StepCx, StepError, saga, signal, sleep, step};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;

pub use saga_faults::{Act, World, WorldError};

#[step(compensable(undo = unreserve, retry(times = 2, base = "1ms")), idempotent(key), retry(times = 3, base = "1ms"), timeout = "200ms")]
pub async fn reserve(cx: &StepCx<World>, what: &str) -> Result<u64, WorldError> {
    let _ = what;
    cx.env().act("reserve", cx.key(), 1).await
}
pub async fn unreserve(cx: &StepCx<World>, _what: &str, _made: Option<&u64>) -> Result<(), WorldError> {
    assert!(cx.key().ends_with(":undo") && !cx.is_cancelled());
    cx.env().act("unreserve", cx.key(), -1).await.map(drop)
}

#[step(irreversible, verifiable(check = find_published, settle = "1ms"), not_idempotent, retry(times = 2, base = "1ms"), timeout = "200ms")]
pub async fn publish(cx: &StepCx<World>, slot: Done<reserve>) -> Result<u64, WorldError> {
    assert_eq!(*slot, 7);
    cx.env().act("publish", cx.key(), 1).await
}
pub async fn find_published(cx: &StepCx<World>, _slot: Done<reserve>) -> Result<Found<u64>, WorldError> {
    Ok(if cx.env().effects().contains(&"publish".to_owned()) { Found::Applied(7) } else { Found::NotApplied })
}

#[derive(Debug, Serialize, Deserialize, Signal)]
pub enum Decision {
    Approve,
    Reject,
}

#[derive(Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum Refusal {
    #[error("rejected")]
    Rejected,
    #[error("too late")]
    Expired,
    #[error(transparent)]
    World(#[from] StepError<WorldError>),
}

#[saga(version = 1, owner = "editors", deadline = "1h")]
pub async fn approval(cx: &mut Saga, what: String) -> Result<u64, Refusal> {
    let slot = reserve(cx, &what).await?;
    match signal::<Decision>(cx).within(seconds(2)).await {
        Some(Decision::Approve) => {}
        Some(Decision::Reject) => return Err(Refusal::Rejected),
        None => return Err(Refusal::Expired),
    }
    sleep(cx, millis(5)).await;
    Ok(publish(cx, slot).await?.into_inner())
}

/// A run that only waits.
#[saga(version = 1, owner = "editors")]
pub async fn patient(cx: &mut Saga, number: u32) -> Result<u32, StepError<WorldError>> {
    sleep(cx, saga_core::time::days(1)).await;
    Ok(number)
}

pub fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.poll = Duration::from_millis(20);
    settings.lease = Duration::from_millis(600);
    settings.renew = Duration::from_millis(100);
    settings
}

pub async fn engine(world: &World) -> Engine<World> {
    engine_on(Arc::new(MemoryStore::default()), world).await
}

pub async fn engine_on(store: Arc<dyn Store>, world: &World) -> Engine<World> {
    Engine::builder(store, world.clone())
        .saga::<patient>()
        .saga::<approval>()
        .settings(settings())
        .start()
        .await
        .unwrap()
}
