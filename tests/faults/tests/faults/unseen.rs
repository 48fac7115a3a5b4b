//! Kind 3: the undo of an action that is unseen, partial or late.
#![allow(missing_docs, reason = "a step's name and its properties say all there is")]

use crate::cell::{everywhere, until_sent};
use crate::registry::{Fault, here};
use crate::steps::*;
use saga_core::{CancelAnswer, EngineBuilder, Found, RunOutcome, Saga, StepCx, StepError, saga, step};
use std::time::Duration;

pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        number: 5,
        source: "apache/servicecomb-pack#346",
        seen: "A booking is undone before it exists; the undo errs on a missing record, and the booking appears later and stays.",
        right: "A step whose outcome is unknown is verified until it can no longer land, and undone behind that. Without a check \
                its undo is called, and the other side must refuse what comes after it.",
        tests: &[here![
            what_lands_after_its_caller_gave_up_is_found_and_undone,
            what_never_lands_needs_no_undo,
            an_undo_that_comes_first_bars_what_comes_later
        ]],
        waits: None,
    },
    Fault {
        number: 6,
        source: "oxidecomputer/omicron PR #3097 (issue #3085)",
        seen: "A step makes several resources and fails half way; its undo is not run because it did not succeed.",
        right: "A failure that may be partial is `unknown`, and the undo is called with what is known.",
        tests: &[here![a_step_that_fails_half_way_is_undone_as_far_as_it_came]],
        waits: None,
    },
];

#[step(
    compensable(undo = unwire),
    verifiable(check = find_wire, settle = "2s", retry(times = 20, base = "100ms", cap = "200ms")),
    idempotent(key),
    retry(times = 1),
    timeout = "20s"
)]
pub async fn wire(cx: &StepCx<World>) -> Result<u64, WorldError> {
    cx.env().act("wire", cx.key(), 1).await
}
pub async fn unwire(cx: &StepCx<World>, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().act("unwire", cx.key(), -1).await.map(drop)
}
pub async fn find_wire(cx: &StepCx<World>) -> Result<Found<u64>, WorldError> {
    cx.env().look("wire", cx.effect_key()).await
}

#[saga(version = 1, owner = "desk")]
pub async fn wired(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    book(cx, &what).await?;
    Ok(wire(cx).await?.into_inner())
}

/// apache/servicecomb-pack#346. The request lands 700 ms after its answer was given up, within the settle window.
#[test]
pub(crate) fn what_lands_after_its_caller_gave_up_is_found_and_undone() {
    everywhere(|at| async move {
        let world = World::default();
        world.script("wire", &[Act::Late(Duration::from_millis(700))]);
        let _workers = at.workers(&world, sagas).await;
        let run = at.client().start(wired(what())).await.unwrap();
        until_sent(&world, "wire", 1).await;
        assert_eq!(run.cancel("anna", "").await.unwrap(), CancelAnswer::Accepted);
        assert!(matches!(run.outcome().await.unwrap(), RunOutcome::Cancelled(_)));
        assert_eq!(world.sent(), ["book", "wire", "unwire", "unbook"]);
        assert_eq!(world.made("wire"), 1);
        assert!(world.effects().is_empty(), "{:?}", world.effects());
    });
}

/// apache/servicecomb-pack#346: the request was lost. An undo of what is known to be absent is not sent.
#[test]
pub(crate) fn what_never_lands_needs_no_undo() {
    everywhere(|at| async move {
        let world = World::default();
        world.script("wire", &[Act::LoseRequest]);
        let _workers = at.workers(&world, sagas).await;
        let run = at.client().start(wired(what())).await.unwrap();
        let refused = RunOutcome::Refused(StepError::Failed(WorldError::Lost));
        assert_eq!(run.outcome().await.unwrap(), refused);
        assert_eq!(world.sent(), ["book", "wire", "unbook"]);
    });
}

/// apache/servicecomb-pack#346: nothing can be looked up. `book` promises that its undo is safe when there is nothing, and
/// the world keeps that promise by refusing what comes after it. For services that cannot, a participant barrier will.
#[test]
pub(crate) fn an_undo_that_comes_first_bars_what_comes_later() {
    everywhere(|at| async move {
        let world = World::default();
        world.always("book", Act::Late(Duration::from_millis(1_000)));
        let _workers = at.workers(&world, all).await;
        let run = at.client().start(published(what())).await.unwrap();
        let refused = RunOutcome::Refused(StepError::Failed(WorldError::Lost));
        assert_eq!(run.outcome().await.unwrap(), refused);
        assert_eq!(world.count("unbook"), 1);
        tokio::time::sleep(Duration::from_millis(1_200)).await;
        assert_eq!(world.made("book"), 0, "it came after its undo");
    });
}

/// Makes five things and is not atomic: at the fourth it fails.
#[step(compensable(undo = unallot), idempotent(key), retry(times = 1), timeout = "20s")]
pub async fn allot(cx: &StepCx<World>) -> Result<u64, WorldError> {
    for item in 1..=5 {
        let key = format!("{}#{item}", cx.key());
        cx.env().act("item", &key, 1).await.map_err(|_| WorldError::Lost)?;
    }
    Ok(5)
}
pub async fn unallot(cx: &StepCx<World>, made: Option<&u64>) -> Result<(), WorldError> {
    assert!(made.is_none(), "nothing was confirmed");
    for item in 1..=5 {
        cx.env().act("unitem", &format!("{}#{item}:undo", cx.effect_key()), -1).await?;
    }
    Ok(())
}

#[saga(version = 1, owner = "desk")]
pub async fn allotted(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    book(cx, &what).await?;
    Ok(allot(cx).await?.into_inner())
}

/// oxidecomputer/omicron PR #3097. A step that can be half done must say `unknown` of such a failure: `refused` asserts that
/// there is nothing.
#[test]
pub(crate) fn a_step_that_fails_half_way_is_undone_as_far_as_it_came() {
    everywhere(|at| async move {
        let world = World::default();
        world.script("item", &[Act::Apply, Act::Apply, Act::Apply, Act::Refuse]);
        let _workers = at.workers(&world, sagas).await;
        let run = at.client().start(allotted(what())).await.unwrap();
        assert!(matches!(run.outcome().await.unwrap(), RunOutcome::Refused(_)));
        assert_eq!((world.made("item"), world.standing("item"), world.count("unitem")), (3, 0, 5));
        assert_eq!(world.sent().last().map(String::as_str), Some("unbook"));
        assert!(world.effects().is_empty());
    });
}

fn sagas(builder: EngineBuilder<World>) -> EngineBuilder<World> {
    builder.saga::<wired>().saga::<allotted>()
}
