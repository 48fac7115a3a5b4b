use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    let found = look(cx).await?;
    publish_reserved(cx, found).await?;
    Ok(())
}

fn main() {}
