use saga_tests::prelude::*;

mod payment {
    use super::*;

    #[derive(Debug, Serialize, Deserialize, Signal)]
    pub struct Decision;
}

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    signal::<Decision>(cx).within(days(1)).await;
    signal::<payment::Decision>(cx).within(days(1)).await;
    Ok(())
}

fn main() {}
