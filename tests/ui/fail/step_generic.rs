use saga_tests::prelude::*;

#[step(irreversible, idempotent)]
pub async fn pay<T: Send>(_cx: &StepCx<Gateway>, _item: T) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
