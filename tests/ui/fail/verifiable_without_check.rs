use saga_tests::prelude::*;

#[step(verifiable, idempotent)]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
