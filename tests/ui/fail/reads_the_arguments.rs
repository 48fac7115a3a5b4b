use saga_tests::prelude::*;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    if std::env::args_os().count() > 1 {
        publish(cx, 1).await?;
    }
    Ok(())
}

fn main() {}
