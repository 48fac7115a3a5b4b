use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<Receipt, Refusal> {
    publish(cx, 1).await?;
    Ok(Receipt)
}

pub struct Receipt;

fn main() {}
