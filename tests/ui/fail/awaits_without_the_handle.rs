use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(_cx: &mut Saga) -> Result<(), Refusal> {
    work().await;
    Ok(())
}

async fn work() {}

fn main() {}
