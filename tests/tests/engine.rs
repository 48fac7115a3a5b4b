//! The engine on the memory store: whole runs of real sagas against a small fake world.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod world;

use saga_core::store::MemoryStore;
use saga_core::{CancelAnswer, Engine, RunOutcome, StepError};
use std::sync::Arc;
use std::time::Duration;
use world::{Act, Decision, Refusal, World, WorldError, approval, engine, settings};

#[tokio::test]
async fn an_approved_run_completes_with_each_effect_once() {
    let world = World::default();
    let engine = engine(&world).await;
    let run = engine.start(approval("a".to_owned())).key("k").await.unwrap();
    run.send(Decision::Approve).await.unwrap();
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(7));
    assert_eq!(world.sent(), ["reserve", "publish"]);
}

#[tokio::test]
async fn a_signal_that_comes_during_the_wait_wakes_it() {
    let world = World::default();
    let engine = engine(&world).await;
    let run = engine.start(approval("a".to_owned())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let status = run.status().await.unwrap();
    assert_eq!(status.state.name(), "waiting", "{status}");
    assert!(status.why.unwrap().contains("Decision"));
    run.send(Decision::Reject).await.unwrap();
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Refused(Refusal::Rejected));
    assert_eq!(world.sent(), ["reserve", "unreserve"]);
    assert!(world.effects().is_empty());
}

#[tokio::test]
async fn a_wait_that_ends_refuses_and_undoes() {
    let world = World::default();
    let engine = engine(&world).await;
    let run = engine.start(approval("a".to_owned())).await.unwrap();
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Refused(Refusal::Expired));
    assert!(world.effects().is_empty());
}

#[tokio::test]
async fn every_outcome_of_a_compensable_step_is_settled() {
    use Act::{Apply, Busy, Hang, LoseReply, LoseRequest, Panic, Refuse};
    for (acts, completes, sends) in [
        (vec![Busy, Apply], true, 2),
        (vec![Busy, Busy, Busy], false, 3),
        (vec![Refuse], false, 1),
        (vec![LoseReply, Apply], true, 2),
        (vec![LoseReply, LoseReply, LoseReply], false, 3),
        (vec![LoseRequest, LoseRequest, LoseRequest], false, 3),
        (vec![LoseReply, Refuse], false, 2),
        (vec![LoseReply, Busy, Busy], false, 3),
        (vec![Hang, Apply], true, 2),
        (vec![Panic, Apply], true, 2),
    ] {
        let world = World::default();
        world.script("reserve", &acts);
        let engine = engine(&world).await;
        let run = engine.start(approval("a".to_owned())).await.unwrap();
        let _ = run.send(Decision::Approve).await; // a run whose first step fails is over before
        let outcome = run.outcome().await.unwrap();
        assert_eq!(matches!(outcome, RunOutcome::Completed(7)), completes, "{acts:?} {outcome:?}");
        assert_eq!(world.sent().iter().filter(|step| *step == "reserve").count(), sends, "{acts:?}");
        let doubtful = acts.iter().any(|act| matches!(act, LoseReply | LoseRequest | Hang | Panic));
        let undone = world.sent().contains(&"unreserve".to_owned());
        assert_eq!(undone, !completes && doubtful, "{acts:?}");
        assert_eq!(world.effects().contains(&"reserve".to_owned()), completes, "{acts:?}");
    }
}

#[tokio::test]
async fn a_pivot_that_is_not_idempotent_is_verified_and_never_sent_on_a_guess() {
    for (acts, sends) in [(vec![Act::LoseReply], 1), (vec![Act::LoseRequest], 2), (vec![Act::Hang], 1)] {
        let world = World::default();
        world.script("publish", &acts);
        let engine = engine(&world).await;
        let run = engine.start(approval("a".to_owned())).await.unwrap();
        run.send(Decision::Approve).await.unwrap();
        assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(7), "{acts:?}");
        assert_eq!(world.sent().iter().filter(|step| *step == "publish").count(), sends, "{acts:?}");
    }
}

#[tokio::test]
async fn a_refused_pivot_unwinds() {
    let world = World::default();
    world.script("publish", &[Act::Refuse]);
    let engine = engine(&world).await;
    let run = engine.start(approval("a".to_owned())).await.unwrap();
    run.send(Decision::Approve).await.unwrap();
    assert_eq!(
        run.outcome().await.unwrap(),
        RunOutcome::Refused(Refusal::World(StepError::Failed(WorldError::Refused)))
    );
    assert!(world.effects().is_empty());
}

