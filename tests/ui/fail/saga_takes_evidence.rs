use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga, slot: Done<reserve>) -> Result<(), Refusal> {
    publish_reserved(cx, slot).await?;
    Ok(())
}

fn main() {}
