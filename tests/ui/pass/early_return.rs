//! Early returns: errors before the pivot, `Ok` also after it.

use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga, id: u64) -> Result<(), Refusal> {
    if id == 0 {
        return Err(Refusal::No);
    }
    checked(id)?;
    publish(cx, id).await?;
    if id > 9 {
        return Ok(());
    }
    thank(cx).await?;
    Ok(())
}

fn checked(id: u64) -> Result<(), Refusal> {
    if id > 99 { Err(Refusal::No) } else { Ok(()) }
}

fn main() {}
