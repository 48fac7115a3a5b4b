//! The memory store passes the suite that every store must pass.
#![cfg(feature = "conformance")]

use saga_core::store::conformance::{Fresh, run, suite};
use saga_core::store::{ManualClock, MemoryStore};
use std::collections::HashSet;

#[tokio::test(flavor = "multi_thread")]
async fn the_memory_store_keeps_the_contract() {
    run(async || {
        let clock = ManualClock::at(Fresh::START);
        Fresh::new(MemoryStore::with_clock(clock.clone())).with_clock(clock)
    })
    .await;
}

#[test]
fn cases_have_names_of_their_own_and_expect_something() {
    let suite = suite();
    let names: HashSet<&str> = suite.iter().map(|case| case.name).collect();
    assert_eq!(names.len(), suite.len());
    assert!(suite.iter().all(|case| !case.expected.is_empty()));
    assert!(suite.len() > 100, "{} cases", suite.len());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes half a minute: time really passes"]
async fn the_suite_is_passed_also_by_a_clock_of_its_own() {
    run(async || Fresh::new(MemoryStore::new())).await;
}
