use saga_tests::prelude::*;

#[saga(version = 0, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    publish(cx, 1).await?;
    Ok(())
}

fn main() {}
