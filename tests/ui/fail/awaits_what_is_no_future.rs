use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    let found: bool = std::mem::size_of::<u64>().await;
    publish(cx, u64::from(found)).await?;
    Ok(())
}

fn main() {}
