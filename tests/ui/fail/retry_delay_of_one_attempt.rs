use saga_tests::prelude::*;

#[step(irreversible, idempotent, retry(times = 1, base = "1s"))]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
