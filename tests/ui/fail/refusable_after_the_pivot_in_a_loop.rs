use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    loop {
        let seen = look(cx).await?;
        if *seen {
            return Ok(());
        }
        announce(cx).await?;
    }
}

fn main() {}
