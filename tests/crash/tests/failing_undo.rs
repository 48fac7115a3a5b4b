//! An undo that does not get through is tried again, and then a person is asked. A kill in between forgets no failure, asks
//! nobody twice, and leaves the effect known.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use saga_crash::sagas::{Plan, begin};
use std::time::Duration;
use support::{Files, review, settled, was_killed};

/// As the step `reserve` declares it. A lost attempt is none of them: it is repeated at once, and counted as lost.
const TRIES: i64 = 8;
const DOWN: &[&str] = &["--lease", "400", "--undo-down", "reserve"];

/// A run whose undo fails in a worker that is killed there, and goes on in one whose undo gets through, or does not.
async fn killed_at(death: &str, healed: bool) -> (Files, saga_core::RunId, Option<String>) {
    let files = Files::new();
    let client = files.client();
    let run = begin(&client, "keyed", Plan { item: "item".to_owned(), refuse: true }).await.unwrap();
    let mut first = files.worker(&[DOWN, &["--die", death]].concat());
    let status = first.ended_within(Duration::from_secs(60)).await;
    assert!(status.is_some_and(was_killed), "`{death}` was not reached: {status:?}\n{}", files.journal(run));
    let _second = files.worker(if healed { &["--lease", "400"] } else { DOWN });
    let end = settled(&client, run, Duration::from_secs(60)).await;
    (files, run, end)
}

#[tokio::test]
async fn a_kill_between_failed_undos_forgets_none_of_them() {
    for death in [
        "before-commit:attempt_failed:reserve",
        "after-commit:attempt_failed:reserve",
        "after-commit:attempt_failed:reserve@5",
        "before-commit:review_opened",
        "after-commit:review_opened",
    ] {
        let (files, run, end) = killed_at(death, false).await;
        let journal = files.journal(run);
        assert_eq!(end.as_deref(), Some("review/undo_failed/desk"), "{death}\n{journal}");
        assert_eq!(files.entries(run, "review_opened"), 1, "{death}\n{journal}");
        let failed = files.entries(run, "attempt_failed");
        assert_eq!(failed, TRIES, "{death}: the failures of both workers are one count\n{journal}");
        assert!(files.entries(run, "attempt_lost") <= 1, "{death}: one worker was killed\n{journal}");
        let count = files.ledger().count(&run.to_string(), "reserve").unwrap();
        assert_eq!((count.made, count.standing), (1, 1), "{death}\n{journal}");
        let review = review(&files.client(), run).await.unwrap();
        assert!(review.last.message.contains("cannot be reached"), "{death}: {review:?}");
        let first = review.first.unwrap();
        assert!(first.message.contains("refused, as planned"), "{death}: why it was undone at all: {first:?}");
    }
}

#[tokio::test]
async fn an_undo_that_gets_through_after_the_kill_ends_the_run() {
    for death in ["before-commit:attempt_failed:reserve", "after-commit:attempt_failed:reserve@5"] {
        let (files, run, end) = killed_at(death, true).await;
        let journal = files.journal(run);
        assert_eq!(end.as_deref(), Some("refused"), "{death}\n{journal}");
        let count = files.ledger().count(&run.to_string(), "reserve").unwrap();
        assert_eq!((count.made, count.standing, count.undos), (1, 0, 1), "{death}\n{journal}");
        assert_eq!(files.entries(run, "review_opened"), 0, "{death}\n{journal}");
    }
}
