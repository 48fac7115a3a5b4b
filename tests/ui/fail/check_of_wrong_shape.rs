use saga_tests::prelude::*;

#[step(verifiable(check = find), idempotent)]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

pub async fn find(_cx: &StepCx<Gateway>) -> Result<bool, Refused> {
    Ok(true)
}

fn main() {}
