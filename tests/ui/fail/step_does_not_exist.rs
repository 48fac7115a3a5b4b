use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    let slot = reserv(cx, 1).await?;
    publish_any(cx).await?;
    drop(slot);
    Ok(())
}

fn main() {}
