//! Runs that are set aside: their owner is asked, and what is decided is carried out, also where no worker could.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod world;

use saga_core::journal::{Action, Decision, Reason};
use saga_core::store::{
    Append, Claim, DefinitionRow, Due, MemoryStore, NewEntry, Page, Refused, ReviewRow, Store, Then, WorkerId, Write,
};
use saga_core::{CallNumber, Client, ClientError, Engine, RunId, RunOutcome, SagaType};
use std::sync::Arc;
use std::time::Duration;
use world::{Act, World, approval, engine_on, patient, settings};

/// Waits for a question and gives it.
async fn asked(store: &dyn Store, run: RunId) -> ReviewRow {
    for _ in 0..500 {
        let open = store.reviews(true, Page::first(100)).await.unwrap();
        if let Some(row) = open.into_iter().find(|row| row.run == run) {
            return row;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("nobody was asked");
}

fn definition() -> DefinitionRow {
    let fingerprint = approval::DEFINITION.fingerprint();
    DefinitionRow { saga: "approval".to_owned(), version: 1, fingerprint }
}

/// Claims the run as a worker that is then lost; the fence of the claim.
async fn claimed(store: &MemoryStore, lease: Duration) -> u64 {
    let worker = WorkerId::fresh("lost");
    let claim = Claim { worker, lease, limit: 1, definitions: vec![definition()] };
    store.claim(claim).await.unwrap().pop().unwrap().row.fence
}

#[tokio::test]
async fn the_owner_of_a_crash_loop_is_asked_and_may_have_it_tried_again() {
    let store = Arc::new(MemoryStore::new());
    let run = Client::new(store.clone()).start(approval("a".to_owned())).await.unwrap();
    for _ in 0..saga_core::decide::CRASH_LIMIT {
        claimed(&store, Duration::from_millis(1)).await;
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    let world = World::default();
    let engine = engine_on(store.clone(), &world).await;
    let question = asked(&*store, run.run()).await;
    assert_eq!((question.reason, question.owner.as_str(), question.review), (Reason::CrashLoop, "editors", 0));
    assert_eq!(question.actions, [Action::Retry, Action::Escalate, Action::Abandon]);
    let error = engine.decide(run.run(), 0, Decision::Compensate, "anna", "").await.unwrap_err();
    assert!(matches!(error, ClientError::Refused(Refused::NotOffered { action: Action::Compensate, .. })), "{error}");
    let escalated = Decision::Escalate { owner: "boss".to_owned() };
    engine.decide(run.run(), 0, escalated, "anna", "").await.unwrap();
    assert_eq!(asked(&*store, run.run()).await.owner, "boss");
    engine.decide(run.run(), 0, Decision::Retry, "anna", "more memory").await.unwrap();
    let handle = engine.run::<approval>(run.run()).await.unwrap();
    assert!(matches!(handle.outcome().await.unwrap(), RunOutcome::Refused(_)), "the wait for a decision ended");
    assert_eq!(world.sent(), ["reserve", "unreserve"]);
}

#[saga_core::saga(version = 1, owner = "editors")]
pub async fn stillborn(cx: &mut saga_core::Saga, stuck: bool) -> Result<u32, saga_core::StepError<world::WorldError>> {
    assert!(!stuck, "the body's own fault");
    saga_core::sleep(cx, Duration::from_millis(1)).await;
    Ok(1)
}

#[tokio::test]
async fn the_owner_of_a_run_that_is_stuck_from_the_first_is_asked() {
    let store = Arc::new(MemoryStore::new());
    let engine = Engine::builder(store.clone(), ()).saga::<stillborn>().settings(settings()).start().await.unwrap();
    let run = engine.start(stillborn(true)).await.unwrap().run();
    let question = asked(&*store, run).await;
    assert_eq!((question.reason, question.owner.as_str()), (Reason::ForwardExhausted, "editors"));
    engine.decide(run, question.review, Decision::Abandon, "anna", "it never began").await.unwrap();
    let abandoned = RunOutcome::Abandoned { by: "anna".to_owned(), left: Vec::new() };
    assert_eq!(engine.run::<stillborn>(run).await.unwrap().outcome().await.unwrap(), abandoned);
}

/// A run whose step is sent, and then an entry that nobody can read.
async fn broken(store: &Arc<MemoryStore>, world: &World) -> RunId {
    let engine = engine_on(store.clone(), world).await;
    let run = engine.start(approval("a".to_owned())).await.unwrap().run();
    while store.run(run).await.unwrap().unwrap().state.name() != "waiting" {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    engine.stop(Duration::ZERO).await;
    let row = store.run(run).await.unwrap().unwrap();
    engine_free(store, run).await;
    let fence = claimed(store, Duration::from_secs(1)).await;
    let garbage = NewEntry { kind: "kept", call: None, step: None, body: b"{".to_vec() };
    let append = Append {
        run,
        fence,
        length: row.length,
        entries: vec![garbage],
        head: saga_core::decide::Head {
            state: row.state,
            step: None,
            why: None,
            error: None,
            past_pivot: false,
            until: None,
        },
        inbox_seen: None,
        inbox_taken: Vec::new(),
        reviews: Vec::new(),
        then: Then::Release(Due::Now),
    };
    store.commit(vec![Write::Append(append)]).await.unwrap().remove(0).unwrap();
    run
}

/// Something arrives, so that the run is due.
async fn engine_free(store: &Arc<MemoryStore>, run: RunId) {
    let handle = Client::new(store.clone()).run::<approval>(run).await.unwrap();
    handle.send(world::Decision::Approve).await.unwrap();
}

#[tokio::test]
async fn a_run_with_a_broken_journal_can_be_given_up_on_evidence_and_says_what_may_be_left() {
    let (store, world) = (Arc::new(MemoryStore::new()), World::default());
    let run = broken(&store, &world).await;
    let engine = engine_on(store.clone(), &world).await;
    let question = asked(&*store, run).await;
    assert_eq!((question.reason, question.owner.as_str()), (Reason::JournalBroken, "editors"));
    assert_eq!(question.actions, [Action::Escalate, Action::Abandon]);
    let aside = store.quarantined(Page::first(9)).await.unwrap().remove(0);
    assert_eq!((aside.owner.as_str(), aside.since), ("editors", Some(question.opened)));
    let error = engine.decide(run, 0, Decision::Abandon, "anna", " ").await.unwrap_err();
    assert!(matches!(error, ClientError::Refused(Refused::NoEvidence { .. })), "{error}");
    let waiting = engine.run::<approval>(run).await.unwrap();
    let outcome = tokio::spawn(async move { waiting.outcome().await });
    engine.decide(run, 0, Decision::Abandon, "anna", "the slot was freed by phone").await.unwrap();
    let abandoned = RunOutcome::Abandoned { by: "anna".to_owned(), left: vec![CallNumber(0)] };
    assert_eq!(outcome.await.unwrap().unwrap(), abandoned);
    assert!(store.reviews(true, Page::first(9)).await.unwrap().is_empty());
    assert!(store.quarantined(Page::first(9)).await.unwrap().is_empty());
    assert_eq!(world.sent(), ["reserve"]);
}

#[tokio::test]
async fn the_owner_of_a_run_that_no_worker_can_run_is_asked_once_and_the_question_closes_by_itself() {
    let store = Arc::new(MemoryStore::new());
    let run = Client::new(store.clone()).start(patient(1)).await.unwrap().run();
    let elsewhere = || {
        let mut settings = settings();
        settings.missing_after = Duration::from_millis(200);
        Engine::builder(store.clone(), World::default()).saga::<approval>().settings(settings).start()
    };
    let others = [elsewhere().await.unwrap(), elsewhere().await.unwrap()];
    let question = asked(&*store, run).await;
    assert_eq!((question.reason, question.owner.as_str()), (Reason::DefinitionMissing, "editors"));
    assert_eq!(question.actions, [Action::Escalate, Action::Abandon]);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(store.reviews(false, Page::first(9)).await.unwrap(), [question]);
    let world = World::default();
    let _engine = engine_on(store.clone(), &world).await;
    while !store.reviews(true, Page::first(9)).await.unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(store.run(run).await.unwrap().unwrap().state.name(), "waiting");
    drop(others);
}

#[tokio::test]
async fn a_run_that_no_worker_can_run_can_be_given_up_without_one_and_its_journal_tells_why() {
    let (store, world) = (Arc::new(MemoryStore::new()), World::default());
    world.script("reserve", &[Act::Hang]);
    let engine = engine_on(store.clone(), &world).await;
    let run = engine.start(approval("a".to_owned())).await.unwrap().run();
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(engine.stop(Duration::ZERO).await);
    tokio::time::sleep(Duration::from_millis(20)).await;
    assert_eq!(store.sweep(Duration::from_millis(1), 9).await.unwrap(), [run]);
    let client = Client::new(store.clone());
    client.decide(run, 0, Decision::Abandon, "anna", "the gateway has no such slot").await.unwrap();
    let abandoned = RunOutcome::Abandoned { by: "anna".to_owned(), left: vec![CallNumber(0)] };
    assert_eq!(client.run::<approval>(run).await.unwrap().outcome().await.unwrap(), abandoned);
    let journal = client.inspect(run).await.unwrap();
    assert!(journal.ended().is_some() && journal.inbox_taken == [1]);
    let entries = store.journal(run, 0, 100).await.unwrap();
    let evidence = entries.iter().find(|entry| entry.kind == "review_settled").unwrap();
    assert!(String::from_utf8_lossy(&evidence.body).contains("the gateway has no such slot"));
}
