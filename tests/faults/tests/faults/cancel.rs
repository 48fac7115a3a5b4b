//! Kinds 1 and 2: compensation lost on cancel, and work that completes after the unwind began.
#![allow(missing_docs, reason = "a step's name and its properties say all there is")]

use crate::cell::{Cell, everywhere, inspect, row, until, until_sent, until_state};
use crate::registry::{Fault, here};
use crate::steps::*;
use saga_core::time::seconds;
use saga_core::{CancelAnswer, EngineBuilder, RunOutcome, Saga, Signal, StepCx, saga, signal, step};
use serde::{Deserialize, Serialize};
use std::time::Duration;

pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        number: 1,
        source: "temporalio/sdk-java#305",
        seen: "A run is cancelled half way; its undos are called, and none of them executes.",
        right: "A cancel ends forward work only. Undos run where it cannot reach them, and the run is not over before they are.",
        tests: &[here![a_cancel_ends_forward_work_and_cannot_reach_the_undos]],
        waits: None,
    },
    Fault {
        number: 2,
        source: "cgreeno/temporalex#77 and #72",
        seen: "A run that gathers payments is cancelled in its wait; those that came during it are never refunded.",
        right: "What is undone is read from the journal at the moment of the cancel, each effect with its own reference.",
        tests: &[here![what_was_gathered_before_a_cancel_is_given_back_each_with_its_own_reference]],
        waits: None,
    },
    Fault {
        number: 3,
        source: "arrow-kt/arrow#3323; simplesourcing/simplesagas#20; apache/servicecomb-pack#281",
        seen: "Of two steps in parallel the quick one fails; the slow one completes all the same and is never undone.",
        right: "Every sibling in flight is settled first; then all that applied is undone.",
        tests: &[],
        waits: Some("parallel branches (`all`): a run has one call at a time until then"),
    },
    Fault {
        number: 4,
        source: "discovery-ukraine/saga-lara-flow#53",
        seen: "While a run unwinds, a queued step is still executed; it is never undone, and the run reports a full unwind.",
        right: "Nothing goes forward once the unwind has begun, also not a retry that was due later.",
        tests: &[here![a_retry_that_comes_due_while_the_run_unwinds_is_not_sent]],
        waits: None,
    },
];

/// Takes long, and gives up when the run is cancelled.
#[step(compensable(undo = unlinger), idempotent(key), timeout = "60s")]
pub async fn linger(cx: &StepCx<World>) -> Result<u64, WorldError> {
    tokio::select! {
        () = cx.cancelled() => Err(WorldError::Refused),
        () = tokio::time::sleep(Duration::from_secs(50)) => cx.env().act("linger", cx.key(), 1).await,
    }
}
pub async fn unlinger(cx: &StepCx<World>, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().act("unlinger", cx.key(), -1).await.map(drop)
}

#[saga(version = 1, owner = "desk")]
pub async fn lingering(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    book(cx, &what).await?;
    pay(cx, &what).await?;
    Ok(linger(cx).await?.into_inner())
}

/// temporalio/sdk-java#305. `unbook` and `unpay` themselves assert that their token is not cancelled.
#[test]
pub(crate) fn a_cancel_ends_forward_work_and_cannot_reach_the_undos() {
    everywhere(|at| async move {
        let world = World::default();
        let _workers = at.workers(&world, sagas).await;
        let client = at.client();
        let run = client.start(lingering(what())).await.unwrap();
        until("the slow step in flight", async || {
            (row(&client, run.run()).await.step.as_deref() == Some("linger")).then_some(())
        })
        .await;
        assert_eq!(run.cancel("anna", "").await.unwrap(), CancelAnswer::Accepted);
        assert!(matches!(run.outcome().await.unwrap(), RunOutcome::Cancelled(_)));
        assert_eq!(world.sent(), ["book", "pay", "unpay", "unbook"]);
        assert!(world.effects().is_empty());
    });
}

