use saga_tests::prelude::*;

#[step(verifiable(check), idempotent)]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
