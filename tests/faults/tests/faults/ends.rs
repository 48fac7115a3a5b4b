//! Kinds 27 and 28: cancel, completion and forced ends; interruptions, retention and leftovers.
#![allow(missing_docs, reason = "a step's name and its properties say all there is")]

use crate::cell::{asked, entries, everywhere, start_all, until, with_one_worker};
use crate::registry::{Fault, elsewhere, here};
use crate::steps::*;
use saga_core::decide::JOURNAL_LIMIT;
use saga_core::journal::{Action, Decision, Reason};
use saga_core::store::{Page, RunFilter};
use saga_core::{CallNumber, CancelAnswer, EngineBuilder, RunOutcome, Saga, new_uuid, saga};
use std::time::Duration;

pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        number: 53,
        source: "dbos-inc/dbos-transact-golang PR #77; dbos-transact-py PR #703",
        seen: "A run is cancelled, and a moment later its own ending overwrites that with success.",
        right: "A cancel that was accepted is kept: the run cannot complete any more. One that comes later says so.",
        tests: &[here![no_run_completes_behind_a_cancel_that_was_accepted]],
        waits: None,
    },
    Fault {
        number: 54,
        source: "temporalio/temporal#1069; restatedev/restate#401",
        seen: "A run that reaches a limit of its history is ended by the server, with no chance to clean up.",
        right: "At the limit a person is asked while there is room to undo. To give a run up takes a reason, and lists what is left.",
        tests: &[here![
            a_journal_that_is_full_asks_a_person_and_can_still_be_undone,
            a_run_that_is_given_up_lists_the_effects_it_leaves
        ]],
        waits: Some("the typed confirmation: a console"),
    },
    Fault {
        number: 55,
        source: "Appsilon/mediforce#907; graphile/worker#352",
        seen: "A deploy in the middle of a long step shows up much later as a timeout, though it was only interrupted.",
        right: "A stop waits a while, then hands over as interrupted: no failed attempt, and never an unwind.",
        tests: &[elsewhere![
            "tests/crash/tests/graceful.rs": a_stop_in_a_long_step_undoes_nothing_and_counts_nothing,
            "tests/crash/tests/graceful.rs": a_stop_with_enough_grace_records_the_answer,
            "tests/crash/tests/graceful.rs": a_stop_in_a_long_undo_is_no_failed_undo,
        ]],
        waits: None,
    },
    Fault {
        number: 56,
        source: "Altinn/altinn-studio#20005; pgflow-dev/pgflow PR #224",
        seen: "Retention deletes failed runs together with what is needed to resume or to undo them.",
        right: "Only what needs nothing more may be purged, as a whole.",
        tests: &[elsewhere!["saga-sqlite/tests/incident.rs": forgetting_a_run_forgets_all_of_it]],
        waits: Some("retention: nothing is purged yet; a run is forgotten by hand only"),
    },
];

#[saga(version = 1, owner = "desk")]
pub async fn racing(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    book(cx, &what).await?;
    Ok(pay(cx, &what).await?.into_inner())
}

/// dbos-inc/dbos-transact-golang PR #77. A hundred runs in each cell, cancelled at any moment around their end.
#[test]
pub(crate) fn no_run_completes_behind_a_cancel_that_was_accepted() {
    everywhere(|at| async move {
        let world = World::default();
        world.always("pay", Act::Slow(Duration::from_millis(10)));
        let client = at.client();
        let runs = start_all(&client, 100, |_| racing(what())).await;
        // The first is cancelled before anybody works on it, so that there is one for certain.
        let racing: Vec<_> = (0..100_u64)
            .zip(runs)
            .map(|(number, run)| {
                let client = client.clone();
                tokio::spawn(async move {
                    let run = client.run::<racing>(run).await.unwrap();
                    tokio::time::sleep(Duration::from_millis(number * 37 % 120)).await;
                    let answer = run.cancel("anna", "").await.unwrap();
                    (run.run(), answer, run.outcome().await.unwrap())
                })
            })
            .collect();
        until("the first cancel", async || {
            let requested = client.store().list(RunFilter::default(), Page::first(100)).await.unwrap();
            requested.iter().any(|row| row.cancel_requested).then_some(())
        })
        .await;
        let _workers = at.workers(&world, sagas).await;
        let (mut accepted, mut late) = (0, 0);
        for raced in racing {
            let (run, answer, outcome) = raced.await.unwrap();
            match (answer, outcome) {
                (CancelAnswer::Accepted, RunOutcome::Cancelled(_)) if world.left(run) == 0 => accepted += 1,
                (CancelAnswer::AlreadyEnded(_), RunOutcome::Completed(7)) if world.left(run) == 2 => late += 1,
                (answer, outcome) => panic!("{answer:?}, and then {outcome:?}, {} left", world.left(run)),
            }
        }
        assert!(accepted > 0 && accepted + late == 100, "{accepted} {late}");
    });
}

