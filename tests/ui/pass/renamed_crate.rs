//! saga-core under another name: `crate = path` everywhere.

use saga_tests::prelude::*;

mod inner {
    pub use saga_core as sagas;
}

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
#[error("no")]
#[failure(refused, crate = inner::sagas)]
pub struct Nope;

#[derive(Debug, Serialize, Deserialize, Signal)]
#[signal(name = "paid", crate = crate::inner::sagas)]
pub struct Paid;

#[derive(Environment)]
#[environment(crate = crate::inner::sagas)]
pub struct All {
    pub counter: u64,
}

#[step(compensable(undo = give_back, needs = output), verifiable(check = find), idempotent, crate = crate::inner::sagas)]
pub async fn take(_cx: &StepCx, name: &str) -> Result<String, Nope> {
    Ok(name.to_owned())
}

pub async fn give_back(_cx: &StepCx, _name: &str, _made: &String) -> Result<(), Nope> {
    Ok(())
}

pub async fn find(_cx: &StepCx, _name: &str) -> Result<Found<String>, Nope> {
    Ok(Found::CannotTell)
}

#[saga(version = 3, owner = "me", deadline = "1h", crate = crate::inner::sagas)]
pub async fn order(cx: &mut Saga) -> Result<(), StepError<Nope>> {
    take(cx, "x").await?;
    signal::<Paid>(cx).forever().await;
    Ok(())
}

fn main() {}
