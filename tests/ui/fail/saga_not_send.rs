use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    let shared = std::rc::Rc::new(1);
    publish(cx, *shared).await?;
    drop(shared);
    Ok(())
}

fn main() {}
