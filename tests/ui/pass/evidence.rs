//! Evidence by reference stays, by value it is consumed.

use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    let slot = reserve(cx, 1).await?;
    label(cx, &slot).await?;
    label(cx, &slot).await?;
    publish_reserved(cx, slot).await?;
    Ok(())
}

fn main() {}