/// Draws for ever, so to say.
#[saga(version = 1, owner = "desk")]
pub async fn drawing(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    book(cx, &what).await?;
    for _ in 0..20_000 {
        let _ = new_uuid(cx).await;
    }
    Ok(0)
}

/// temporalio/temporal#1069. What is counted is that each run, one on each store, warned at 80%.
#[test]
pub(crate) fn a_journal_that_is_full_asks_a_person_and_can_still_be_undone() {
    let recorder = metrics_util::debugging::DebuggingRecorder::new();
    let counted = recorder.snapshotter();
    recorder.install().unwrap();
    with_one_worker(|at| async move {
        let world = World::default();
        let _workers = at.workers(&world, sagas).await;
        let client = at.client();
        let run = client.start(drawing(what())).await.unwrap();
        let review = asked(&client, run.run()).await;
        assert_eq!((review.reason, review.last.code.as_deref()), (Reason::ForwardExhausted, Some("journal_limit")));
        assert!(review.actions.contains(&Action::Compensate), "{:?}", review.actions);
        let drawn = entries(&client, run.run(), "value_drawn").await as u64;
        assert!((JOURNAL_LIMIT - 10..=JOURNAL_LIMIT).contains(&drawn), "{drawn}");
        client.decide(run.run(), review.review, Decision::Compensate, "anna", "it never ends").await.unwrap();
        assert!(matches!(run.outcome().await.unwrap(), RunOutcome::Cancelled(_)));
        assert!(world.effects().is_empty());
        // Room that forward work leaves is used for the undo, however full the journal is.
        assert!(crate::cell::row(&client, run.run()).await.length > JOURNAL_LIMIT);
    });
    let counted = counted.snapshot().into_vec();
    let (.., warned) = counted.iter().find(|(key, ..)| key.key().name() == "saga_journals_nearly_full_total").unwrap();
    assert_eq!(*warned, metrics_util::debugging::DebugValue::Counter(crate::cell::stores()));
}

/// restatedev/restate#401. Refused without a reason.
#[test]
pub(crate) fn a_run_that_is_given_up_lists_the_effects_it_leaves() {
    everywhere(|at| async move {
        let world = World::default();
        world.always("close", Act::Refuse);
        world.always("unship", Act::Refuse);
        let _workers = at.workers(&world, sagas).await;
        let client = at.client();
        let run = client.start(four(what())).await.unwrap();
        let review = asked(&client, run.run()).await;
        client.decide(run.run(), review.review, Decision::Abandon, "anna", "  ").await.unwrap();
        until("the refusal of a decision without a reason", async || {
            (entries(&client, run.run(), "decision_refused").await == 1).then_some(())
        })
        .await;
        client.decide(run.run(), review.review, Decision::Abandon, "anna", "the shop is gone").await.unwrap();
        let left = [0, 1, 2].map(CallNumber).to_vec();
        assert_eq!(run.outcome().await.unwrap(), RunOutcome::Abandoned { by: "anna".to_owned(), left });
        assert_eq!(world.effects(), ["book", "pay", "ship"]);
    });
}

fn sagas(builder: EngineBuilder<World>) -> EngineBuilder<World> {
    builder.saga::<racing>().saga::<drawing>().saga::<four>()
}
