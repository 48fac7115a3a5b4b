use saga_tests::prelude::*;

#[step(irreversible, idempotent)]
pub async fn pay(_cx: &StepCx<Gateway>) -> u64 {
    1
}

fn main() {}
