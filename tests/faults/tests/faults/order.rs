//! Kinds 8 and 9: the order of undos, and what an undo is given to work with.
#![allow(missing_docs, reason = "a step's name and its properties say all there is")]

use crate::cell::{Cell, START, by_manual_clock, everywhere, row, until_sent, until_state, with_three_workers};
use crate::registry::{Fault, elsewhere, here};
use crate::steps::*;
use saga_core::store::RunRow;
use saga_core::time::seconds;
use saga_core::{EngineBuilder, RunId, RunOutcome, Saga, Signal, StepCx, StepError, saga, signal, step};
use saga_faults::before::Before;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        number: 15,
        source: "apache/incubator-seata#5666",
        seen: "Two updates of one row cannot be undone: the older one is undone first, and finds a conflict.",
        right: "Undos follow the journal, backwards, and no clock.",
        tests: &[here![undos_follow_the_journal_and_no_clock]],
        waits: None,
    },
    Fault {
        number: 16,
        source: "camunda/camunda#14920",
        seen: "On compensation all undos are there at once, and workers do them in any order.",
        right: "An undo begins when the one behind it is recorded, also across workers and kills.",
        tests: &[here![undos_come_one_after_the_other_also_when_their_worker_is_killed]],
        waits: None,
    },
    Fault {
        number: 17,
        source: "oxidecomputer/omicron#3894",
        seen: "An undo asks for the output of a step that its saga does not have; that shows on a real failure only.",
        right: "It does not compile: an undo is given the inputs and the output of its own step, and evidence cannot be forged.",
        tests: &[
            here![a_failure_at_each_step_undoes_what_came_before_it],
            elsewhere!["tests/tests/compile.rs": what_is_wrong_does_not_compile_and_says_why],
        ],
        waits: None,
    },
    Fault {
        number: 18,
        source: "discovery-ukraine/saga-lara-flow#60",
        seen: "What is to be undone is read from a replica that lags; the list is short, and steps stay applied.",
        right: "What is decided comes from the journal and the claim; no list and no head is asked.",
        tests: &[here![what_is_undone_is_not_taken_from_a_head_that_lags]],
        waits: None,
    },
];

#[derive(Debug, Clone, Serialize, Deserialize, Signal)]
pub struct Go;

/// Sets a value of the run; undone only where it is still as this left it.
#[step(compensable(undo = restore, retry(times = 1)), idempotent(key), timeout = "20s")]
pub async fn set(cx: &StepCx<World>, from: &str, to: &str) -> Result<u64, WorldError> {
    let _ = cx.key();
    cx.env().change(&cx.run().to_string(), (!from.is_empty()).then_some(from), to)?;
    Ok(0)
}
pub async fn restore(cx: &StepCx<World>, from: &str, to: &str, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().change(&cx.run().to_string(), Some(to), from)
}

#[saga(version = 1, owner = "desk")]
pub async fn setting(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    set(cx, "", "1").await?;
    set(cx, "1", "2").await?;
    let _ = signal::<Go>(cx).within(seconds(600)).await;
    set(cx, "2", "3").await?;
    Ok(close(cx, &what).await?.into_inner())
}

fn sagas(builder: EngineBuilder<World>) -> EngineBuilder<World> {
    builder.saga::<setting>()
}

/// apache/incubator-seata#5666. First with a clock that stands still, then with one that steps back between two steps.
#[test]
pub(crate) fn undos_follow_the_journal_and_no_clock() {
    by_manual_clock(|at| async move {
        let world = World::default();
        world.always("close", Act::Refuse);
        let _workers = at.workers(&world, sagas).await;
        let client = at.client();
        for back in [Duration::ZERO, Duration::from_secs(5)] {
            let run = client.start(setting(what())).await.unwrap();
            until_state(&client, run.run(), "waiting").await;
            at.manual().set(saga_core::Timestamp(START.0 - i64::try_from(back.as_micros()).unwrap()));
            run.send(Go).await.unwrap();
            let refused = RunOutcome::Refused(StepError::Failed(WorldError::Refused));
            assert_eq!(run.outcome().await.unwrap(), refused);
            assert_eq!(world.value(&run.run().to_string()).as_deref(), Some(""), "all of it was put back");
        }
    });
}

