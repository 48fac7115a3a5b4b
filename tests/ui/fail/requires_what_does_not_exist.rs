use saga_tests::prelude::*;

#[step(irreversible, idempotent, requires(reserv))]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
