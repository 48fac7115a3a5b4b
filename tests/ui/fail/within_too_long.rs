use saga_tests::prelude::*;

#[step(irreversible, idempotent, within = "200y")]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
