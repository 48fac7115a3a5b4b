use saga_tests::prelude::*;

#[step(irreversible, idempotent)]
pub async fn pay(_cx: &StepCx<Gateway>, _name: Option<&str>) -> Result<(), Refused> {
    Ok(())
}

fn main() {}
