//! A result that is bound first and matched later.

use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    let result = publish(cx, 1).await;
    match result {
        Ok(_) => Ok(()),
        Err(refused) => Err(refused.into()),
    }
}

fn main() {}
