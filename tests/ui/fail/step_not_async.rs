use saga_tests::prelude::*;

#[step(irreversible, idempotent)]
pub fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
