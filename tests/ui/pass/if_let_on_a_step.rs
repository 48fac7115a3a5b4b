//! `if let` and `is_err` part the flow as `match` does.

use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    if let Err(refused) = publish(cx, 1).await {
        return Err(refused.into());
    }
    if announce(cx).await.is_err() {
        return Err(Refusal::No);
    }
    Ok(())
}

fn main() {}
