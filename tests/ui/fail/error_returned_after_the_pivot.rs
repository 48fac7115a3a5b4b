use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga, id: u64) -> Result<(), Refusal> {
    publish(cx, 1).await?;
    if id > 0 {
        return Err(Refusal::No);
    }
    Ok(())
}

fn main() {}
