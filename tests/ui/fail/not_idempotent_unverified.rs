use saga_tests::prelude::*;

#[step(irreversible, not_idempotent)]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
