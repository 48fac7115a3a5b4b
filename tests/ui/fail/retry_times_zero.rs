use saga_tests::prelude::*;

#[step(irreversible, idempotent, retry(times = 0))]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
