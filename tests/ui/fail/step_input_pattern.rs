use saga_tests::prelude::*;

#[step(irreversible, idempotent)]
pub async fn pay(_cx: &StepCx<Gateway>, (_a, _b): (u64, u64)) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
