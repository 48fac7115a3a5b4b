//! The simulator walks a saga of two compensable steps, a wait and a pivot.

#![cfg(feature = "simulate")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs, unreachable_pub)]

mod broken;

use saga_core::simulate::{World, explore};
use saga_core::{Done, Failure, Found, Saga, Signal, StepCx, StepError, saga, signal, step};
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum Gone {
    #[failure(refused)]
    #[error("refused")]
    Refused,
}

#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
pub enum Unhappy {
    #[error(transparent)]
    Step(#[from] StepError<Gone>),
    #[error("no")]
    No,
}

#[derive(Debug, Clone, Serialize, Deserialize, Signal)]
pub struct Decision(pub bool);

#[step(compensable(undo = release), idempotent(key))]
pub async fn reserve(cx: &StepCx<World>) -> Result<u64, Gone> {
    cx.env().apply(cx.key());
    Ok(1)
}

pub async fn release(cx: &StepCx<World>, _made: Option<&u64>) -> Result<(), Gone> {
    cx.env().revert(cx.effect_key());
    Ok(())
}

#[step(irreversible, verifiable(check = find, settle = "10s"), idempotent(key))]
pub async fn publish(cx: &StepCx<World>, _slot: Done<reserve>) -> Result<u64, Gone> {
    cx.env().apply(cx.key());
    Ok(2)
}

pub async fn find(cx: &StepCx<World>, _slot: Done<reserve>) -> Result<Found<u64>, Gone> {
    Ok(if cx.env().holds(cx.effect_key()) { Found::Applied(2) } else { Found::NotApplied })
}

#[saga(version = 1, owner = "desk", deadline = "7d")]
pub async fn approval(cx: &mut Saga) -> Result<u64, Unhappy> {
    let slot = reserve(cx).await?;
    match signal::<Decision>(cx).within(Duration::from_secs(3 * 86_400)).await {
        Some(Decision(true)) => {}
        _ => return Err(Unhappy::No),
    }
    Ok(publish(cx, slot).await?.into_inner())
}

fn walk() -> saga_core::simulate::Explore<approval, World> {
    explore(approval).environment(World::clone).signal(Decision(true)).signal(Decision(false))
}

#[test]
fn a_right_saga_is_walked_whole() {
    let summary = walk().faults(2).walks(200, 7).run().unwrap_or_else(|found| panic!("{found}"));
    assert!(summary.schedules > 1_000 && summary.states > 1_000, "{summary}");
    let ends: Vec<&str> = summary.ends.keys().map(String::as_str).collect();
    for end in ["completed, there: reserve, publish", "refused, there: nothing", "cancelled, there: nothing"] {
        assert!(ends.contains(&end), "{end} is not among {ends:?}");
    }
}

#[test]
fn the_same_walk_finds_the_same() {
    let [mut one, mut two] = [(); 2].map(|()| walk().faults(1).walks(20, 3).run().unwrap());
    (one.took, two.took) = Default::default();
    assert_eq!(one, two);
}

#[test]
fn declared_outputs_stand_in_for_steps() {
    let walk = explore(approval).environment(World::clone).output::<reserve>(|| 5).output::<publish>(|| 6);
    let summary = walk.signal(Decision(true)).faults(1).check("a publication is number 6", |end| {
        let published = end.run.steps().find(|(_, step)| step.step == "publish").and_then(|(_, step)| step.output());
        published.is_none_or(|output| output.read::<u64>() == Ok(6))
    });
    let summary = summary.run().unwrap_or_else(|found| panic!("{found}"));
    assert!(summary.schedules > 20 && summary.ends.len() >= 3, "{summary}");
}

#[test]
fn an_own_check_that_does_not_hold_is_told_with_the_shortest_way_there() {
    let own = || {
        walk().check("nothing is ever published", |end| !end.world.keys().iter().any(|key| key.ends_with("publish")))
    };
    let found = own().run().unwrap_err();
    assert_eq!(found.fault, "not so: nothing is ever published");
    assert_eq!(found.schedule, "", "a good day is enough");
    assert_eq!(own().replay(&found.schedule).unwrap_err().fault, found.fault);
    assert!(own().replay("3=boom").unwrap_err().fault.contains("`boom`"));
}
