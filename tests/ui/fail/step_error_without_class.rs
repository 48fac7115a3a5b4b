use saga_tests::prelude::*;

#[step(irreversible, idempotent)]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), std::fmt::Error> {
    Ok(())
}

fn main() {}
