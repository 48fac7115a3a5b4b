use saga_tests::prelude::*;

#[step(irreversible, idempotent, timeout = "5m", within = "2m")]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
