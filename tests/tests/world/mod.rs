//! A small fake world for engine tests: a ledger by step, and steps that behave as they are told.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part")]

use saga_core::store::{MemoryStore, Store};
use saga_core::time::{millis, seconds};
use saga_core::{Done, Engine, Failure, Found, Saga, Settings, Signal, StepCx, StepError, saga, signal, sleep, step};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A world with a ledger by key; each step can be told how to behave.
#[derive(Clone, Default)]
pub struct World(Arc<Mutex<Inside>>);

#[derive(Default)]
struct Inside {
    ledger: BTreeMap<String, u32>,
    sent: Vec<String>,
    script: BTreeMap<&'static str, Vec<Act>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Act {
    Apply,
    Busy,
    Refuse,
    LoseReply,
    LoseRequest,
    Hang,
    Panic,
}

impl World {
    pub fn script(&self, step: &'static str, acts: &[Act]) {
        self.0.lock().unwrap().script.insert(step, acts.iter().rev().copied().collect());
    }

    pub async fn act(&self, step: &'static str, key: &str, effect: i32) -> Result<u64, WorldError> {
        let act = {
            let mut inside = self.0.lock().unwrap();
            inside.sent.push(format!("{step}:{key}"));
            let act = inside.script.get_mut(step).and_then(Vec::pop).unwrap_or(Act::Apply);
            let applies = matches!(act, Act::Apply | Act::LoseReply | Act::Hang | Act::Panic);
            if applies {
                let entry = inside.ledger.entry(step.trim_start_matches("un").to_owned()).or_default();
                *entry = if effect > 0 { 1 } else { 0 };
            }
            act
        };
        match act {
            Act::Apply => Ok(7),
            Act::Busy => Err(WorldError::Busy),
            Act::Refuse => Err(WorldError::Refused),
            Act::LoseReply | Act::LoseRequest => Err(WorldError::Lost),
            Act::Hang => std::future::pending().await,
            Act::Panic => panic!("the step's own fault"),
        }
    }

    pub fn sent(&self) -> Vec<String> {
        self.0.lock().unwrap().sent.iter().map(|line| line.split(':').next().unwrap().to_owned()).collect()
    }

    pub fn effects(&self) -> Vec<String> {
        self.0.lock().unwrap().ledger.iter().filter(|(_, count)| **count > 0).map(|(name, _)| name.clone()).collect()
    }
}

#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum WorldError {
    #[failure(transient)]
    #[error("busy")]
    Busy,
    #[failure(refused, code = "no")]
    #[error("refused")]
    Refused,
    #[failure(unknown)]
    #[error("no reply")]
    Lost,
}

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
