use saga_tests::prelude::*;

#[step(irreversible, idempotent, requires(helper))]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    pay(cx).await?;
    Ok(())
}

fn main() {}
