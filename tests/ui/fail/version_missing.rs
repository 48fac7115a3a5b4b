use saga_tests::prelude::*;

#[saga(owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    publish(cx, 1).await?;
    Ok(())
}

fn main() {}
