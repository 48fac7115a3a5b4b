//! Bad input to the engine and the client: a typed error that says what was expected, and nothing is stored.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod world;

use saga_core::store::{MemoryStore, Page, Refused, RunFilter, Store};
use saga_core::{BuildError, Client, ClientError, Engine, RunId, Settings, journal};
use std::sync::Arc;
use std::time::Duration;
use world::{World, approval, patient};

async fn refused(change: impl FnOnce(&mut Settings)) -> String {
    let mut settings = Settings::default();
    change(&mut settings);
    let builder = Engine::builder(Arc::new(MemoryStore::default()), World::default()).saga::<approval>();
    let error = builder.settings(settings).start().await.unwrap_err();
    assert!(matches!(error, BuildError::Setting { .. }));
    error.to_string()
}

#[tokio::test]
async fn settings_out_of_range_are_refused_with_their_range() {
    assert_eq!(refused(|settings| settings.lease = Duration::from_millis(99)).await, "lease must be 100ms to 24h");
    assert_eq!(refused(|settings| settings.lease = Duration::MAX).await, "lease must be 100ms to 24h");
    assert!(refused(|settings| settings.renew = Duration::ZERO).await.starts_with("renew must be more than zero"));
    assert!(refused(|settings| settings.renew = settings.lease).await.ends_with("at most half of lease"));
    assert!(refused(|settings| settings.poll = Duration::ZERO).await.starts_with("poll must be"));
    assert_eq!(refused(|settings| settings.concurrency = 0).await, "concurrency must be 1 to 100000");
    assert!(refused(|settings| settings.name = "a\0b".to_owned()).await.starts_with("the worker's name must be"));
    assert!(refused(|settings| settings.name = "n".repeat(201)).await.starts_with("the worker's name must be"));
}

#[tokio::test]
async fn a_bad_start_stores_nothing() {
    let store = Arc::new(MemoryStore::default());
    let client = Client::new(store.clone());
    for key in [String::new(), "k".repeat(256), "a\0b".to_owned(), "line\nbreak".to_owned()] {
        let error = client.start(approval("a".to_owned())).key(key).await.unwrap_err();
        let expected = "a key must be 1 to 255 bytes of text without control characters";
        assert_eq!(error.to_string(), expected);
    }
    let error = client.start(approval("x".repeat(2 << 20))).await.unwrap_err();
    assert!(matches!(error, ClientError::Inputs(_)) && error.to_string().contains("the limit is 1048576"), "{error}");
    assert!(store.list(RunFilter::default(), Page::first(10)).await.unwrap().is_empty());
    client.start(approval("k".repeat(255))).key("k".repeat(255)).await.unwrap();
}

#[tokio::test]
async fn requests_to_the_wrong_run_say_so() {
    let client = Client::new(Arc::new(MemoryStore::default()));
    let nobody = RunId::fresh();
    assert_eq!(client.run::<approval>(nobody).await.unwrap_err().to_string(), format!("there is no run {nobody}"));
    assert!(client.find::<approval>("nobody").await.unwrap().is_none());
    let run = client.start(patient(1)).key("p").await.unwrap();
    let error = client.run::<approval>(run.run()).await.unwrap_err();
    assert_eq!(error.to_string(), format!("run {} is a run of `patient`, not of `approval`", run.run()));
    let error = client.start(approval("a".to_owned())).key("p").await.unwrap_err();
    assert!(matches!(error, ClientError::Refused(Refused::KeyTaken { other: "saga", .. })), "{error}");
    let error = client.decide(run.run(), 1, journal::Decision::Retry, "anna", "").await.unwrap_err();
    assert_eq!(error.to_string(), format!("review 1 of run {} is not open", run.run()));
    let error = run.cancel("anna", &"why ".repeat(3_000)).await.unwrap_err();
    assert!(error.to_string().ends_with("the limit is 8192"), "{error}");
    assert!(run.cancel("", "why").await.unwrap_err().to_string().starts_with("the sender must be"));
}