#[tokio::test]
async fn an_undo_that_fails_opens_one_review_with_both_causes() {
    let world = World::default();
    world.script("unreserve", &[Act::Busy, Act::Busy]);
    let engine = engine(&world).await;
    let run = engine.start(approval("a".to_owned())).await.unwrap();
    run.send(Decision::Reject).await.unwrap();
    let review = loop {
        let open = engine.reviews(saga_core::store::Page::first(10)).await.unwrap();
        if let Some(review) = open.into_iter().next() {
            break review;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert_eq!(review.reason.name(), "undo_failed");
    assert_eq!(review.owner, "editors");
    assert_eq!((review.last.message.as_str(), review.first.unwrap().message.as_str()), ("busy", "rejected"));
    assert_eq!(run.status().await.unwrap().state.name(), "review");
    assert_eq!(run.cancel("anna", "").await.unwrap(), CancelAnswer::AlreadyUnwinding);
    engine.decide(run.run(), review.review, saga_core::journal::Decision::Retry, "anna", "").await.unwrap();
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Refused(Refusal::Rejected));
    assert!(world.effects().is_empty());
}

#[tokio::test]
async fn cancel_gives_its_four_answers() {
    let world = World::default();
    let engine = engine(&world).await;
    let run = engine.start(approval("a".to_owned())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(run.cancel("anna", "no longer needed").await.unwrap(), CancelAnswer::Accepted);
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Cancelled("cancelled by anna: no longer needed".to_owned()));
    assert!(matches!(run.cancel("anna", "").await.unwrap(), CancelAnswer::AlreadyEnded(_)));
    assert!(world.effects().is_empty());

    world.script("publish", &[Act::Hang]);
    let run = engine.start(approval("b".to_owned())).await.unwrap();
    run.send(Decision::Approve).await.unwrap();
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert_eq!(run.cancel("anna", "").await.unwrap(), CancelAnswer::PastPivot);
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(7));

    world.script("unreserve", &[Act::Hang]);
    let run = engine.start(approval("c".to_owned())).await.unwrap();
    run.send(Decision::Reject).await.unwrap();
    tokio::time::sleep(Duration::from_millis(150)).await;
    assert_eq!(run.cancel("anna", "").await.unwrap(), CancelAnswer::AlreadyUnwinding);
}

#[tokio::test]
async fn a_key_gives_the_same_run_or_a_clear_conflict() {
    let world = World::default();
    let engine = engine(&world).await;
    let first = engine.start(approval("a".to_owned())).key("k").await.unwrap();
    let again = engine.start(approval("a".to_owned())).key("k").await.unwrap();
    assert_eq!(first.run(), again.run());
    let error = engine.start(approval("b".to_owned())).key("k").await.unwrap_err();
    assert_eq!(error.to_string(), format!("the key `k` belongs to run {}, which has another input", first.run()));
    assert!(engine.start(approval("a".to_owned())).key("").await.is_err());
    assert!(engine.start(approval("x".repeat(2 << 20))).await.is_err());
}

#[tokio::test]
async fn a_stop_hands_over_and_never_unwinds() {
    let world = World::default();
    let store = Arc::new(MemoryStore::default());
    world.script("reserve", &[Act::Hang]);
    let start = |world: World| Engine::builder(store.clone(), world).saga::<approval>().settings(settings()).start();
    let first = start(world.clone()).await.unwrap();
    let run = first.start(approval("a".to_owned())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(first.stop(Duration::from_millis(10)).await);
    let second = start(world.clone()).await.unwrap();
    let run = second.run::<approval>(run.run()).await.unwrap();
    run.send(Decision::Approve).await.unwrap();
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(7));
    assert_eq!(world.sent(), ["reserve", "reserve", "publish"]);
    let journal = second.inspect(run.run()).await.unwrap();
    let reserve = journal.step(saga_core::CallNumber(0)).unwrap();
    assert_eq!(reserve.forward.failed, 0, "an interruption is not a failed attempt");
}

/// Each of these signals wakes the run, and none of them is what it waits for: that is no crash loop.
#[tokio::test]
async fn a_run_that_is_woken_for_nothing_many_times_goes_on() {
    let world = World::default();
    let engine = engine(&world).await;
    let run = engine.start(approval("a".to_owned())).await.unwrap();
    for _ in 0..12 {
        tokio::time::sleep(Duration::from_millis(30)).await;
        engine.store().commit(vec![other_signal(run.run())]).await.unwrap().remove(0).unwrap();
    }
    run.send(Decision::Approve).await.unwrap();
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(7), "{}", run.status().await.unwrap());
    assert_eq!(run.status().await.unwrap().unconsumed_signals, 12);
}

fn other_signal(run: saga_core::RunId) -> saga_core::store::Write {
    saga_core::store::Write::Post(saga_core::store::InboxPost {
        run,
        kind: saga_core::store::Poster::Signal { name: "Other".to_owned() },
        body: br#"{"signal":{"name":"Other","payload":"1"}}"#.to_vec(),
        by: "test".to_owned(),
        note: String::new(),
        once: None,
    })
}
