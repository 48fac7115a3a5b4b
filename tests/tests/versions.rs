//! Versions, fingerprints, deadlines, signals, drawn values and environments: what a run keeps over restarts and deploys.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod world;

use saga_core::store::MemoryStore;
use saga_core::time::{millis, seconds};
use saga_core::{
    Awaits, BuildError, Client, Engine, Environment, RunOutcome, Saga, SagaType, Signal, StepCx, StepError, saga,
    signal, step,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use world::{Act, World, WorldError, reserve, settings};

#[derive(Debug, Serialize, Deserialize, Signal)]
pub struct Note(u32);

mod first {
    use super::*;
    #[saga(version = 1, owner = "editors")]
    pub async fn letters(cx: &mut Saga) -> Result<Vec<u32>, StepError<WorldError>> {
        let mut seen = Vec::new();
        for _ in 0..3 {
            if let Some(Note(number)) = signal::<Note>(cx).within(seconds(60)).await {
                seen.push(number);
            }
        }
        Ok(seen)
    }
}

mod changed {
    use super::*;
    #[saga(version = 1, owner = "editors")]
    pub async fn letters(cx: &mut Saga) -> Result<Vec<u32>, StepError<WorldError>> {
        let Some(Note(number)) = signal::<Note>(cx).within(seconds(60)).await else { return Ok(Vec::new()) };
        Ok(vec![number])
    }
}

mod second {
    use super::*;
    #[saga(version = 2, owner = "editors")]
    pub async fn letters(cx: &mut Saga) -> Result<Vec<u32>, StepError<WorldError>> {
        let Some(Note(number)) = signal::<Note>(cx).within(seconds(60)).await else { return Ok(Vec::new()) };
        Ok(vec![number])
    }
}

#[tokio::test]
async fn a_changed_body_under_an_unchanged_version_is_refused_while_runs_are_open() {
    let store = Arc::new(MemoryStore::default());
    let client = Client::new(store.clone());
    let run = client.start(first::letters()).await.unwrap();
    let refused = Engine::builder(store.clone(), ()).saga::<changed::letters>().start().await.unwrap_err();
    assert!(matches!(refused, BuildError::ChangedDefinition { version: 1, open: 1, .. }), "{refused}");
    // Side by side with its successor it goes on, and takes up the signals that came meanwhile.
    for number in [1, 2, 3] {
        run.send(Note(number)).await.unwrap();
    }
    let only_new =
        Engine::builder(store.clone(), ()).saga::<second::letters>().settings(settings()).start().await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    let status = run.status().await.unwrap();
    assert!(status.why.as_ref().unwrap().starts_with("no running worker has letters v1"), "{status}");
    only_new.stop(Duration::ZERO).await;
    let both = Engine::builder(store, ())
        .saga::<second::letters>()
        .saga::<first::letters>()
        .settings(settings())
        .start()
        .await
        .unwrap();
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(vec![1, 2, 3]));
    let new = both.start(second::letters()).await.unwrap();
    new.send(Note(9)).await.unwrap();
    assert_eq!(new.outcome().await.unwrap(), RunOutcome::Completed(vec![9]));
    assert!(
        Engine::builder(Arc::new(MemoryStore::default()), ())
            .saga::<first::letters>()
            .saga::<changed::letters>()
            .start()
            .await
            .is_err()
    );
}

#[tokio::test]
async fn signals_that_no_wait_took_up_are_counted_and_the_sender_of_a_late_one_is_told() {
    let store = Arc::new(MemoryStore::default());
    let client = Client::new(store.clone());
    let run = client.start(second::letters()).await.unwrap();
    for number in [1, 2, 3] {
        run.send(Note(number)).await.unwrap();
    }
    run.send_once("n", Note(4)).await.unwrap();
    run.send_once("n", Note(4)).await.unwrap();
    let _engine = Engine::builder(store, ()).saga::<second::letters>().settings(settings()).start().await.unwrap();
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(vec![1]));
    let status = run.status().await.unwrap();
    assert_eq!(status.unconsumed_signals, 3, "{status}");
    let late = run.send(Note(5)).await.unwrap_err().to_string();
    assert!(late.ends_with("is already completed"), "{late}");
}

#[saga(version = 1, owner = "editors", deadline = "300ms")]
pub async fn hurried(cx: &mut Saga) -> Result<u32, StepError<WorldError>> {
    let _slot = reserve(cx, "a").await?;
    let _: Note = signal::<Note>(cx).forever().await;
    Ok(1)
}

#[tokio::test]
async fn a_deadline_ends_forward_work_and_undoes_it() {
    let world = World::default();
    let engine = Engine::builder(Arc::new(MemoryStore::default()), world.clone())
        .saga::<hurried>()
        .settings(settings())
        .start()
        .await
        .unwrap();
    let run = engine.start(hurried()).await.unwrap();
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Cancelled("the saga's deadline passed".to_owned()));
    assert_eq!(world.sent(), ["reserve", "unreserve"]);
}

