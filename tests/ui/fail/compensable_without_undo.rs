use saga_tests::prelude::*;

#[step(compensable, idempotent)]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
