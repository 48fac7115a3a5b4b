//! Steps in several environments, and one that needs none, on an engine that has them all.

use saga_tests::prelude::*;

pub struct Mailer;

#[derive(Environment)]
pub struct All {
    pub gateway: Gateway,
    pub mailer: Mailer,
}

#[step(read_only, idempotent)]
pub async fn mail(_cx: &StepCx<Mailer>) -> Result<(), Refused> {
    Ok(())
}

#[step(read_only, idempotent)]
pub async fn count(_cx: &StepCx) -> Result<u64, Refused> {
    Ok(1)
}

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<u64, Refusal> {
    mail(cx).await?;
    let count = count(cx).await?;
    publish(cx, *count).await?;
    Ok(*count)
}

fn runs_on<P, S: saga_core::RunsOn<P>>() {}

fn main() {
    runs_on::<All, order>();
}
