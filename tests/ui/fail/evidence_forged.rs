use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    publish_reserved(cx, Done { output: 1 }).await?;
    Ok(())
}

fn main() {}
