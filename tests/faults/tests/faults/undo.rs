//! Kinds 6 and 7: an undo that fails; and one that is retried for ever, too fast, or twice.
#![allow(missing_docs, reason = "a step's name and its properties say all there is")]

use crate::cell::{
    asked, by_fast_clock, ended, entries, everywhere, inspect, kinds, row, start_all, stop_all, until_sent,
};
use crate::registry::{Fault, here};
use crate::steps::*;
use saga_core::journal::{Action, Decision, Reason};
use saga_core::{CallNumber, EngineBuilder, RunOutcome, Saga, StepCx, StepError, saga, step};
use std::time::Duration;

pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        number: 11,
        source: "oxidecomputer/omicron#1713; oxidecomputer/steno PR #138",
        seen: "An undo errs; the engine panics, recovers the same run after the restart, and panics again.",
        right: "A failing undo takes nothing down. It has its own policy; then one review names it, and a restart tries nothing anew.",
        tests: &[here![an_undo_that_fails_or_panics_for_ever_ends_with_a_person_and_harms_nobody]],
        waits: None,
    },
    Fault {
        number: 12,
        source: "apache/servicecomb-pack#590",
        seen: "An undo throws; that is logged, `compensated` is reported, and the saga is closed as finished.",
        right: "Only an undo that answered counts as done; any other ending is a recorded failure.",
        tests: &[here![only_an_undo_that_answered_counts_as_done]],
        waits: None,
    },
    Fault {
        number: 13,
        source: "apache/incubator-seata#2848; #7068",
        seen: "An undo conflicts with a later change, is retried without end, and the only way out is to edit the data.",
        right: "A conflict is refused, not retried: one review with its code, from which a person can go on.",
        tests: &[here![an_undo_that_conflicts_is_brought_before_a_person_and_not_repeated]],
        waits: None,
    },
    Fault {
        number: 14,
        source: "dtm-labs/dtm#306",
        seen: "An undo is refused with an authentication error and is called about 80 times a second.",
        right: "An undo has a policy with growing delays and one scheduler, however many poll and wait for it.",
        tests: &[here![an_undo_is_tried_as_its_policy_says_however_many_workers_and_clients_wait]],
        waits: None,
    },
];

/// oxidecomputer/omicron#1713.
#[test]
pub(crate) fn an_undo_that_fails_or_panics_for_ever_ends_with_a_person_and_harms_nobody() {
    everywhere(|at| async move {
        let world = World::default();
        world.always("ship", Act::Refuse);
        let workers = at.workers(&world, all).await;
        let client = at.client();
        let others = start_all(&client, 20, |_| published(what())).await;
        let mut stuck = Vec::new();
        for fails in [Act::Busy, Act::Panic] {
            world.always("unpay", fails);
            let run = client.start(four(what())).await.unwrap().run();
            let review = asked(&client, run).await;
            assert_eq!((review.reason, review.step.as_deref()), (Reason::UndoFailed, Some("pay")));
            assert_eq!(review.owner, "desk");
            assert_eq!(review.first.unwrap().message, "refused", "what began it is there too");
            let state = inspect(&client, run).await;
            assert_eq!(state.step(CallNumber(1)).unwrap().undo.failed, 3, "as its policy says");
            stuck.push(run);
        }
        assert_eq!((world.count("unpay"), world.count("unbook")), (6, 0), "what comes before it is left alone");
        for run in others {
            assert_eq!(ended(&client, run).await, "completed");
        }
        stop_all(workers).await;
        let _workers = at.workers(&world, all).await;
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!(world.count("unpay"), 6, "a restart tries nothing anew");
        for run in stuck {
            assert_eq!(row(&client, run).await.state.name(), "review");
        }
    });
}

/// apache/servicecomb-pack#590.
#[test]
pub(crate) fn only_an_undo_that_answered_counts_as_done() {
    everywhere(|at| async move {
        let world = World::default();
        world.always("pay", Act::Refuse);
        world.script("unbook", &[Act::Panic]);
        let _workers = at.workers(&world, all).await;
        let client = at.client();
        let run = client.start(four(what())).await.unwrap().run();
        assert_eq!(ended(&client, run).await, "refused");
        let kinds = kinds(&client, run).await;
        let from = kinds.iter().position(|kind| kind == "unwind_started").unwrap();
        let unwind = ["unwind_started", "attempt_started", "attempt_failed", "attempt_started", "undone", "ended"];
        assert_eq!(kinds[from..], unwind);

        world.always("unbook", Act::Panic);
        let run = client.start(four(what())).await.unwrap().run();
        assert_eq!(asked(&client, run).await.reason, Reason::UndoFailed);
        assert_eq!(entries(&client, run, "undone").await, 0);
        assert!(!row(&client, run).await.state.is_terminal());
    });
}

