use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> () {
    let _ = look(cx).await;
}

fn main() {}
