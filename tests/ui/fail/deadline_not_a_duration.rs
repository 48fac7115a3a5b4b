use saga_tests::prelude::*;

#[saga(version = 1, owner = "me", deadline = "soon")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    publish(cx, 1).await?;
    Ok(())
}

fn main() {}
