use saga_tests::prelude::*;

#[step(irreversible, idempotent)]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<Receipt, Refused> {
    Ok(Receipt)
}

pub struct Receipt;

fn main() {}
