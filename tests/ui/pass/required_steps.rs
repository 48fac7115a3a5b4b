//! `requires` is met on every path, through branches and loops.

use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga, early: bool) -> Result<(), Refusal> {
    if early {
        reserve(cx, 1).await?;
    } else {
        while reserve(cx, 2).await.is_err() {}
    }
    publish_any(cx).await?;
    Ok(())
}

fn main() {}
