#![allow(unused_unsafe)]

use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    #[cfg(unix)]
    unsafe {
        publish(cx, 1).await?;
    }
    Ok(())
}

fn main() {}
