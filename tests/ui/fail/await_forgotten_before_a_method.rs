use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    publish(cx, 1).map_err(|_| Refusal::No)?;
    Ok(())
}

fn main() {}
