use saga_tests::prelude;
use saga_tests::prelude::{Refusal, Saga, saga};

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    prelude::publsh(cx, 1).await?;
    Ok(())
}

fn main() {}
