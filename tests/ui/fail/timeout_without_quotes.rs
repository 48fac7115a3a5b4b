use saga_tests::prelude::*;

#[step(irreversible, idempotent, timeout = 5)]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
