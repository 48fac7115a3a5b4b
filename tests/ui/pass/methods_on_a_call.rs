//! Methods behind an awaited call keep what is known of it.

use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    let slot = reserve(cx, 1).await.map_err(Refusal::from)?;
    publish_reserved(cx, slot).await.map(|done| done.into_inner()).map_err(|refused| refused.into())
}

fn main() {}
