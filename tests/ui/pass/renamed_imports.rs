//! Steps and waits under other names keep their own in the journal.

use saga_core::{SagaType, signal as wait_for};
use saga_tests::prelude::reserve as hold;
use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    let slot = hold(cx, 1).await?;
    match wait_for::<Decision>(cx).within(days(1)).await {
        Some(Decision::Approve) => {}
        Some(Decision::Reject) | None => return Err(Refusal::No),
    }
    publish_reserved(cx, slot).await?;
    Ok(())
}

fn main() {
    assert!(order::DEFINITION.step("reserve").is_some());
    assert_eq!(order::DEFINITION.signals(), ["Decision"]);
}
