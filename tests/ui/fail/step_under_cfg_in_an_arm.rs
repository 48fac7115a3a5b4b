use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga, id: u64) -> Result<(), Refusal> {
    match id {
        #[cfg(unix)]
        0 => drop(look(cx).await?),
        _ => {}
    }
    Ok(())
}

fn main() {}
