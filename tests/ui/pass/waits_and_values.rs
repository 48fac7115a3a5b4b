//! Signals, pauses and journaled values.

use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    let begun = now(cx).await;
    let id = new_uuid(cx).await;
    sleep(cx, seconds(5)).await;
    let decision = signal::<Decision>(cx).forever().await;
    if now(cx).await.since(begun) > days(1) || matches!(decision, Decision::Reject) {
        return Err(Refusal::No);
    }
    publish(cx, u64::from(id.is_nil())).await?;
    Ok(())
}

fn main() {}
