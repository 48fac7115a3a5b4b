use saga_tests::prelude::*;

#[step(irreversible, idempotent(key))]
pub async fn pay(cx: &StepCx<Gateway>) -> Result<(), Refused> {
    let _ = cx.env();
    Ok(())
}

fn main() {}
