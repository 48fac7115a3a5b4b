//! Kinds 29 and 30: operator actions; store parity and durability.

use crate::cell::{asked, everywhere, until, until_sent, with_one_worker};
use crate::registry::{Fault, elsewhere, here};
use crate::steps::*;
use saga_core::journal::Decision;
use saga_core::store::{Page, Refused, Store, StoreFuture, Write, Written};
use saga_core::{ClientError, RunOutcome};
use saga_faults::before::Before;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        number: 57,
        source: "sidekiq/sidekiq#5997, #3243, #2221, #6853",
        seen: "`Delete all` takes more than what was ticked, also what came after the page was loaded.",
        right: "Bulk acts on a list that was seen, says how each went, and asks for the right to do it.",
        tests: &[],
        waits: Some("a console: nothing acts on more than one run yet"),
    },
    Fault {
        number: 58,
        source: "Particular/docs.particular.net PR #1726; Particular/ServiceControl#2836",
        seen: "A retry of something whose retry is under way makes a duplicate, and nobody can tell who did it.",
        right: "A decision is taken once: the second is told who was first and when; who, when and why stand in the journal.",
        tests: &[here![of_two_who_decide_the_second_is_told_who_was_first]],
        waits: Some("records of those who were refused: a console"),
    },
    Fault {
        number: 59,
        source: "Particular/NServiceBus#4150",
        seen: "The store in memory never raised a conflict, so tests passed while the real one lost updates.",
        right: "One suite for all stores, with the same answers, line by line.",
        tests: &[elsewhere![
            "saga-core/tests/store_conformance.rs": the_memory_store_keeps_the_contract,
            "saga-sqlite/tests/conformance.rs": a_file_keeps_the_contract,
            "saga-sqlite/tests/conformance.rs": all_stores_give_the_same_answers,
        ]],
        waits: None,
    },
    Fault {
        number: 60,
        source: "chiselstrike/chiselstrike#1854; ohdearquant/khive#1408 and #1416; transact-rs/sqlx PR #850",
        seen: "With a write-ahead log and `synchronous=NORMAL` a committed row is lost at a power failure.",
        right: "What is acknowledged is synchronised: FULL on every connection, checked, or the store does not open.",
        tests: &[
            here![a_copy_of_the_files_at_any_acknowledgement_has_all_that_was_acknowledged],
            elsewhere![
                "saga-sqlite/src/connection.rs": every_connection_has_the_documented_settings,
                "saga-sqlite/src/connection.rs": a_connection_that_lost_a_setting_is_unsafe,
                "saga-sqlite/tests/durable.rs": a_process_that_is_killed_leaves_all_that_it_acknowledged_and_no_half_run,
            ],
        ],
        waits: None,
    },
];

/// Particular/docs.particular.net PR #1726. The third comes when the retry is under way: by then the question is settled, and
/// the record says by whom.
#[test]
pub(crate) fn of_two_who_decide_the_second_is_told_who_was_first() {
    everywhere(|at| async move {
        let world = World::default();
        world.always("publish", Act::LoseRequest);
        let workers = at.workers(&world, all).await;
        let client = at.client();
        let run = client.start(published(what())).await.unwrap();
        let review = asked(&client, run.run()).await;
        crate::cell::stop_all(workers).await;
        let decide = async |by: &str| client.decide(run.run(), review.review, Decision::Retry, by, "").await;
        let (anna, berta) = tokio::join!(decide("anna"), decide("berta"));
        let (first, error) = match (anna, berta) {
            (Ok(()), Err(error)) => ("anna", error),
            (Err(error), Ok(())) => ("berta", error),
            other => panic!("{other:?}"),
        };
        let ClientError::Refused(Refused::AlreadyRequested { by, .. }) = error else { panic!("{error}") };
        assert_eq!(by, first);
        world.always("publish", Act::Slow(Duration::from_millis(500)));
        let _workers = at.workers(&world, all).await;
        until_sent(&world, "publish", 4).await;
        let error = decide("clara").await.unwrap_err();
        assert!(matches!(error, ClientError::Refused(Refused::ReviewNotOpen { .. })), "{error}");
        assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(7));
        assert_eq!(world.count("publish"), 4, "one new attempt");
        let settled = until("the record of the decision", async || {
            client.store().reviews(false, Page::first(9)).await.unwrap().into_iter().find_map(|review| review.settled)
        })
        .await;
        assert_eq!((settled.0.as_str(), settled.1.as_str()), ("retry", first));
    });
}

/// Copies the files when a commit is acknowledged, as a power failure would leave them.
struct Copies {
    file: PathBuf,
    taken: Mutex<Vec<PathBuf>>,
}

impl Before for Copies {
    fn commit<'a>(
        &'a self,
        store: &'a dyn Store,
        writes: Vec<Write>,
    ) -> StoreFuture<'a, Vec<Result<Written, Refused>>> {
        Box::pin(async move {
            let answers = store.commit(writes).await?;
            let mut taken = self.taken.lock().unwrap();
            let copy = self.file.with_extension(format!("copy-{}", taken.len()));
            for suffix in ["", "-wal"] {
                let of = |path: &PathBuf| PathBuf::from(format!("{}{suffix}", path.display()));
                std::fs::copy(of(&self.file), of(&copy)).unwrap();
            }
            taken.push(copy);
            Ok(answers)
        })
    }
}

/// transact-rs/sqlx PR #850. What a copy cannot show, that the disk has it too, is the documented setting of every connection;
/// there is no seam at which a test could stand between SQLite and the disk.
#[test]
pub(crate) fn a_copy_of_the_files_at_any_acknowledgement_has_all_that_was_acknowledged() {
    with_one_worker(|at| async move {
        let Some(file) = at.file.clone() else { return };
        let copies = Arc::new(Copies { file, taken: Mutex::default() });
        let world = World::default();
        let _worker = at.clone().behind(&copies).worker(&world, all).await;
        let run = at.client().start(four(what())).await.unwrap();
        assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(7));
        let copies = copies.taken.lock().unwrap().clone();
        assert_eq!(copies.len(), 5, "four intents and the end");
        for (number, copy) in copies.into_iter().enumerate() {
            let store = saga_sqlite::SqliteStore::open(copy).unwrap();
            let journal = store.journal(run.run(), 0, 1_000).await.unwrap();
            let count = |kind: &str| journal.iter().filter(|entry| entry.kind == kind).count();
            let intended = (number + 1).min(4);
            assert_eq!((count("step_intended"), count("step_done")), (intended, number), "before effect {intended}");
            assert_eq!(store.run(run.run()).await.unwrap().unwrap().length, journal.len() as u64);
        }
    });
}
