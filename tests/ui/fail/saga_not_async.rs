use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub fn order(_cx: &mut Saga) -> Result<(), Refusal> {
    Ok(())
}

fn main() {}
