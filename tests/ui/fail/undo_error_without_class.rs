use saga_tests::prelude::*;

#[step(compensable(undo = refund), idempotent)]
pub async fn pay(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
    Ok(())
}

pub async fn refund(_cx: &StepCx<Gateway>, _made: Option<&()>) -> Result<(), String> {
    Ok(())
}

fn main() {}
