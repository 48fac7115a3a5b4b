use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(_id: u64) -> Result<(), Refusal> {
    Ok(())
}

fn main() {}
