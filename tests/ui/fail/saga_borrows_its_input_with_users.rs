use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga, name: &str) -> Result<(), Refusal> {
    publish(cx, name.len() as u64).await?;
    Ok(())
}

pub async fn user(client: saga_core::Client) -> Result<(), saga_core::ClientError> {
    client.start(order("me")).await?;
    Ok(())
}

fn main() {}
