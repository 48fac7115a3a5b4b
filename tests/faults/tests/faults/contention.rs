//! Kinds 23 and 25: concurrent writes to the store, poison items, and head-of-line blocking.

use crate::cell::{asked, ended, everywhere, kinds, row, start_all, until, with_one_worker, with_three_workers};
use crate::registry::{Fault, elsewhere, here};
use crate::steps::*;
use saga_core::RunId;
use saga_core::journal::Reason;
use saga_core::store::{Page, Refused, Store, StoreFuture, Write, Written};
use saga_faults::before::Before;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        number: 45,
        source: "jentic/jentic-one PR #529; RunLLM/aqueduct PR #369; cschleiden/go-workflows#258",
        seen: "`Database is locked` at once, although a timeout is set; an engine panics over it.",
        right: "A writer takes the lock first and waits; a busy store changes no outcome and ends no worker.",
        tests: &[
            here![a_lock_that_others_hold_shows_in_no_run],
            elsewhere!["saga-sqlite/tests/processes.rs": two_processes_and_a_third_that_locks_claim_each_run_once],
        ],
        waits: None,
    },
    Fault {
        number: 46,
        source: "Altinn/dialogporten#1763; wework/grabbit#52",
        seen: "Under load the claim query fails to serialize, and such conflicts use up the tries of a step.",
        right: "Conflicts are repeated inside the store and count as no attempt.",
        tests: &[],
        waits: Some("Postgres: the other stores have one writer at a time, and nothing to serialize"),
    },
    Fault {
        number: 49,
        source: "zeroclaw-labs/zeroclaw PR #3405; pingdotgg/t3code PR #11585",
        seen: "One row with a malformed time makes the query for due jobs fail, and nothing is executed at all.",
        right: "Rows are read one by one; what cannot be read is set aside with its cause, and the rest goes on.",
        tests: &[
            here![rows_that_cannot_be_read_are_set_aside_and_the_rest_completes],
            elsewhere!["saga-sqlite/tests/poison.rs": good_runs_are_claimed_next_to_rows_that_cannot_be_read],
        ],
        waits: None,
    },
    Fault {
        number: 50,
        source: "firecrawl/firecrawl#4113",
        seen: "A result that cannot be stored ends the worker; the item is still queued, and the service crashes again.",
        right: "A write that the store refuses sets that run aside, with the store's words; its effect is not repeated meanwhile.",
        tests: &[here![a_record_that_the_store_refuses_sets_one_run_aside_and_repeats_no_effect]],
        waits: None,
    },
];

/// jentic/jentic-one PR #529. Three workers, each with connections of its own, and somebody who locks the file again and again.
/// Only a store in a file can be locked.
#[test]
pub(crate) fn a_lock_that_others_hold_shows_in_no_run() {
    with_three_workers(|at| async move {
        let Some(file) = at.file.clone() else { return };
        let world = World::default();
        let _workers = at.workers(&world, all).await;
        let client = at.client();
        let done = Arc::new(AtomicBool::new(false));
        let locks = std::thread::spawn({
            let done = done.clone();
            move || {
                let connection = rusqlite::Connection::open(file).unwrap();
                connection.busy_timeout(Duration::from_secs(30)).unwrap();
                for span in [400_u64, 50, 900, 20, 150].into_iter().cycle() {
                    if done.load(Ordering::SeqCst) {
                        return;
                    }
                    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
                    std::thread::sleep(Duration::from_millis(span));
                    connection.execute_batch("ROLLBACK").unwrap();
                    std::thread::sleep(Duration::from_millis(30));
                }
            }
        });
        let runs = start_all(&client, 60, |_| four(what())).await;
        for run in runs {
            assert_eq!(ended(&client, run).await, "completed");
            let kinds = kinds(&client, run).await;
            assert!(!kinds.iter().any(|kind| kind.starts_with("attempt")), "no step saw anything: {kinds:?}");
        }
        done.store(true, Ordering::SeqCst);
        for step in ["book", "pay", "ship", "close"] {
            assert_eq!((world.count(step), world.made(step)), (60, 60));
        }
        locks.join().unwrap();
    });
}

