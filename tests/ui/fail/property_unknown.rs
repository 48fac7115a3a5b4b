use saga_tests::prelude::*;

#[step(irreversible, idempotent, time_out = "5s")]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
