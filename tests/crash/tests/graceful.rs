//! A worker that is asked to stop (SIGTERM) is not a worker that failed: nothing is undone for it, no attempt is counted, and
//! the next worker goes on at once.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod support;

use saga_core::journal::Phase;
use saga_core::{CallNumber, RunId};
use saga_crash::ledger::Count;
use saga_crash::sagas::{Plan, begin};
use std::time::{Duration, Instant};
use support::{Files, settled};

/// So long that a test which waits for it to end has failed.
const LEASE: &str = "30000";

struct Stopped {
    files: Files,
    run: RunId,
    count: Count,
    end: String,
}

/// Starts a run, stops its worker in the middle of `slow`, and lets another worker go on.
async fn stop_in(class: &str, step: &str, refuse: bool, slow: &str, phase: Phase, grace: &str) -> Stopped {
    let files = Files::new();
    let client = files.client();
    let run = begin(&client, class, Plan { item: "item".to_owned(), refuse }).await.unwrap();
    let mut first = files.worker(&["--lease", LEASE, "--slow", slow, "--grace", grace]);
    let began = Instant::now();
    loop {
        let journal = client.inspect(run).await.unwrap();
        if journal.step(CallNumber(0)).is_some_and(|step| step.running() == Some(phase)) {
            break;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "the attempt never began\n{}", files.journal(run));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    first.terminate();
    let status = first.ended_within(Duration::from_secs(10)).await;
    assert!(status.is_some_and(|status| status.success()), "the stop was not graceful: {status:?}");
    assert_eq!(files.entries(run, "attempt_lost"), 0, "nothing is lost in a graceful stop\n{}", files.journal(run));

    let _second = files.worker(&["--lease", LEASE]);
    let Some(end) = settled(&client, run, Duration::from_secs(15)).await else {
        panic!("the run was not handed over\n{}", files.journal(run));
    };
    let state = client.inspect(run).await.unwrap();
    let attempts = state.step(CallNumber(0)).unwrap();
    for phase in [Phase::Forward, Phase::Undo] {
        let attempts = attempts.attempts(phase);
        assert_eq!((attempts.failed, attempts.lost), (0, 0), "{phase:?} was counted\n{}", files.journal(run));
    }
    let count = files.ledger().count(&run.to_string(), step).unwrap();
    Stopped { files, run, count, end }
}

#[tokio::test]
async fn a_stop_in_a_long_step_undoes_nothing_and_counts_nothing() {
    for (class, step, end, made) in [
        ("keyed", "reserve", "completed", 1),
        ("natural", "mark", "completed", 1),
        ("verified", "charge", "completed", 1),
        ("numbered", "ticket", "completed", 1),
        ("kept", "archive", "completed", 1),
        // Whether the interrupted attempt arrived cannot be looked up: the class asks a person.
        ("reviewed", "post", "review/unknown_outcome/clerks", 0),
    ] {
        let slow = format!("{step}=20000");
        let stopped = stop_in(class, step, false, &slow, Phase::Forward, "50").await;
        let journal = stopped.files.journal(stopped.run);
        assert_eq!(stopped.end, end, "{class}\n{journal}");
        assert_eq!(stopped.files.entries(stopped.run, "attempt_interrupted"), 1, "{class}\n{journal}");
        assert_eq!(stopped.files.entries(stopped.run, "unwind_started"), 0, "{class}\n{journal}");
        let Count { made: found, standing, sent, undos } = stopped.count;
        assert_eq!((found, standing, sent, undos), (made, made, made, 0), "{class}\n{journal}");
    }
}

#[tokio::test]
async fn a_stop_with_enough_grace_records_the_answer() {
    let stopped = stop_in("verified", "charge", false, "charge=600", Phase::Forward, "8000").await;
    let journal = stopped.files.journal(stopped.run);
    assert_eq!(stopped.end, "completed", "{journal}");
    assert_eq!(stopped.files.entries(stopped.run, "attempt_interrupted"), 0, "{journal}");
    assert_eq!(stopped.files.entries(stopped.run, "attempt_started"), 0, "no second attempt, no check\n{journal}");
    assert_eq!((stopped.count.made, stopped.count.sent, stopped.count.undos), (1, 1, 0), "{journal}");
}

#[tokio::test]
async fn a_stop_in_a_long_undo_is_no_failed_undo() {
    let stopped = stop_in("keyed", "reserve", true, "undo:reserve=20000", Phase::Undo, "50").await;
    let journal = stopped.files.journal(stopped.run);
    assert_eq!(stopped.end, "refused", "{journal}");
    assert_eq!(stopped.files.entries(stopped.run, "attempt_interrupted"), 1, "{journal}");
    assert_eq!((stopped.count.made, stopped.count.standing, stopped.count.undos), (1, 0, 1), "{journal}");
}