/// zeroclaw-labs/zeroclaw PR #3405. Written past the store, so only where there is a file. A time as text cannot be written at
/// all: the tables are strict.
#[test]
pub(crate) fn rows_that_cannot_be_read_are_set_aside_and_the_rest_completes() {
    with_one_worker(|mut at| async move {
        let Some(file) = at.file.clone() else { return };
        at.settings.missing_after = Duration::from_millis(300);
        let client = at.client();
        let bad = start_all(&client, 3, |_| four(what())).await;
        let sql = rusqlite::Connection::open(file).unwrap();
        for (change, run) in [
            ("UPDATE saga_journal SET body = x'7b22' WHERE run = ?1", bad[0]),
            ("UPDATE saga_runs SET state = 'runing' WHERE run = ?1", bad[1]),
            ("UPDATE saga_runs SET saga = 'unknown' WHERE run = ?1", bad[2]),
        ] {
            assert_eq!(sql.execute(change, [run.to_string()]).unwrap(), 1, "{change}");
        }
        let text = "UPDATE saga_runs SET due = '2026-03-12 03:11:13' WHERE run = ?1";
        assert!(sql.execute(text, [bad[0].to_string()]).is_err());
        let good = start_all(&client, 30, |_| four(what())).await;
        let world = World::default();
        let _worker = at.worker(&world, all).await;
        for run in good {
            assert_eq!(ended(&client, run).await, "completed");
        }
        let aside = until("three set aside", async || {
            let aside = client.store().quarantined(Page::first(9)).await.unwrap();
            (aside.len() == 3).then_some(aside)
        })
        .await;
        for (run, reason, cause) in [
            (bad[0], Reason::JournalBroken, "cannot be read"),
            (bad[1], Reason::JournalBroken, "state"),
            (bad[2], Reason::DefinitionMissing, "unknown"),
        ] {
            let found = aside.iter().find(|aside| aside.run == run.to_string()).unwrap();
            assert!(found.reason == reason && found.cause.contains(cause), "{found:?}");
        }
        assert_eq!(client.store().health().await.unwrap().quarantined, 3);
        assert_eq!(world.count("book"), 30);
    });
}

/// Refuses to record what one run did, for a reason of its own.
#[derive(Default)]
struct Refuses(Mutex<Option<RunId>>);

impl Before for Refuses {
    fn commit<'a>(
        &'a self,
        store: &'a dyn Store,
        writes: Vec<Write>,
    ) -> StoreFuture<'a, Vec<Result<Written, Refused>>> {
        let refused = *self.0.lock().unwrap();
        Box::pin(async move {
            let mut answers = Vec::new();
            for write in writes {
                let records = matches!(&write, Write::Append(append) if Some(append.run) == refused
                    && append.entries.iter().any(|entry| entry.kind == "step_done"));
                if records {
                    answers.push(Err(Refused::Rejected("a constraint of its own".to_owned())));
                } else {
                    answers.extend(store.commit(vec![write]).await?);
                }
            }
            Ok(answers)
        })
    }
}

/// firecrawl/firecrawl#4113.
#[test]
pub(crate) fn a_record_that_the_store_refuses_sets_one_run_aside_and_repeats_no_effect() {
    everywhere(|at| async move {
        let refuses = Arc::new(Refuses::default());
        let world = World::default();
        let client = at.client();
        let run = client.start(four(what())).await.unwrap().run();
        *refuses.0.lock().unwrap() = Some(run);
        let _workers = at.clone().behind(&refuses).workers(&world, all).await;
        let review = asked(&client, run).await;
        assert_eq!((review.reason, review.owner.as_str()), (Reason::JournalBroken, "desk"));
        assert!(review.last.message.contains("a constraint of its own"), "{}", review.last.message);
        let others = start_all(&client, 10, |_| published(what())).await;
        for other in others {
            assert_eq!(ended(&client, other).await, "completed");
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!((world.count("book"), world.count("pay")), (11, 0));
        assert!(row(&client, run).await.quarantined.is_some());
    });
}
