use saga_tests::prelude::*;

#[step(irreversible, idempotent)]
pub async fn pay(_cx: &StepCx<Gateway>, _card: Card) -> Result<(), Refused> {
    Ok(())
}

pub struct Card(pub String);

fn main() {}
