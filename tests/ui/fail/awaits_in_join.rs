use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    let (_, _) = tokio::join!(look(cx), later());
    Ok(())
}

async fn later() {}

fn main() {}
