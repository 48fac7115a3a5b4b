use saga_tests::prelude::*;
use std::hash::{BuildHasher, RandomState};

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    let id = RandomState::new().hash_one(1);
    publish(cx, id).await?;
    Ok(())
}

fn main() {}
