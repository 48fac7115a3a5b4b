//! Kinds 14, 15 and 16: execution after a crash, idempotency keys, and counters of attempts.
#![allow(missing_docs, reason = "a step's name and its properties say all there is")]

use crate::cell::{asked, entries, everywhere, inspect, until, until_sent, with_one_worker};
use crate::registry::{Fault, elsewhere, here};
use crate::steps::*;
use saga_core::journal::Decision;
use saga_core::store::{Page, Refused, RunFilter};
use saga_core::{CallNumber, ClientError, EngineBuilder, RunOutcome, Saga, StepCx, StepError, saga, step};
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        number: 27,
        source: "oxidecomputer/omicron#6069",
        seen: "After a restart a create runs again, the remote says it exists, and a healthy saga is unwound.",
        right: "What may have run is repeated under the same key; `exists, with my key` is success, with another's it is a refusal.",
        tests: &[here![what_exists_under_the_same_key_was_made_by_the_first_attempt]],
        waits: None,
    },
    Fault {
        number: 28,
        source: "threefoldtech/ledger_chain PR #1096",
        seen: "A crash between submitting a payment and confirming it could pay twice.",
        right: "The intent is durable before the call; an intent without an outcome is looked up before anything is sent.",
        tests: &[elsewhere![
            "tests/crash/tests/boundaries/main.rs": a_kill_around_a_step_leaves_what_its_class_promises,
            "tests/crash/tests/boundaries/main.rs": a_kill_in_a_check_leaves_the_effect_once,
        ]],
        waits: None,
    },
    Fault {
        number: 29,
        source: "tempoxyz/pympp PR #155; woocommerce/woocommerce-gateway-stripe#2339",
        seen: "A buyer is charged twice: the key held a short-lived credential, so that each try looked new.",
        right: "The key is a function of run, call and step: the same over attempts, kills, workers and a person's retry; an undo \
                has its own.",
        tests: &[here![the_key_of_a_step_stays_the_same_and_its_undo_has_its_own]],
        waits: None,
    },
    Fault {
        number: 30,
        source: "josipmusa/idempotency4j#12; ietf-wg-httpapi/idempotency",
        seen: "A key is used again with another payload, and the caller silently gets the first answer.",
        right: "The same key with another input or another version is a conflict that names the run.",
        tests: &[here![a_known_key_with_another_input_or_version_is_a_conflict_that_names_the_run]],
        waits: None,
    },
    Fault {
        number: 31,
        source: "stepflow-ai/stepflow#637",
        seen: "After a crash in the middle of retries counting begins again at 1.",
        right: "An attempt is durable before its call; limits hold over restarts and workers.",
        tests: &[
            here![attempts_are_counted_over_a_kill],
            elsewhere![
                "tests/crash/tests/boundaries/main.rs": a_worker_that_is_lost_again_and_again_is_brought_before_a_person
            ],
        ],
        waits: None,
    },
    Fault {
        number: 32,
        source: "productdevbook/tezgah#167",
        seen: "A step with three tries loops for ever: its counter was rolled back together with its transaction.",
        right: "Counter and delay are committed on their own.",
        tests: &[here![attempts_grow_apart_and_end]],
        waits: Some("the step that writes in the engine's own database: transactional steps"),
    },
];

/// Makes a thing under a name; it is there already if an earlier attempt made it.
#[step(compensable(undo = uncreate), idempotent(key), timeout = "20s")]
pub async fn create(cx: &StepCx<World>, name: &str) -> Result<u64, WorldError> {
    if cx.env().change(name, None, cx.key()).is_err() && cx.env().value(name).as_deref() != Some(cx.key()) {
        return Err(WorldError::Conflict);
    }
    cx.env().act("create", cx.key(), 1).await
}
pub async fn uncreate(cx: &StepCx<World>, _name: &str, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().act("uncreate", cx.key(), -1).await.map(drop)
}

#[saga(version = 1, owner = "desk")]
pub async fn creating(cx: &mut Saga, name: String) -> Result<u64, Failed> {
    book(cx, &name).await?;
    Ok(create(cx, &name).await?.into_inner())
}