#[derive(Debug, Clone, Serialize, Deserialize, Signal)]
pub struct Payment(u64);

/// The reference under which the other side knows a payment is its number and a thousand.
#[step(compensable(undo = refund), idempotent(key), timeout = "20s")]
pub async fn collect(cx: &StepCx<World>, number: u64) -> Result<u64, WorldError> {
    cx.env().act("collect", cx.key(), 1).await?;
    Ok(1_000 + number)
}
pub async fn refund(cx: &StepCx<World>, _number: u64, made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().note(format!("refund {}", made.unwrap()));
    cx.env().act("uncollect", cx.key(), -1).await.map(drop)
}

#[saga(version = 1, owner = "desk")]
pub async fn gathering(cx: &mut Saga, wanted: u32) -> Result<u32, Failed> {
    for _ in 0..wanted {
        if let Some(Payment(number)) = signal::<Payment>(cx).within(seconds(600)).await {
            collect(cx, number).await?;
        }
    }
    Ok(wanted)
}

/// cgreeno/temporalex#77. The five are gathered one after the other: in parallel they come with branches.
#[test]
pub(crate) fn what_was_gathered_before_a_cancel_is_given_back_each_with_its_own_reference() {
    everywhere(|at| async move {
        let world = World::default();
        let _workers = at.workers(&world, sagas).await;
        let client = at.client();
        let run = client.start(gathering(5)).await.unwrap();
        for number in 1..=3 {
            run.send(Payment(number)).await.unwrap();
        }
        until_sent(&world, "collect", 3).await;
        until("the fourth wait", async || {
            inspect(&client, run.run()).await.open_wait().map(drop).filter(|()| world.count("collect") == 3)
        })
        .await;
        assert_eq!(run.cancel("anna", "").await.unwrap(), CancelAnswer::Accepted);
        assert!(matches!(run.outcome().await.unwrap(), RunOutcome::Cancelled(_)));
        assert_eq!(world.notes(), ["refund 1003", "refund 1002", "refund 1001"]);
        assert_eq!((world.made("collect"), world.standing("collect")), (3, 0));
    });
}

#[step(compensable(undo = unpersist), idempotent(key), retry(times = 5, base = "700ms"), timeout = "20s")]
pub async fn persist(cx: &StepCx<World>) -> Result<u64, WorldError> {
    cx.env().act("persist", cx.key(), 1).await
}
pub async fn unpersist(cx: &StepCx<World>, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().act("unpersist", cx.key(), -1).await.map(drop)
}

#[saga(version = 1, owner = "desk")]
pub async fn persistent(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    book(cx, &what).await?;
    Ok(persist(cx).await?.into_inner())
}

async fn cancelled_before_a_retry(at: Cell) {
    let world = World::default();
    world.script("persist", &[Act::Busy]);
    world.script("unbook", &[Act::Slow(Duration::from_millis(1_500))]);
    let _workers = at.workers(&world, sagas).await;
    let client = at.client();
    let run = client.start(persistent(what())).await.unwrap();
    until_sent(&world, "persist", 1).await;
    assert_eq!(run.cancel("anna", "").await.unwrap(), CancelAnswer::Accepted);
    until_state(&client, run.run(), "unwinding").await;
    assert!(matches!(run.outcome().await.unwrap(), RunOutcome::Cancelled(_)));
    assert_eq!(world.sent(), ["book", "persist", "unbook"]);
    assert!(world.effects().is_empty());
}

/// discovery-ukraine/saga-lara-flow#53. The undo takes longer than the delay of the retry.
#[test]
pub(crate) fn a_retry_that_comes_due_while_the_run_unwinds_is_not_sent() {
    everywhere(cancelled_before_a_retry);
}

fn sagas(builder: EngineBuilder<World>) -> EngineBuilder<World> {
    builder.saga::<lingering>().saga::<gathering>().saga::<persistent>()
}
