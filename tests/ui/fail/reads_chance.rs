use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    let id = rand::random::<u64>();
    publish(cx, id).await?;
    Ok(())
}

mod rand {
    pub fn random<T: Default>() -> T {
        T::default()
    }
}

fn main() {}