/// oxidecomputer/omicron#6069. The worker is killed when the thing is made and nothing is recorded.
#[test]
pub(crate) fn what_exists_under_the_same_key_was_made_by_the_first_attempt() {
    everywhere(|at| async move {
        let at = at.short_leases();
        let world = World::default();
        world.script("create", &[Act::Hang]);
        let first = at.worker(&world, sagas).await;
        let client = at.client();
        let run = client.start(creating("mine".to_owned())).await.unwrap();
        until_sent(&world, "create", 1).await;
        first.kill();
        world.change("theirs", None, "somebody else's key").unwrap();
        let _workers = at.workers(&world, sagas).await;
        assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(7));
        assert_eq!((world.made("create"), world.count("create"), world.count("uncreate")), (1, 2, 0));

        let run = client.start(creating("theirs".to_owned())).await.unwrap();
        let refused = RunOutcome::Refused(StepError::Failed(WorldError::Conflict));
        assert_eq!(run.outcome().await.unwrap(), refused);
        assert_eq!(world.value("theirs").as_deref(), Some("somebody else's key"), "theirs is left alone");
        assert_eq!((world.count("uncreate"), world.count("unbook")), (0, 1));
    });
}

#[step(compensable(undo = unbuy), idempotent(key), retry(times = 5, base = "20ms"), timeout = "20s")]
pub async fn buy(cx: &StepCx<World>) -> Result<u64, WorldError> {
    cx.env().act("buy", cx.key(), 1).await
}
pub async fn unbuy(cx: &StepCx<World>, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().act("unbuy", cx.key(), -1).await.map(drop)
}

#[saga(version = 1, owner = "desk")]
pub async fn buying(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    buy(cx).await?;
    Ok(close(cx, &what).await?.into_inner())
}

/// tempoxyz/pympp PR #155. Credentials are the environment's; no key is made of them.
#[test]
pub(crate) fn the_key_of_a_step_stays_the_same_and_its_undo_has_its_own() {
    everywhere(|at| async move {
        let at = at.short_leases();
        let world = World::default();
        world.script("buy", &[Act::LoseReply, Act::LoseReply, Act::Hang]);
        world.always("close", Act::Refuse);
        let first = at.worker(&world, sagas).await;
        let client = at.client();
        let run = client.start(buying(what())).await.unwrap();
        until_sent(&world, "buy", 3).await;
        first.kill();
        let _workers = at.workers(&world, sagas).await;
        assert!(matches!(run.outcome().await.unwrap(), RunOutcome::Refused(_)));
        let key = format!("{}:0:buy", run.run());
        assert_eq!(world.keys("buy"), vec![key.clone(); 4]);
        assert_eq!(world.keys("unbuy"), [format!("{key}:undo")]);
        assert_eq!((world.made("buy"), world.standing("buy")), (1, 0));

        world.always("publish", Act::LoseReply);
        let run = client.start(published(what())).await.unwrap();
        let review = asked(&client, run.run()).await;
        world.always("publish", Act::Apply);
        client.decide(run.run(), review.review, Decision::Retry, "anna", "").await.unwrap();
        assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(7));
        let keys: BTreeSet<_> = world.keys("publish").into_iter().collect();
        assert_eq!((world.count("publish"), keys.len(), world.made("publish")), (4, 1, 1));
    });
}

#[saga(version = 1, owner = "desk")]
pub async fn ordering(cx: &mut Saga, amounts: HashMap<String, u32>) -> Result<u64, Failed> {
    let total: u32 = amounts.values().sum();
    Ok(book(cx, &total.to_string()).await?.into_inner())
}

mod later {
    use super::*;
    #[saga(version = 2, owner = "desk")]
    pub async fn ordering(cx: &mut Saga, amounts: HashMap<String, u32>) -> Result<u64, Failed> {
        let total: u32 = amounts.values().sum();
        Ok(pay(cx, &total.to_string()).await?.into_inner())
    }
}

/// A map that is written in another order each time, most likely.
fn amounts(last: u32) -> HashMap<String, u32> {
    let amount = |number: u32| (format!("item {number}"), number);
    (0..20).map(amount).chain([("last".to_owned(), last)]).collect()
}

