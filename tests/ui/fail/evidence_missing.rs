use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    publish_reserved(cx).await?;
    Ok(())
}

fn main() {}
