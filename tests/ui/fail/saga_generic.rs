use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order<T: Send>(cx: &mut Saga, _item: T) -> Result<(), Refusal> {
    publish(cx, 1).await?;
    Ok(())
}

fn main() {}
