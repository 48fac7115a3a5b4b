//! `let .. else` parts the flow.

use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    let Ok(slot) = reserve(cx, 1).await else {
        return Err(Refusal::No);
    };
    let Some(Decision::Approve) = signal::<Decision>(cx).within(days(3)).await else {
        return Err(Refusal::No);
    };
    let Ok(_) = publish_reserved(cx, slot).await else {
        return Err(Refusal::No);
    };
    Ok(())
}

fn main() {}
