//! Branches that differ, before and after the pivot.

use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga, rush: bool) -> Result<(), Refusal> {
    if rush {
        reserve(cx, 1).await?;
        publish(cx, 1).await?;
    } else if *look(cx).await? {
        publish(cx, 2).await?;
    }
    thank(cx).await?;
    Ok(())
}

fn main() {}
