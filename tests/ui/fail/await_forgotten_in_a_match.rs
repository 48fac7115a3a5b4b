use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    match look(cx) {
        Ok(found) => drop(found),
        Err(_) => return Err(Refusal::No),
    }
    Ok(())
}

fn main() {}
