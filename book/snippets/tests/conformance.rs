//! The suite that every store must pass, as the author of a store runs it; here with the memory store.

// ANCHOR: suite
use saga_core::store::conformance::{Fresh, run};
use saga_core::store::{ManualClock, MemoryStore};

#[tokio::test(flavor = "multi_thread")]
async fn the_store_keeps_the_contract() {
    run(async || {
        let clock = ManualClock::at(Fresh::START);
        Fresh::new(MemoryStore::with_clock(clock.clone())).with_clock(clock)
    })
    .await;
}
// ANCHOR_END: suite
