use saga_tests::prelude::*;

#[step(irreversible, idempotent, retry(times = "five"))]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
