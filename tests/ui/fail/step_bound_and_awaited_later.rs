use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    let call = publish(cx, 1);
    call.await?;
    Ok(())
}

fn main() {}
