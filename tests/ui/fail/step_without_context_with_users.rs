use saga_tests::prelude::*;

#[step(irreversible, idempotent)]
pub async fn pay(_amount: u64) -> Result<u64, Refused> {
    Ok(1)
}

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<u64, Refusal> {
    Ok(pay(cx, 3).await?.into_inner())
}

fn main() {}
