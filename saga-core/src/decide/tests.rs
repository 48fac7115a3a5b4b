//! Walks over random scripts: every effect is accounted for, every prefix of a journal is accepted, and all of the core is reached.

use super::walk::{BEFORE_PIVOT, Script, Walk, refold, world};
use super::*;
use crate::run::RunId;
use proptest::prelude::*;

fn scripts() -> impl Strategy<Value = Script> {
    let before = proptest::collection::vec(0..BEFORE_PIVOT, 0..4);
    let pivot = proptest::option::of(BEFORE_PIVOT..BEFORE_PIVOT + 2);
    let after = proptest::collection::vec(BEFORE_PIVOT + 2..BEFORE_PIVOT + 4, 0..2);
    let choices = proptest::collection::vec(any::<u8>(), 0..120);
    (before, pivot, after, any::<bool>(), any::<bool>(), choices).prop_map(
        |(mut steps, pivot, after, waits, refuses, choices)| {
            let refuses = refuses && pivot.is_none();
            if let Some(pivot) = pivot {
                steps.push(pivot);
                steps.extend(after);
            }
            Script { steps, waits, refuses, choices }
        },
    )
}
/// More walks than the default when asked: `PROPTEST_CASES=100000 cargo test -p saga-core walk`.
#[test]
fn every_walk_accounts_for_every_effect() {
    let (contracts, definition) = world();
    proptest!(ProptestConfig::with_cases(ProptestConfig::default().cases.max(2_000)), |(script in scripts())| {
        let mut walk = Walk::new(script, contracts, definition);
        walk.drive();
        walk.check();
    });
}

/// Recovery accepts every prefix that the core can write, and a run goes on from each of them to an end.
#[test]
fn every_prefix_is_accepted_and_goes_on_to_an_end() {
    let (contracts, definition) = world();
    proptest!(ProptestConfig::with_cases(ProptestConfig::default().cases.max(200)), |(script in scripts())| {
        let mut whole = Walk::new(script.clone(), contracts, definition);
        whole.drive();
        for length in 1..=whole.journal.len() {
            let mut walk = Walk::new(script.clone(), contracts, definition);
            walk.journal.truncate(0);
            walk.journal.extend(whole.journal[..length].iter().cloned());
            walk.faults = false;
            walk.now = whole.now;
            walk.crash();
            walk.drive();
            prop_assert!(walk.run.ended().is_some());
        }
    });
}

/// Entries in any order are either folded or refused, never a panic; a refused one leaves the run as it was.
#[test]
fn arbitrary_entries_never_panic_and_a_refused_one_changes_nothing() {
    let (contracts, definition) = world();
    proptest!(|(left in scripts(), right in scripts(), picks in proptest::collection::vec(any::<prop::sample::Index>(), 1..60))| {
        let entries: Vec<Entry> = [left, right]
            .into_iter()
            .flat_map(|script| {
                let mut walk = Walk::new(script, contracts, definition);
                walk.drive();
                walk.journal.into_iter().map(|(entry, _)| entry)
            })
            .collect();
        let mut run = Run::begin(RunId(Uuid::nil()), &entries[0], Timestamp(0)).unwrap();
        for pick in picks {
            let before = run.clone();
            if run.apply(pick.get(&entries), Timestamp(9)).is_err() {
                prop_assert_eq!(&run, &before);
            }
            let body = BodyAt::Unknown;
            let situation = Situation { run: &run, definition, body: &body, inbox: &[], now: Timestamp(9), in_flight: false, fresh: Uuid::nil() };
            let _ = next(&situation);
            let _ = Head::of(&run);
        }
    });
}

/// The walks are worth something only if they get everywhere.
#[test]
fn walks_reach_every_kind_of_entry_end_and_review() {
    use proptest::strategy::ValueTree;
    let (contracts, definition) = world();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..4_000 {
        let script = scripts().new_tree(&mut runner).unwrap().current();
        let mut walk = Walk::new(script, contracts, definition);
        walk.drive();
        for (entry, _) in &walk.journal {
            seen.insert(entry.kind().to_owned());
            if let Entry::ReviewOpened { reason, .. } = entry {
                seen.insert(reason.name().to_owned());
            }
        }
        seen.insert(Head::of(&walk.run).state.name().to_owned());
    }
    let wanted = [
        "started",
        "step_intended",
        "attempt_started",
        "attempt_failed",
        "attempt_lost",
        "attempt_interrupted",
        "looked",
        "step_done",
        "step_failed",
        "undone",
        "kept",
        "wait_started",
        "wait_elapsed",
        "cancel_taken",
        "unwind_started",
        "review_opened",
        "review_settled",
        "ended",
        "unknown_outcome",
        "undo_failed",
        "undo_refused",
        "completed",
        "refused",
        "cancelled",
        "abandoned",
    ];
    let missing: Vec<&str> = wanted.into_iter().filter(|kind| !seen.contains(*kind)).collect();
    assert!(missing.is_empty(), "no walk reached {missing:?}");
}

/// Its worker is lost at the same place again and again: a person is asked, and the next worker is spared.
#[test]
fn a_worker_that_is_lost_again_and_again_ends_in_a_review() {
    let (contracts, definition) = world();
    for (steps, sent) in [(vec![0], CRASH_LIMIT), (vec![2], 1)] {
        let script = Script { steps, waits: false, refuses: false, choices: vec![5; 200] };
        let mut walk = Walk::new(script, contracts, definition);
        let mut opened = None;
        for _ in 0..100 {
            walk.step_once();
            opened = walk.run.open_review().map(|review| review.reason);
            if opened.is_some() {
                break;
            }
        }
        let step = walk.run.step(CallNumber(0)).unwrap();
        let wanted = if sent == 1 { Reason::UnknownOutcome } else { Reason::CrashLoop };
        assert_eq!((opened, step.forward.started), (Some(wanted), sent));
    }
}

#[test]
fn an_unwind_does_not_look_again_at_what_is_settled() {
    let entries = [
        r#"{"started":{"saga":"s","version":1,"fingerprint":7,"inputs":"{}"}}"#,
        r#"{"step_intended":{"call":0,"step":"a","inputs":"{}"}}"#,
        r#"{"step_done":{"call":0,"output":"1","by":"reply"}}"#,
        r#"{"step_intended":{"call":1,"step":"b","inputs":"{}"}}"#,
        r#"{"step_done":{"call":1,"output":"1","by":"reply"}}"#,
        r#"{"step_intended":{"call":2,"step":"c","inputs":"{}","consumes":[0]}}"#,
        r#"{"step_done":{"call":2,"output":"1","by":"reply"}}"#,
        r#"{"unwind_started":{"cause":"deadline_exceeded"}}"#,
        r#"{"attempt_started":{"call":2,"phase":"undo","attempt":1}}"#,
        r#"{"undone":{"call":2,"by":"reply"}}"#,
    ];
    let journal: Vec<(Entry, Timestamp)> =
        entries.iter().map(|text| (serde_json::from_str(text).unwrap(), Timestamp(0))).collect();
    let unsettled = |length| refold(&journal[..length]).unsettled_steps().map(|(call, _)| call.0).collect::<Vec<_>>();
    assert_eq!((unsettled(6), unsettled(7), unsettled(10)), (vec![0, 1, 2], vec![1, 2], vec![1]));
}
