use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    loop {
        leave!();
    }
    publish(cx, 1).await?;
    reserve(cx, 1).await?;
    Ok(())
}

#[macro_export]
macro_rules! leave {
    () => {
        break
    };
}

fn main() {}
