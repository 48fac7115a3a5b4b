use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    signal::<u64>(cx).within(days(1)).await;
    Ok(())
}

fn main() {}
