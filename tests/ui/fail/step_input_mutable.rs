use saga_tests::prelude::*;

#[step(irreversible, idempotent)]
pub async fn pay(_cx: &StepCx<Gateway>, _total: &mut u64) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
