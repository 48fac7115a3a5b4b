use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub fn order(cx: &mut Saga) -> Result<(), Refusal> {
    Ok(())
}

fn main() {}
