use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    let id = std::env::var("ID").map_or(0, |id| id.len() as u64);
    publish(cx, id).await?;
    Ok(())
}

fn main() {}
