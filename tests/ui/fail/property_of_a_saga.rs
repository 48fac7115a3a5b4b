use saga_tests::prelude::*;

#[step(irreversible, idempotent, version = 1)]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
