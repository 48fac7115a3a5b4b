use saga_tests::prelude::*;

#[step(irreversible, idempotent)]
pub async fn pay(_cx: &StepCx<Gateway>, #[cfg(unix)] _amount: u64) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
