use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga, _cart: Cart) -> Result<(), Refusal> {
    publish(cx, 1).await?;
    Ok(())
}

pub struct Cart;

fn main() {}
