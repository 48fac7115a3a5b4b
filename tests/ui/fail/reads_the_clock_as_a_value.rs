use saga_tests::prelude::*;
use std::time::SystemTime;

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga, due: Option<SystemTime>) -> Result<SystemTime, Refusal> {
    publish(cx, 1).await?;
    Ok(due.unwrap_or_else(SystemTime::now))
}

fn main() {}
