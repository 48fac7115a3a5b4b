use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga, id: u64) -> Result<(), Refusal> {
    if id > 0 {
        reserve(cx, id).await?;
    }
    publish_any(cx).await?;
    Ok(())
}

fn main() {}
