//! One step of every class. Each promises what the ledger then holds it to; none knows of deaths.
#![allow(missing_docs)] // a step's name and its properties say all there is

use crate::ledger::{Named, Remote};
use crate::world::{World, WorldError};
use saga_core::{Done, Found, StepCx, step};

#[step(compensable(undo = unreserve, retry(times = 8, base = "20ms")), idempotent(key), timeout = "20s")]
pub async fn reserve(cx: &StepCx<World>, _item: &str) -> Result<u64, WorldError> {
    cx.env().send(cx, "reserve", cx.key(), Remote::DropsDuplicates).await
}
pub async fn unreserve(cx: &StepCx<World>, _item: &str, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().undo(cx, "reserve", cx.effect_key(), Named::ByKey).await
}

/// Naturally idempotent: a mark on the item is the same mark, whatever call sets it.
#[step(compensable(undo = unmark), idempotent, timeout = "20s")]
pub async fn mark(cx: &StepCx<World>, item: &str) -> Result<u64, WorldError> {
    cx.env().send(cx, "mark", item, Remote::DropsDuplicates).await
}
pub async fn unmark(cx: &StepCx<World>, item: &str, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().undo(cx, "mark", item, Named::ByKey).await
}

#[step(
    compensable(undo = refund),
    verifiable(check = find_charge, settle = "50ms", retry(times = 50, base = "20ms", cap = "50ms")),
    not_idempotent,
    timeout = "20s"
)]
pub async fn charge(cx: &StepCx<World>, _item: &str) -> Result<u64, WorldError> {
    cx.env().send(cx, "charge", cx.key(), Remote::TakesEverything).await
}
pub async fn refund(cx: &StepCx<World>, _item: &str, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().undo(cx, "charge", cx.effect_key(), Named::ByKey).await
}
pub async fn find_charge(cx: &StepCx<World>, _item: &str) -> Result<Found<u64>, WorldError> {
    cx.env().look(cx, "charge").await
}

#[step(compensable(undo = recall), not_idempotent, unknown = review, owner = "clerks", timeout = "20s")]
pub async fn post(cx: &StepCx<World>, _item: &str) -> Result<u64, WorldError> {
    cx.env().send(cx, "post", cx.key(), Remote::TakesEverything).await
}
pub async fn recall(cx: &StepCx<World>, _item: &str, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().undo(cx, "post", cx.effect_key(), Named::ByKey).await
}

/// Its undo needs the number that it returned: nothing else names the effect.
#[step(
    compensable(undo = cancel_ticket, needs = output),
    verifiable(check = find_ticket, settle = "50ms", retry(times = 50, base = "20ms", cap = "50ms")),
    not_idempotent,
    timeout = "20s"
)]
pub async fn ticket(cx: &StepCx<World>, _item: &str) -> Result<u64, WorldError> {
    cx.env().send(cx, "ticket", cx.key(), Remote::TakesEverything).await
}
pub async fn cancel_ticket(cx: &StepCx<World>, _item: &str, made: &u64) -> Result<(), WorldError> {
    cx.env().undo(cx, "ticket", cx.effect_key(), Named::ByNumber(*made)).await
}
pub async fn find_ticket(cx: &StepCx<World>, _item: &str) -> Result<Found<u64>, WorldError> {
    cx.env().look(cx, "ticket").await
}

/// Stays, whatever becomes of the run.
#[step(
    verifiable(check = find_archived, settle = "50ms", retry(times = 50, base = "20ms", cap = "50ms")),
    not_idempotent,
    timeout = "20s"
)]
pub async fn archive(cx: &StepCx<World>, _item: &str) -> Result<u64, WorldError> {
    cx.env().send(cx, "archive", cx.key(), Remote::TakesEverything).await
}
pub async fn find_archived(cx: &StepCx<World>, _item: &str) -> Result<Found<u64>, WorldError> {
    cx.env().look(cx, "archive").await
}

#[step(read_only, idempotent, timeout = "20s")]
pub async fn glance(cx: &StepCx<World>, _item: &str) -> Result<u64, WorldError> {
    cx.env().send(cx, "glance", cx.key(), Remote::OnlyReads).await
}

#[step(irreversible, idempotent(key), timeout = "20s")]
pub async fn publish(cx: &StepCx<World>, _slot: Done<reserve>) -> Result<u64, WorldError> {
    cx.env().send(cx, "publish", cx.key(), Remote::DropsDuplicates).await
}

#[step(
    irreversible,
    verifiable(check = find_printed, settle = "50ms", retry(times = 50, base = "20ms", cap = "50ms")),
    not_idempotent,
    timeout = "20s"
)]
pub async fn print(cx: &StepCx<World>, _slot: Done<reserve>) -> Result<u64, WorldError> {
    cx.env().send(cx, "print", cx.key(), Remote::TakesEverything).await
}
pub async fn find_printed(cx: &StepCx<World>, _slot: Done<reserve>) -> Result<Found<u64>, WorldError> {
    cx.env().look(cx, "print").await
}

#[step(
    verifiable(check = find_delivered, settle = "50ms", retry(times = 50, base = "20ms", cap = "50ms")),
    not_idempotent,
    retriable,
    timeout = "20s"
)]
pub async fn deliver(cx: &StepCx<World>, _item: &str) -> Result<u64, WorldError> {
    cx.env().send(cx, "deliver", cx.key(), Remote::TakesEverything).await
}
pub async fn find_delivered(cx: &StepCx<World>, _item: &str) -> Result<Found<u64>, WorldError> {
    cx.env().look(cx, "deliver").await
}
