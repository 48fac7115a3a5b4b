use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    let slot = reserve(cx, 1)?;
    publish_reserved(cx, slot).await?;
    Ok(())
}

fn main() {}
