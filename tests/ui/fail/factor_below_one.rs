use saga_tests::prelude::*;

#[step(irreversible, idempotent, retry(factor = 0.5))]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
