use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    publish(cx, 1).await?;
    Ok(())
}

fn register<S: saga_core::RunsOn<P>, P>() {}

pub struct Other;

fn main() {
    register::<order, Other>();
}
