//! A step whose refusal is handled: the pivot lies only on the path where it completed.

use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    match publish(cx, 1).await {
        Ok(_) => {
            thank(cx).await?;
            Ok(())
        }
        Err(refused) => {
            reserve(cx, 2).await?;
            Err(refused.into())
        }
    }
}

fn main() {}
