use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga, id: u64) -> Result<(), Refusal> {
    'reserved: {
        leave!('reserved, id == 0);
        reserve(cx, 1).await?;
    }
    publish_any(cx).await?;
    Ok(())
}

#[macro_export]
macro_rules! leave {
    ($block:lifetime, $when:expr) => {
        if $when {
            break $block;
        }
    };
}

fn main() {}
