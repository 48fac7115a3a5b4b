//! What the engine costs its store, and what it does when the store fails: counted through a store around the memory store.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod world;

use saga_core::store::{MemoryStore, Page, Refused, Store, StoreFuture, StoredEntry, Write, Written};
use saga_core::{Engine, RunId, RunOutcome, Saga, StepCx, StepError, saga, step};
use saga_faults::before::{Before, Behind, cut_off};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use world::{Decision, World, WorldError, approval, engine_on, patient, settings};

/// Counts, and fails as it is told.
#[derive(Default)]
struct Watched {
    commits: AtomicU32,
    journals_read: AtomicU32,
    unavailable: AtomicU32,
    /// The kind of entry whose append is refused for good.
    refuses: Mutex<Option<&'static str>>,
}

impl Before for Watched {
    fn commit<'a>(
        &'a self,
        store: &'a dyn Store,
        writes: Vec<Write>,
    ) -> StoreFuture<'a, Vec<Result<Written, Refused>>> {
        if self.unavailable.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok() {
            return Box::pin(async { cut_off() });
        }
        let refuses = *self.refuses.lock().unwrap();
        let hit = |write: &Write| match write {
            Write::Append(append) => append.entries.iter().any(|entry| Some(entry.kind) == refuses),
            _ => false,
        };
        if writes.iter().any(hit) {
            return Box::pin(async { Ok(vec![Err(Refused::Rejected("a constraint of its own".to_owned()))]) });
        }
        self.commits.fetch_add(1, Ordering::SeqCst);
        store.commit(writes)
    }

    fn journal(&self, _: RunId, limit: u32, entries: Vec<StoredEntry>) -> Vec<StoredEntry> {
        self.journals_read.fetch_add(u32::from(limit > 1), Ordering::SeqCst);
        entries
    }
}

/// A store in memory that is watched.
fn watched() -> (Arc<dyn Store>, Arc<Watched>) {
    let watched = Arc::new(Watched::default());
    (Arc::new(Behind::new(Arc::new(MemoryStore::default()), watched.clone())), watched)
}

#[step(read_only, idempotent)]
pub async fn look(cx: &StepCx<World>, at: u32) -> Result<u32, WorldError> {
    let _ = cx;
    Ok(at + 1)
}

#[saga(version = 1, owner = "editors")]
pub async fn three(cx: &mut Saga, at: u32) -> Result<u32, StepError<WorldError>> {
    let at = look(cx, at).await?.into_inner();
    let at = look(cx, at).await?.into_inner();
    Ok(look(cx, at).await?.into_inner())
}

async fn engine_of_three(store: &Arc<dyn Store>) -> Engine<World> {
    Engine::builder(store.clone(), World::default()).saga::<three>().settings(settings()).start().await.unwrap()
}

#[tokio::test]
async fn a_run_of_three_steps_takes_four_commits_and_no_read_of_its_journal() {
    let (store, watched) = watched();
    let engine = engine_of_three(&store).await;
    let run = engine.start(three(1)).await.unwrap();
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(4));
    assert_eq!(watched.commits.load(Ordering::SeqCst), 4);
    assert_eq!(watched.journals_read.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_run_that_waits_in_this_process_is_not_read_again() {
    let (store, watched) = watched();
    let world = World::default();
    let engine = engine_on(store.clone(), &world).await;
    let run = engine.start(approval("a".to_owned())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(run.status().await.unwrap().state.name(), "waiting");
    run.send(Decision::Approve).await.unwrap();
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(7));
    assert_eq!(watched.journals_read.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn an_outcome_in_hand_outlives_a_store_that_fails_for_a_while() {
    let (store, watched) = watched();
    let world = World::default();
    let engine = engine_on(store.clone(), &world).await;
    let run = engine.start(approval("a".to_owned())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    run.send(Decision::Approve).await.unwrap();
    watched.unavailable.store(3, Ordering::SeqCst);
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(7));
    assert_eq!(world.sent(), ["reserve", "publish"]);
}

#[tokio::test]
async fn a_write_that_the_store_refuses_for_good_sets_one_run_aside_and_harms_no_other() {
    let (store, watched) = watched();
    let world = World::default();
    let engine = engine_on(store.clone(), &world).await;
    *watched.refuses.lock().unwrap() = Some("wait_started");
    let poison = engine.start(approval("poison".to_owned())).await.unwrap();
    while engine.store().quarantined(Page::first(10)).await.unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let status = poison.status().await.unwrap();
    assert!(status.why.unwrap().contains("a constraint of its own"));
    *watched.refuses.lock().unwrap() = None;
    let good = engine.start(approval("good".to_owned())).await.unwrap();
    good.send(Decision::Approve).await.unwrap();
    assert_eq!(good.outcome().await.unwrap(), RunOutcome::Completed(7));
}

#[tokio::test]
async fn runs_that_are_ready_together_share_commits() {
    let (store, watched) = watched();
    let engine = engine_of_three(&store).await;
    let starts = (0..64).map(|at| {
        let engine = &engine;
        async move { engine.start(three(at)).await.unwrap().outcome().await.unwrap() }
    });
    let outcomes = together(starts.map(Box::pin).collect()).await;
    assert!(outcomes.iter().all(|outcome| matches!(outcome, RunOutcome::Completed(_))));
    let commits = watched.commits.load(Ordering::SeqCst);
    assert!(commits < 64, "64 runs of four commits each took {commits} commits");
}

/// Polls all of them until all are done.
async fn together<F: Future + Unpin>(mut futures: Vec<F>) -> Vec<F::Output> {
    let mut done = Vec::new();
    std::future::poll_fn(move |context| {
        futures.retain_mut(|future| match std::pin::Pin::new(future).poll(context) {
            std::task::Poll::Ready(output) => {
                done.push(output);
                false
            }
            std::task::Poll::Pending => true,
        });
        if futures.is_empty() { std::task::Poll::Ready(std::mem::take(&mut done)) } else { std::task::Poll::Pending }
    })
    .await
}

#[tokio::test]
async fn waiting_runs_cost_a_restart_nothing() {
    let (store, watched) = watched();
    let world = World::default();
    let engine = engine_on(store.clone(), &world).await;
    for number in 0..50 {
        let _ = engine.start(patient(number)).await.unwrap();
    }
    tokio::time::sleep(Duration::from_millis(300)).await;
    engine.stop(Duration::ZERO).await;
    let before = watched.commits.load(Ordering::SeqCst);
    let engine = engine_on(store.clone(), &world).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(watched.journals_read.load(Ordering::SeqCst), 0);
    assert_eq!(watched.commits.load(Ordering::SeqCst), before);
    drop(engine);
}