mod copied {
    use super::world::WorldError;
    use saga_core::{Saga, StepError, saga};
    #[saga(version = 1, owner = "editors")]
    pub async fn patient(cx: &mut Saga, number: u32) -> Result<u32, StepError<WorldError>> {
        saga_core::sleep(cx, saga_core::time::days(2)).await;
        Ok(number + 1)
    }
}

#[tokio::test]
async fn two_sagas_of_one_name_version_and_shape_are_not_mistaken_for_one() {
    let builder = Engine::builder(Arc::new(MemoryStore::default()), ()).saga::<patient>().saga::<copied::patient>();
    assert!(matches!(builder.start().await.unwrap_err(), BuildError::RegisteredTwice { saga: "patient", version: 1 }));
}

#[saga_core::saga(version = 1, owner = "editors")]
pub async fn drawer(cx: &mut saga_core::Saga, many: u32) -> Result<u32, saga_core::StepError<world::WorldError>> {
    let slot = world::reserve(cx, "a").await?.into_inner();
    for _ in 0..many {
        let _ = saga_core::new_uuid(cx).await;
    }
    let again = world::reserve(cx, "b").await?.into_inner();
    Ok(u32::try_from(slot + again).unwrap())
}

#[tokio::test]
async fn more_entries_than_one_append_may_hold_are_written_in_several() {
    let world = World::default();
    let engine =
        Engine::builder(Arc::new(MemoryStore::default()), world.clone()).saga::<drawer>().start().await.unwrap();
    let run = engine.start(drawer(3_000)).await.unwrap();
    assert_eq!(run.outcome().await.unwrap(), saga_core::RunOutcome::Completed(14));
    assert_eq!(world.sent(), ["reserve", "reserve"]);
}

#[saga_core::step(compensable(undo = unweigh), idempotent, retry(times = 2, base = "1ms"))]
pub async fn weigh(cx: &saga_core::StepCx<World>) -> Result<f64, world::WorldError> {
    cx.env().act("weigh", cx.key(), 1).await.map(|_| f64::NAN)
}
pub async fn unweigh(cx: &saga_core::StepCx<World>, made: Option<&f64>) -> Result<(), world::WorldError> {
    assert!(made.is_none());
    cx.env().act("unweigh", cx.key(), -1).await.map(drop)
}

#[saga_core::saga(version = 1, owner = "editors")]
pub async fn weighing(cx: &mut saga_core::Saga, least: f64) -> Result<f64, saga_core::StepError<world::WorldError>> {
    Ok(weigh(cx).await?.max(least))
}

#[tokio::test]
async fn what_would_not_survive_the_journal_is_refused_before_it_is_relied_on() {
    let world = World::default();
    let engine =
        Engine::builder(Arc::new(MemoryStore::default()), world.clone()).saga::<weighing>().start().await.unwrap();
    let error = engine.start(weighing(f64::NAN)).await.unwrap_err();
    assert!(matches!(error, ClientError::Unreadable(_)), "{error}");
    let run = engine.start(weighing(1.0)).await.unwrap();
    let outcome = run.outcome().await.unwrap();
    assert!(matches!(outcome, saga_core::RunOutcome::Refused(saga_core::StepError::Unanswered(_))), "{outcome:?}");
    assert!(world.effects().is_empty());
}

pub struct Bomb;
impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("a value of the body that panics when it is dropped");
        }
    }
}

#[saga_core::saga(version = 1, owner = "editors")]
pub async fn bombed(cx: &mut saga_core::Saga) -> Result<u32, saga_core::StepError<world::WorldError>> {
    let _bomb = Bomb;
    saga_core::sleep(cx, saga_core::time::days(1)).await;
    Ok(1)
}

#[tokio::test]
async fn a_body_that_panics_when_it_is_dropped_holds_up_no_stop() {
    let engine = Engine::builder(Arc::new(MemoryStore::default()), ()).saga::<bombed>().start().await.unwrap();
    let run = engine.start(bombed()).await.unwrap();
    run.cancel("anna", "done").await.unwrap();
    assert!(matches!(run.outcome().await.unwrap(), saga_core::RunOutcome::Cancelled(_)));
    assert!(engine.stop(Duration::from_secs(1)).await);
}