/// josipmusa/idempotency4j#12. The recipe also asks about 10 and 10.0: those differ, by their digits; one type of input writes
/// only one of them.
#[test]
pub(crate) fn a_known_key_with_another_input_or_version_is_a_conflict_that_names_the_run() {
    with_one_worker(|at| async move {
        let client = at.client();
        let first = client.start(ordering(amounts(10))).key("K").await.unwrap();
        for _ in 0..5 {
            assert_eq!(client.start(ordering(amounts(10))).key("K").await.unwrap().run(), first.run());
        }
        let taken = |error: ClientError| match error {
            ClientError::Refused(Refused::KeyTaken { key, run, other }) => (key, run, other),
            other => panic!("{other}"),
        };
        let error = client.start(ordering(amounts(11))).key("K").await.unwrap_err();
        assert!(error.to_string().contains(&first.run().to_string()), "{error}");
        assert_eq!(taken(error), ("K".to_owned(), first.run(), "input"));
        let error = client.start(later::ordering(amounts(10))).key("K").await.unwrap_err();
        assert_eq!(taken(error).2, "version");
        assert_eq!(client.store().list(RunFilter::default(), Page::first(9)).await.unwrap().len(), 1);
        let world = World::default();
        let _worker = at.worker(&world, sagas).await;
        assert_eq!(first.outcome().await.unwrap(), RunOutcome::Completed(7));
        assert_eq!(
            client.start(ordering(amounts(10))).key("K").await.unwrap().run(),
            first.run(),
            "also when it is over"
        );
        assert_eq!(world.count("book"), 1);
    });
}

#[step(compensable(undo = untry), idempotent(key), retry(times = 3, base = "800ms"), timeout = "20s")]
pub async fn tried(cx: &StepCx<World>) -> Result<u64, WorldError> {
    cx.env().note(format!("attempt {}", cx.attempt()));
    cx.env().act("tried", cx.key(), 1).await
}
pub async fn untry(cx: &StepCx<World>, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().act("untried", cx.key(), -1).await.map(drop)
}

#[saga(version = 1, owner = "desk")]
pub async fn trying(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    book(cx, &what).await?;
    Ok(tried(cx).await?.into_inner())
}

/// stepflow-ai/stepflow#637. The worker is killed after the second failed attempt is recorded.
#[test]
pub(crate) fn attempts_are_counted_over_a_kill() {
    everywhere(|at| async move {
        let at = at.short_leases();
        let world = World::default();
        world.always("tried", Act::Busy);
        let first = at.worker(&world, sagas).await;
        let client = at.client();
        let run = client.start(trying(what())).await.unwrap();
        until("the second failure recorded", async || {
            (entries(&client, run.run(), "attempt_failed").await == 2).then_some(())
        })
        .await;
        first.kill();
        let _workers = at.workers(&world, sagas).await;
        let refused = RunOutcome::Refused(StepError::Failed(WorldError::Busy));
        assert_eq!(run.outcome().await.unwrap(), refused);
        assert_eq!(world.notes(), ["attempt 1", "attempt 2", "attempt 3"]);
        assert_eq!((world.count("untried"), world.count("unbook")), (0, 1));
    });
}

#[step(compensable(undo = unpace), idempotent(key), retry(times = 3, base = "100ms", factor = 2.0, jitter = false), timeout = "20s")]
pub async fn pace(cx: &StepCx<World>) -> Result<u64, WorldError> {
    cx.env().act("pace", cx.key(), 1).await
}
pub async fn unpace(cx: &StepCx<World>, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().act("unpace", cx.key(), -1).await.map(drop)
}

#[saga(version = 1, owner = "desk")]
pub async fn pacing(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    book(cx, &what).await?;
    Ok(pace(cx).await?.into_inner())
}

/// productdevbook/tezgah#167.
#[test]
pub(crate) fn attempts_grow_apart_and_end() {
    everywhere(|at| async move {
        let world = World::default();
        world.always("pace", Act::Busy);
        let _workers = at.workers(&world, sagas).await;
        let client = at.client();
        let run = client.start(pacing(what())).await.unwrap();
        assert!(matches!(run.outcome().await.unwrap(), RunOutcome::Refused(_)));
        let began: Vec<_> = world.requests().iter().filter(|sent| sent.step == "pace").map(|sent| sent.began).collect();
        assert_eq!(began.len(), 3);
        let (first, second) = (began[1] - began[0], began[2] - began[1]);
        assert!(first >= Duration::from_millis(100) && second >= Duration::from_millis(200), "{first:?} {second:?}");
        let pace = inspect(&client, run.run()).await;
        assert_eq!(pace.step(CallNumber(1)).unwrap().forward.failed, 3);
    });
}

fn sagas(builder: EngineBuilder<World>) -> EngineBuilder<World> {
    builder.saga::<creating>().saga::<buying>().saga::<published>().saga::<ordering>().saga::<trying>().saga::<pacing>()
}
