use saga_tests::prelude::*;

#[step(irreversible, idempotent, redact(card))]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
