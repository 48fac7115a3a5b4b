use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    async { publish(cx, 1).await }.await?;
    Ok(())
}

fn main() {}
