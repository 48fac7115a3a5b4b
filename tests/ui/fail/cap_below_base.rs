use saga_tests::prelude::*;

#[step(irreversible, idempotent, retry(base = "5s", cap = "1s"))]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
