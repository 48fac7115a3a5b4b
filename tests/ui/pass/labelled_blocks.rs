//! A labelled block that is left with a value.

use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    let chosen = 'choose: {
        if *look(cx).await? {
            break 'choose 1;
        }
        reserve(cx, 2).await?;
        2
    };
    let ended: Result<u64, Refusal> = 'end: {
        if chosen == 2 {
            break 'end Err(Refusal::No);
        }
        Ok(chosen)
    };
    let id = ended?;
    publish(cx, id).await?;
    Ok(())
}

fn main() {}
