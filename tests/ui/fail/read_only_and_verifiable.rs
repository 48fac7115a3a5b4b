use saga_tests::prelude::*;

#[step(read_only, verifiable(check = find), idempotent)]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

pub async fn find(_cx: &StepCx<Gateway>) -> Result<Found<()>, Refused> {
    Ok(Found::NotApplied)
}

fn main() {}
