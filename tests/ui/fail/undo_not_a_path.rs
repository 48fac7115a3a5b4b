use saga_tests::prelude::*;

#[step(compensable(undo = "refund"), idempotent)]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
