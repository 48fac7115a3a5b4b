use saga_tests::prelude::*;

#[step(irreversible, idempotent, retry(base = "200"))]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
