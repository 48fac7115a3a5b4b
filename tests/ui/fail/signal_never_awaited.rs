use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    publish(cx, 1).await?;
    Ok(())
}

fn send<S: saga_core::Awaits<M>, M: Signal>(_: M) {}

fn main() {
    send::<order, Decision>(Decision::Approve);
}
