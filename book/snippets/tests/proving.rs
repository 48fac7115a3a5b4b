//! The book's chapter on proving a saga: what it shows, run.

#![allow(clippy::panic)]

// ANCHOR: walk
use book_snippets::{Decision, Gateway, Publication, Slot, Submission, approval, publish, reserve_slot};
use saga_core::decide::State;
use saga_core::simulate::explore;

#[test]
fn an_approval_accounts_for_every_effect_whatever_goes_wrong() {
    let submission = || Submission { title: "On sagas".to_owned() };
    let walked = explore(move || approval(submission()))
        .environment(|_| Gateway::default())
        .output::<reserve_slot>(|| Slot(4))
        .output::<publish>(|| Publication(9))
        .signal(Decision::Approve)
        .signal(Decision::Reject { reason: "too short".to_owned() })
        .check("who is not published holds no slot", |end| {
            !matches!(end.state, State::Refused | State::Cancelled) || end.world.keys().is_empty()
        })
        .faults(2)
        .run();
    let summary = walked.unwrap_or_else(|found| panic!("{found}"));
    assert!(summary.schedules > 1_000 && summary.ends.len() > 4, "{summary}");
}
// ANCHOR_END: walk
