use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn ship(cx: &mut Saga, id: u64) -> Result<(), Refusal> {
    publish(cx, id).await?;
    Ok(())
}

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    ship(1).await?;
    Ok(())
}

fn main() {}
