use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga, id: u64) -> Result<(), Refusal> {
    publish(cx, 1).await?;
    ensure!(id > 0);
    Ok(())
}

#[macro_export]
macro_rules! ensure {
    ($holds:expr) => {
        if !$holds {
            return Err(Refusal::No);
        }
    };
}

fn main() {}
