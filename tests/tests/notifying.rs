//! The owner of a question is told: also after a crash, also when telling fails for a while, and no run waits for it.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod world;

use saga_core::store::MemoryStore;
use saga_core::{Engine, EngineBuilder, Notice, Notifier, NotifyError, RunId, RunOutcome};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use world::{Act, Decision, World, approval, settings};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Behaves {
    Tells,
    Fails,
    Panics,
    Hangs,
}

/// Notes who was told, and behaves as it is told.
#[derive(Clone, Default)]
struct Pager(Arc<Mutex<(Vec<Notice>, Vec<Behaves>)>>);

impl Pager {
    fn that(behaves: &[Behaves]) -> Pager {
        Pager(Arc::new(Mutex::new((Vec::new(), behaves.iter().rev().copied().collect()))))
    }

    fn told(&self) -> Vec<Notice> {
        self.0.lock().unwrap().0.clone()
    }

    async fn called(&self, times: usize) -> Vec<Notice> {
        for _ in 0..500 {
            if self.told().len() >= times {
                return self.told();
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("called {} times", self.told().len())
    }
}

impl Notifier for Pager {
    async fn notify(&self, notice: &Notice) -> Result<(), NotifyError> {
        let behaves = {
            let mut inside = self.0.lock().unwrap();
            inside.0.push(notice.clone());
            inside.1.pop().unwrap_or(Behaves::Tells)
        };
        match behaves {
            Behaves::Tells => Ok(()),
            Behaves::Fails => Err("the pager is down".into()),
            Behaves::Panics => panic!("the pager's own fault"),
            Behaves::Hangs => std::future::pending().await,
        }
    }
}

fn builder(store: &Arc<MemoryStore>, world: &World) -> EngineBuilder<World> {
    let mut settings = settings();
    settings.notify_within = Duration::from_millis(100);
    Engine::builder(store.clone(), world.clone()).saga::<approval>().settings(settings)
}

/// A run whose undo fails, so that somebody is asked.
async fn asks(engine: &Engine<World>, world: &World) -> RunId {
    world.script("unreserve", &[Act::Busy, Act::Busy]);
    let run = engine.start(approval("a secret".to_owned())).await.unwrap();
    run.send(Decision::Reject).await.unwrap();
    while run.status().await.unwrap().state.name() != "review" {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    run.run()
}

#[tokio::test]
async fn the_owner_is_told_once_however_many_workers_there_are() {
    let (store, world, pager) = (Arc::new(MemoryStore::new()), World::default(), Pager::default());
    let engine = builder(&store, &world).notify(pager.clone()).start().await.unwrap();
    let others = [
        builder(&store, &world).notify(pager.clone()).start().await.unwrap(),
        builder(&store, &world).start().await.unwrap(),
    ];
    let run = asks(&engine, &world).await;
    let notice = pager.called(1).await.remove(0);
    assert_eq!((notice.run, notice.review, notice.owner.as_str(), notice.attempt), (run, 1, "editors", 1));
    assert_eq!((notice.saga.as_str(), notice.step.as_deref()), ("approval", Some("reserve")));
    assert_eq!(notice.reason.name(), "undo_failed");
    assert!(!format!("{notice:?}").contains("secret"));
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(pager.told().len(), 1);
    drop(others);
}

#[tokio::test]
async fn who_was_asked_before_a_crash_is_told_after_it() {
    let (store, world, pager) = (Arc::new(MemoryStore::new()), World::default(), Pager::that(&[Behaves::Hangs]));
    let without = builder(&store, &world).start().await.unwrap();
    let run = asks(&without, &world).await;
    drop(without);
    // This one is lost while it tells.
    let first = builder(&store, &world).notify(pager.clone()).start().await.unwrap();
    assert_eq!(pager.called(1).await[0].run, run);
    drop(first);
    let _second = builder(&store, &world).notify(pager.clone()).start().await.unwrap();
    let told = pager.called(2).await;
    assert_eq!((told[1].run, told[1].attempt), (run, 2));
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert_eq!(pager.told().len(), 2);
}

#[tokio::test]
async fn a_notifier_that_fails_panics_or_hangs_is_tried_again_and_holds_no_run_up() {
    use Behaves::{Fails, Hangs, Panics};
    let (store, world) = (Arc::new(MemoryStore::new()), World::default());
    let pager = Pager::that(&[Fails, Panics, Hangs]);
    let engine = builder(&store, &world).notify(pager.clone()).start().await.unwrap();
    let run = asks(&engine, &world).await;
    pager.called(1).await;
    let other = engine.start(approval("b".to_owned())).await.unwrap();
    other.send(Decision::Approve).await.unwrap();
    assert_eq!(other.outcome().await.unwrap(), RunOutcome::Completed(7));
    let told = pager.called(4).await;
    assert!(told.iter().all(|notice| notice.run == run));
    assert_eq!(told.iter().map(|notice| notice.attempt).collect::<Vec<_>>(), [1, 2, 3, 4]);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(engine.stop(Duration::ZERO).await);
}

#[tokio::test]
async fn whoever_a_question_is_escalated_to_is_told() {
    let (store, world, pager) = (Arc::new(MemoryStore::new()), World::default(), Pager::default());
    let engine = builder(&store, &world).notify(pager.clone()).start().await.unwrap();
    let run = asks(&engine, &world).await;
    pager.called(1).await;
    let boss = saga_core::journal::Decision::Escalate { owner: "boss".to_owned() };
    engine.decide(run, 1, boss, "anna", "").await.unwrap();
    assert_eq!(pager.called(2).await[1].owner, "boss");
}
