use saga_tests::prelude::*;

#[step(irreversible, idempotent, crate = "saga_core")]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