/// camunda/camunda#14920. The worker is killed in the middle of the second undo.
#[test]
pub(crate) fn undos_come_one_after_the_other_also_when_their_worker_is_killed() {
    with_three_workers(|at| async move {
        let at = at.short_leases();
        let world = World::default();
        world.always("close", Act::Refuse);
        world.script("unship", &[Act::Slow(Duration::from_millis(400))]);
        world.script("unpay", &[Act::Hang]);
        let mut workers = at.workers(&world, all).await;
        let client = at.client();
        let run = client.start(four(what())).await.unwrap();
        until_sent(&world, "unpay", 1).await;
        let has = row(&client, run.run()).await.worker.unwrap();
        let index = workers.iter().position(|worker| *worker.engine().worker() == has).unwrap();
        workers.remove(index).kill();
        assert!(matches!(run.outcome().await.unwrap(), RunOutcome::Refused(_)));
        let undos: Vec<_> = world.requests().into_iter().filter(|sent| sent.step.starts_with("un")).collect();
        let names: Vec<_> = undos.iter().map(|undo| undo.step).collect();
        assert_eq!(names, ["unship", "unpay", "unpay", "unbook"]);
        for pair in undos.windows(2) {
            assert!(pair[0].ended.is_none_or(|ended| ended <= pair[1].began), "{pair:?}");
        }
        assert!(world.effects().is_empty());
    });
}

/// oxidecomputer/omicron#3894: a good saga, failed at each of its steps.
#[test]
pub(crate) fn a_failure_at_each_step_undoes_what_came_before_it() {
    everywhere(|at| async move {
        let steps = ["book", "pay", "ship", "close"];
        for (index, fails) in steps.into_iter().enumerate() {
            let world = World::default();
            world.always(fails, Act::Refuse);
            let workers = at.workers(&world, all).await;
            let run = at.client().start(four(what())).await.unwrap();
            assert!(matches!(run.outcome().await.unwrap(), RunOutcome::Refused(_)));
            let mut expected: Vec<String> = steps[..=index].iter().map(|step| (*step).to_owned()).collect();
            expected.extend(steps[..index].iter().rev().map(|step| format!("un{step}")));
            assert_eq!(world.sent(), expected);
            assert!(world.effects().is_empty());
            crate::cell::stop_all(workers).await;
        }
    });
}

/// Shows heads as they were when they were first looked at.
#[derive(Default)]
struct Replica(Mutex<HashMap<RunId, RunRow>>);

impl Before for Replica {
    fn head(&self, row: Option<RunRow>) -> Option<RunRow> {
        row.map(|row| self.0.lock().unwrap().entry(row.run).or_insert(row).clone())
    }
}

/// discovery-ukraine/saga-lara-flow#60.
#[test]
pub(crate) fn what_is_undone_is_not_taken_from_a_head_that_lags() {
    everywhere(|at: Cell| async move {
        let world = World::default();
        world.always("close", Act::Refuse);
        let client = at.client();
        let run = client.start(four(what())).await.unwrap();
        let lagging = at.clone().behind(&Arc::new(Replica::default()));
        // Somebody looks before anything was done: from then on the replica shows nothing else.
        lagging.store().run(run.run()).await.unwrap();
        let _workers = lagging.workers(&world, all).await;
        assert!(matches!(run.outcome().await.unwrap(), RunOutcome::Refused(_)));
        assert_eq!(world.sent()[4..], ["unship", "unpay", "unbook"]);
        assert_eq!(
            lagging.client().run::<four>(run.run()).await.unwrap().status().await.unwrap().state.name(),
            "running"
        );
    });
}
