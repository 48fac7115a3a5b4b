use saga_tests::prelude::*;

#[step(irreversible, idempotent, requires(sleep))]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
