use saga_tests::prelude::*;

#[saga(version = 1)]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    publish(cx, 1).await?;
    Ok(())
}

fn main() {}
