//! Kinds 10 and 11: recovery from the journal, and double execution around start and restart.
#![allow(missing_docs, reason = "a step's name and its properties say all there is")]

use crate::cell::{
    by_manual_clock, ended, everywhere, row, start_all, stop_all, until, until_sent, until_state, with_one_worker,
};
use crate::registry::{Fault, elsewhere, here};
use crate::steps::*;
use saga_core::journal::Reason;
use saga_core::store::{Page, StoredEntry};
use saga_core::time::seconds;
use saga_core::{EngineBuilder, RunId, RunOutcome, Saga, Signal, saga, signal};
use saga_faults::before::Before;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        number: 19,
        source: "oxidecomputer/omicron#5947 (rewritten in PR #6063)",
        seen: "After a restart one saga cannot be loaded; recovery stops there, and the others run nowhere.",
        right: "Each run is loaded by itself. The broken one is set aside with its cause and its owner, and goes on when it is repaired.",
        tests: &[here![a_run_that_cannot_be_read_holds_up_no_other_and_goes_on_when_it_is_repaired]],
        waits: None,
    },
    Fault {
        number: 20,
        source: "oxidecomputer/omicron#10531; oxidecomputer/steno PR #462",
        seen: "Recovery refuses a journal that the engine itself wrote: one legal pair of states was missing.",
        right: "Every prefix that the engine can write is accepted and goes on to an end.",
        tests: &[elsewhere!["saga-core/src/decide/tests.rs": every_prefix_is_accepted_and_goes_on_to_an_end]],
        waits: Some("the diamond of the recipe: parallel branches"),
    },
    Fault {
        number: 21,
        source: "dbos-inc/dbos-transact-java#491, fix PR #493",
        seen: "A run that is started just after the launch is executed twice: by its caller and by the sweep.",
        right: "A run is adopted by its lease, not by its age; what is born claimed is nobody else's.",
        tests: &[here![runs_that_are_started_while_workers_look_for_work_are_executed_once]],
        waits: None,
    },
    Fault {
        number: 22,
        source: "dbos-inc/dbos-transact-py#804; oban-bg/oban#862",
        seen: "The old instance of a rolling deploy, still draining, takes back what the new one queued, and dies with it.",
        right: "Every start of a process has an identity of its own; who drains claims nothing; leases end by themselves.",
        tests: &[here![a_worker_that_drains_claims_nothing_and_its_successor_of_the_same_name_goes_on]],
        waits: None,
    },
];

#[derive(Debug, Clone, Serialize, Deserialize, Signal)]
pub struct Go;

#[saga(version = 1, owner = "desk")]
pub async fn pausing(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    book(cx, &what).await?;
    let _ = signal::<Go>(cx).within(seconds(600)).await;
    Ok(pay(cx, &what).await?.into_inner())
}

fn sagas(builder: EngineBuilder<World>) -> EngineBuilder<World> {
    builder.saga::<pausing>().saga::<four>()
}

/// Spoils what is read of one run.
#[derive(Default)]
struct Spoils(Mutex<Option<RunId>>);

impl Before for Spoils {
    fn journal(&self, run: RunId, _: u32, mut entries: Vec<StoredEntry>) -> Vec<StoredEntry> {
        if *self.0.lock().unwrap() == Some(run)
            && let Some(last) = entries.last_mut()
        {
            last.body.truncate(3);
        }
        entries
    }
}

/// oxidecomputer/omicron#5947.
#[test]
pub(crate) fn a_run_that_cannot_be_read_holds_up_no_other_and_goes_on_when_it_is_repaired() {
    by_manual_clock(|at| async move {
        let spoils = Arc::new(Spoils::default());
        let spoiled = at.clone().behind(&spoils);
        let world = World::default();
        let workers = at.workers(&world, sagas).await;
        let client = at.client();
        let runs = start_all(&client, 30, |_| pausing(what())).await;
        for run in &runs {
            until_state(&client, *run, "waiting").await;
        }
        stop_all(workers).await;
        *spoils.0.lock().unwrap() = Some(runs[2]);
        for run in &runs {
            client.run::<pausing>(*run).await.unwrap().send(Go).await.unwrap();
        }
        let _workers = spoiled.workers(&world, sagas).await;
        for run in runs.iter().filter(|run| **run != runs[2]) {
            assert_eq!(ended(&client, *run).await, "completed");
        }
        let review = crate::cell::asked(&client, runs[2]).await;
        assert_eq!((review.reason, review.owner.as_str()), (Reason::JournalBroken, "desk"));
        assert_eq!(client.store().quarantined(Page::first(9)).await.unwrap().len(), 1);
        assert_eq!(world.count("pay"), 29);
        *spoils.0.lock().unwrap() = None;
        at.manual().advance(Duration::from_secs(31));
        assert_eq!(ended(&client, runs[2]).await, "completed");
        assert!(client.reviews(Page::first(9)).await.unwrap().is_empty());
        assert_eq!((world.count("book"), world.count("pay")), (30, 30));
    });
}

/// dbos-inc/dbos-transact-java#491.
#[test]
pub(crate) fn runs_that_are_started_while_workers_look_for_work_are_executed_once() {
    everywhere(|mut at| async move {
        at.settings.poll = Duration::from_millis(1);
        let world = World::default();
        let workers = at.workers(&world, all).await;
        let client = at.client();
        let starts: Vec<_> = (0..100)
            .map(|_| {
                let engine = workers[0].engine().clone();
                tokio::spawn(async move { engine.start(published(what())).await.unwrap().run() })
            })
            .collect();
        for started in starts {
            assert_eq!(ended(&client, started.await.unwrap()).await, "completed");
        }
        assert_eq!((world.count("book"), world.count("publish")), (100, 100));
    });
}

/// dbos-inc/dbos-transact-py#804. The old worker drains with an attempt in flight, and is killed before it has ended.
#[test]
pub(crate) fn a_worker_that_drains_claims_nothing_and_its_successor_of_the_same_name_goes_on() {
    with_one_worker(|at| async move {
        let at = at.short_leases();
        let world = World::default();
        world.script("book", &[Act::Hang]);
        let old = at.worker(&world, sagas).await;
        let client = at.client();
        let stuck = client.start(four(what())).await.unwrap();
        until_sent(&world, "book", 1).await;
        old.begin_stop(Duration::from_secs(30));
        let new = at.worker(&world, sagas).await;
        assert_ne!(old.engine().worker(), new.engine().worker());
        let runs = start_all(&client, 10, |_| pausing(what())).await;
        for run in runs {
            until("somebody to have it or to have had it", async || {
                Some(row(&client, run).await).filter(|row| row.state.name() == "waiting")
            })
            .await;
        }
        assert_eq!(row(&client, stuck.run()).await.worker.as_ref(), Some(old.engine().worker()), "still in flight");
        old.kill();
        let killed = Instant::now();
        assert_eq!(stuck.outcome().await.unwrap(), RunOutcome::Completed(7));
        // A lease and a poll take a second; the rest is for a machine that has other things to do.
        assert!(killed.elapsed() < Duration::from_secs(6), "{:?}", killed.elapsed());
        assert_eq!((world.made("book"), world.count("book")), (11, 12));
    });
}
