use saga_tests::prelude::*;

#[step(irreversible, read_only, idempotent)]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