#[derive(Clone, Environment)]
pub struct Whole {
    world: World,
    mailer: Mailer,
}
#[derive(Clone, Default)]
pub struct Mailer(Arc<std::sync::Mutex<Vec<String>>>);

#[step(irreversible, idempotent(key), retriable)]
pub async fn mail(cx: &StepCx<Mailer>, text: &str) -> Result<(), WorldError> {
    cx.env().0.lock().unwrap().push(format!("{} {text}", cx.key()));
    Ok(())
}

#[saga(version = 1, owner = "editors")]
pub async fn stamped(cx: &mut Saga) -> Result<(i64, uuid::Uuid), StepError<WorldError>> {
    let at = saga_core::now(cx).await;
    let id = saga_core::new_uuid(cx).await;
    let _slot = reserve(cx, "a").await?;
    saga_core::sleep(cx, millis(1_200)).await;
    mail(cx, &format!("{} {id}", at.0)).await?;
    Ok((at.0, id))
}

#[tokio::test]
async fn what_was_drawn_is_the_same_after_a_restart_and_each_step_has_its_environment() {
    let store = Arc::new(MemoryStore::default());
    let whole = Whole { world: World::default(), mailer: Mailer::default() };
    let start = || Engine::builder(store.clone(), whole.clone()).saga::<stamped>().settings(settings()).start();
    let engine = start().await.unwrap();
    let run = engine.start(stamped()).await.unwrap().run();
    tokio::time::sleep(Duration::from_millis(200)).await;
    engine.stop(Duration::ZERO).await;
    drop(engine);
    let engine = start().await.unwrap();
    let run = engine.run::<stamped>(run).await.unwrap();
    let RunOutcome::Completed((at, id)) = run.outcome().await.unwrap() else { panic!("{run:?}") };
    assert_eq!(*whole.mailer.0.lock().unwrap(), [format!("{}:4:mail {at} {id}", run.run())]);
    assert_eq!(whole.world.sent(), ["reserve"]);
}

#[tokio::test]
async fn a_panicking_worker_world_is_an_unknown_outcome_and_nothing_else_stops() {
    let world = World::default();
    world.script("reserve", &[Act::Panic, Act::Panic, Act::Panic]);
    let engine = Engine::builder(Arc::new(MemoryStore::default()), world.clone())
        .saga::<hurried>()
        .settings(settings())
        .start()
        .await
        .unwrap();
    let run = engine.start(hurried()).await.unwrap();
    assert!(matches!(run.outcome().await.unwrap(), RunOutcome::Refused(StepError::Unanswered(_))));
    assert!(world.effects().is_empty());
}

#[test]
fn a_definition_says_what_it_waits_for() {
    fn waits<S: Awaits<Note>>() -> Vec<&'static str> {
        S::DEFINITION.signals()
    }
    assert_eq!(waits::<first::letters>(), ["Note"]);
    assert_ne!(first::letters::DEFINITION.fingerprint(), changed::letters::DEFINITION.fingerprint());
    assert_eq!(second::letters::DEFINITION.fingerprint(), changed::letters::DEFINITION.fingerprint());
}

#[step(compensable(undo = uncharge), idempotent(key), redact(card, output))]
pub async fn charge(cx: &StepCx<World>, card: &str, amount: u64) -> Result<String, WorldError> {
    let _ = amount;
    cx.env().act("charge", cx.key(), 1).await.map(|_| format!("receipt of {card}"))
}
pub async fn uncharge(cx: &StepCx<World>, _card: &str, _amount: u64, _made: Option<&String>) -> Result<(), WorldError> {
    cx.env().act("uncharge", cx.key(), -1).await.map(drop)
}

#[saga(version = 1, owner = "tills")]
pub async fn sale(cx: &mut Saga, card: String) -> Result<String, StepError<WorldError>> {
    Ok(charge(cx, &card, 18_446_744_073_709_551_615).await?.into_inner())
}

#[tokio::test]
async fn what_is_redacted_is_masked_for_people_and_numbers_keep_their_digits() {
    let engine =
        Engine::builder(Arc::new(MemoryStore::default()), World::default()).saga::<sale>().start().await.unwrap();
    let run = engine.start(sale("4242".to_owned())).await.unwrap();
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed("receipt of 4242".to_owned()));
    let step = run.steps().await.unwrap().remove(0);
    let shown = [("amount", "18446744073709551615"), ("card", "[redacted]")];
    assert_eq!(step.inputs, shown.map(|(name, text)| (name.to_owned(), text.to_owned())));
    assert_eq!((step.output.as_deref(), step.state), (Some("[redacted]"), "applied"));
}
