use saga_tests::prelude::*;

#[step(irreversible, idempotent, timeout = "0s")]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