/// apache/incubator-seata#2848. Ten minutes pass, two hundred times as fast. The recipe allows some tries; an undo that is
/// refused is not tried again at all, because that it will not help is what `refused` says.
#[test]
pub(crate) fn an_undo_that_conflicts_is_brought_before_a_person_and_not_repeated() {
    by_fast_clock(200, |at| async move {
        let world = World::default();
        world.always("ship", Act::Refuse);
        world.always("unpay", Act::Conflict);
        let _workers = at.workers(&world, all).await;
        let client = at.client();
        let run = client.start(four(what())).await.unwrap();
        let review = asked(&client, run.run()).await;
        assert_eq!((review.reason, review.last.code.as_deref()), (Reason::UndoRefused, Some("conflict")));
        assert_eq!(review.actions, [Action::Retry, Action::MarkUndone, Action::Escalate, Action::Abandon]);
        let length = row(&client, run.run()).await.length;
        tokio::time::sleep(Duration::from_secs(3)).await;
        assert_eq!((world.count("unpay"), row(&client, run.run()).await.length), (1, length));
        client.decide(run.run(), review.review, Decision::MarkUndone, "anna", "paid back by hand").await.unwrap();
        let refused = RunOutcome::Refused(StepError::Failed(WorldError::Refused));
        assert_eq!(run.outcome().await.unwrap(), refused);
        assert_eq!((world.count("unpay"), world.count("unbook")), (1, 1));
    });
}

#[step(compensable(undo = unlock, retry(times = 6, base = "1s", factor = 2.0, cap = "60s", jitter = false)), idempotent(key), timeout = "20s")]
pub async fn lock(cx: &StepCx<World>) -> Result<u64, WorldError> {
    cx.env().act("lock", cx.key(), 1).await
}
pub async fn unlock(cx: &StepCx<World>, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().act("unlock", cx.key(), -1).await.map(drop)
}

#[saga(version = 1, owner = "desk")]
pub async fn locked(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    lock(cx).await?;
    Ok(close(cx, &what).await?.into_inner())
}

fn sagas(builder: EngineBuilder<World>) -> EngineBuilder<World> {
    builder.saga::<locked>()
}

/// dtm-labs/dtm#306. Declared `refused`, an authentication error asks a person at the first call; declared `transient`, it
/// follows the policy: six calls in a minute, while workers poll and a client waits.
#[test]
pub(crate) fn an_undo_is_tried_as_its_policy_says_however_many_workers_and_clients_wait() {
    by_fast_clock(30, |at| async move {
        for (answer, calls, reason) in [(Act::Unauthorized, 1, Reason::UndoRefused), (Act::Busy, 6, Reason::UndoFailed)]
        {
            let world = World::default();
            world.always("close", Act::Refuse);
            world.always("unlock", answer);
            let workers = at.workers(&world, sagas).await;
            let client = at.client();
            let run = client.start(locked(what())).await.unwrap();
            let waits = tokio::spawn({
                let run = run.clone();
                async move { run.outcome().await }
            });
            until_sent(&world, "unlock", calls).await;
            let review = asked(&client, run.run()).await;
            assert_eq!(review.reason, reason);
            if answer == Act::Unauthorized {
                assert_eq!(review.last.code.as_deref(), Some("auth"));
            } else {
                let began = |index: usize| {
                    world.requests().iter().filter(|sent| sent.step == "unlock").nth(index).unwrap().began
                };
                // The first delay is short enough to be slept through by whoever has the run, at its own pace.
                assert!(began(1) - began(0) >= Duration::from_millis(900), "a second passed");
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
            assert_eq!(world.count("unlock"), calls, "half a minute later");
            waits.abort();
            stop_all(workers).await;
        }
    });
}
