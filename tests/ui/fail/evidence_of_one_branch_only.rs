use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga, id: u64) -> Result<(), Refusal> {
    let slot;
    if id > 0 {
        slot = reserve(cx, id).await?;
    }
    publish_reserved(cx, slot).await?;
    Ok(())
}

fn main() {}
