//! For every class of step and every boundary: a worker is killed there, a fresh one goes on, and the ledger and the run's
//! end are held against what the class promises.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "../support/mod.rs"]
mod support;
mod tables;

use saga_core::{CancelAnswer, Client};
use saga_crash::sagas::{CLASSES, Go, Plan, begin, cancel, waiting};
use std::sync::Arc;
use std::time::Duration;
use support::{Files, settled, was_killed};
use tables::*;
use tokio::sync::Semaphore;

#[derive(Debug, Clone)]
struct Case {
    class: &'static str,
    step: &'static str,
    boundary: &'static str,
    then: Then,
    deaths: Vec<String>,
    expected: String,
}

fn cases(table: &Table) -> Vec<Case> {
    let mut cases = Vec::new();
    for row in table.rows.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let mut cells = row.split_whitespace();
        let name = cells.next().unwrap();
        let (class, step) = *CLASSES.iter().find(|(class, _)| *class == name).unwrap();
        let cells: Vec<&str> = cells.collect();
        assert_eq!(cells.len(), table.columns.len(), "every class has a cell for every boundary: {row}");
        for ((boundary, deaths), cell) in table.columns.iter().zip(cells).filter(|(_, cell)| *cell != "-") {
            let deaths = deaths.iter().map(|death| death.replace('%', step)).collect();
            // A review says why and who, in every case.
            let expected = cell.replace("ask-", "review/unknown_outcome/").replace("crash_loop-", "review/crash_loop/");
            cases.push(Case { class, step, boundary, then: table.then, deaths, expected });
        }
    }
    cases
}

async fn between(case: &Case, client: &Client, run: saga_core::RunId) -> Result<(), String> {
    let answer = match case.then {
        Then::Cancel => Some((cancel(client, case.class, run).await.unwrap(), CancelAnswer::Accepted)),
        Then::CancelTooLate => Some((cancel(client, case.class, run).await.unwrap(), CancelAnswer::PastPivot)),
        Then::SignalMeanwhile => {
            client.run::<waiting>(run).await.unwrap().send(Go).await.unwrap();
            None
        }
        Then::Go | Then::Refuse | Then::SignalFirst => None,
    };
    match answer {
        Some((answer, expected)) if answer != expected => {
            Err(format!("the cancel answered {answer:?}, not {expected:?}"))
        }
        _ => Ok(()),
    }
}

/// What is wrong, if anything.
async fn play(case: &Case) -> Result<(), String> {
    let files = Files::new();
    let client = files.client();
    let plan = Plan { item: "item".to_owned(), refuse: case.then == Then::Refuse };
    let run = begin(&client, case.class, plan).await.unwrap();
    if case.then == Then::SignalFirst {
        client.run::<waiting>(run).await.unwrap().send(Go).await.unwrap();
    }
    let wrong = |what: String| Err(format!("{what}\n{}", files.journal(run)));
    for death in &case.deaths {
        let mut worker = files.worker(&["--lease", "400", "--die", death]);
        match worker.ended_within(Duration::from_secs(60)).await {
            Some(status) if was_killed(status) => {}
            Some(status) => return wrong(format!("`{death}`: the worker ended with {status}")),
            None => return wrong(format!("`{death}` was never reached")),
        }
    }
    if let Err(why) = between(case, &client, run).await {
        return wrong(why);
    }
    let _worker = files.worker(&["--lease", "400"]);
    let Some(end) = settled(&client, run, Duration::from_secs(60)).await else {
        return wrong("the run neither ends nor asks".to_owned());
    };
    let asked = Duration::from_millis(if case.class == "waiting" { 2_000 } else { 150 });
    if let Err(why) = files.waits_kept(run, asked) {
        return wrong(why);
    }
    let ledger = files.ledger();
    let run_text = run.to_string();
    let count = ledger.count(&run_text, case.step).unwrap();
    let found = format!("{end}:{}/{}", count.made, count.standing);
    if found != case.expected {
        return wrong(format!("expected {}, found {found} ({count:?})", case.expected));
    }
    for step in ["charge", "post", "ticket", "archive", "print", "deliver"] {
        let count = ledger.count(&run_text, step).unwrap();
        if count.made > 1 || count.sent > 1 {
            return wrong(format!("`{step}` is not idempotent and was sent {} times", count.sent));
        }
    }
    let slot = ledger.count(&run_text, "reserve").unwrap();
    match end.as_str() {
        "completed" if slot.made != slot.standing || slot.made > 1 => {
            wrong(format!("the slot of a completed run: {slot:?}"))
        }
        "refused" | "cancelled" if slot.standing != 0 => wrong(format!("a slot is left: {slot:?}")),
        _ => Ok(()),
    }
}

async fn play_all(table: &Table) {
    let cases = cases(table);
    assert!(!cases.is_empty());
    // Most of a case is waiting for a lease to end; more at once would only make the leases of the living end too.
    let room = Arc::new(Semaphore::new(6));
    let playing: Vec<_> = cases
        .into_iter()
        .map(|case| {
            let room = room.clone();
            tokio::spawn(async move {
                let _permit = room.acquire().await.unwrap();
                let result = play(&case).await;
                (case, result)
            })
        })
        .collect();
    let (mut lines, mut failed) = (Vec::new(), 0);
    for played in playing {
        let (case, result) = played.await.unwrap();
        let verdict = result.as_ref().map_or_else(|why| format!("WRONG: {why}"), |()| "as promised".to_owned());
        failed += usize::from(result.is_err());
        lines.push(format!("{:<15} {:<30} {:<45} {verdict}", case.class, case.boundary, case.expected));
    }
    assert_eq!(failed, 0, "{failed} of {} cases:\n{}", lines.len(), lines.join("\n"));
}

macro_rules! tables {
    ($($name:ident: $table:expr),* $(,)?) => { $(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            play_all(&$table).await;
        }
    )* };
}

tables! {
    a_kill_around_a_step_leaves_what_its_class_promises: FORWARD,
    a_kill_in_a_check_leaves_the_effect_once: CHECK,
    a_kill_in_an_unwind_leaves_nothing_but_what_is_kept: UNDO,
    a_cancel_of_a_run_whose_worker_was_killed_is_carried_out: CANCEL,
    a_cancel_behind_a_pivot_whose_worker_was_killed_is_too_late: CANCEL_TOO_LATE,
    a_kill_in_a_wait_does_not_begin_it_anew: WAIT,
    a_signal_survives_the_kill_of_whoever_took_it_up: SIGNAL_FIRST,
    a_signal_to_a_run_without_a_worker_is_delivered: SIGNAL_MEANWHILE,
    a_worker_that_is_lost_again_and_again_is_brought_before_a_person: LOOP,
}

#[test]
fn every_class_has_its_row() {
    let rows = [&FORWARD, &WAIT].map(cases).concat();
    for (class, _) in CLASSES {
        assert!(rows.iter().any(|case| case.class == *class), "{class} is never killed");
    }
}
