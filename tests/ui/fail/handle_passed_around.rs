use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    let other = cx;
    publish(other, 1).await?;
    Ok(())
}

fn main() {}
