use saga_tests::prelude::*;

#[step(irreversible, idempotent)]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), String> {
    Ok(())
}

fn main() {}
