//! The steps and the sagas that most faults are played with: each class of step once, told by the world how to behave.
#![allow(missing_docs, reason = "a step's name and its properties say all there is")]

use saga_core::{Found, Saga, StepCx, StepError, saga, step};
pub(crate) use saga_faults::{Act, Look, World, WorldError};

pub(crate) type Failed = StepError<WorldError>;

#[step(compensable(undo = unbook, retry(times = 3, base = "20ms")), idempotent(key), retry(times = 3, base = "20ms"), timeout = "20s")]
pub async fn book(cx: &StepCx<World>, _what: &str) -> Result<u64, WorldError> {
    cx.env().act("book", cx.key(), 1).await
}
pub async fn unbook(cx: &StepCx<World>, _what: &str, _made: Option<&u64>) -> Result<(), WorldError> {
    assert!(!cx.is_cancelled(), "no cancel reaches an undo");
    cx.env().act("unbook", cx.key(), -1).await.map(drop)
}

#[step(compensable(undo = unpay, retry(times = 3, base = "20ms")), idempotent(key), retry(times = 3, base = "20ms"), timeout = "20s")]
pub async fn pay(cx: &StepCx<World>, _what: &str) -> Result<u64, WorldError> {
    cx.env().act("pay", cx.key(), 1).await
}
pub async fn unpay(cx: &StepCx<World>, _what: &str, _made: Option<&u64>) -> Result<(), WorldError> {
    assert!(!cx.is_cancelled(), "no cancel reaches an undo");
    cx.env().act("unpay", cx.key(), -1).await.map(drop)
}

#[step(compensable(undo = unship, retry(times = 3, base = "20ms")), idempotent(key), retry(times = 3, base = "20ms"), timeout = "20s")]
pub async fn ship(cx: &StepCx<World>, _what: &str) -> Result<u64, WorldError> {
    cx.env().act("ship", cx.key(), 1).await
}
pub async fn unship(cx: &StepCx<World>, _what: &str, _made: Option<&u64>) -> Result<(), WorldError> {
    assert!(!cx.is_cancelled(), "no cancel reaches an undo");
    cx.env().act("unship", cx.key(), -1).await.map(drop)
}

/// The last word of most sagas here: refused, it unwinds them.
#[step(compensable(undo = unclose), idempotent(key), retry(times = 3, base = "20ms"), timeout = "20s")]
pub async fn close(cx: &StepCx<World>, _what: &str) -> Result<u64, WorldError> {
    cx.env().act("close", cx.key(), 1).await
}
pub async fn unclose(cx: &StepCx<World>, _what: &str, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().act("unclose", cx.key(), -1).await.map(drop)
}

/// Not idempotent, and can be looked up.
#[step(
    compensable(undo = uncharge, retry(times = 3, base = "20ms")),
    verifiable(check = find_charge, settle = "1500ms", retry(times = 4, base = "100ms", cap = "300ms")),
    not_idempotent,
    retry(times = 5, base = "20ms"),
    timeout = "300ms"
)]
pub async fn charge(cx: &StepCx<World>, _what: &str) -> Result<u64, WorldError> {
    cx.env().act("charge", cx.key(), 1).await
}
pub async fn uncharge(cx: &StepCx<World>, _what: &str, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().act("uncharge", cx.key(), -1).await.map(drop)
}
pub async fn find_charge(cx: &StepCx<World>, _what: &str) -> Result<Found<u64>, WorldError> {
    cx.env().look("charge", cx.effect_key()).await
}

/// Not idempotent, and nobody but a person can find out.
#[step(compensable(undo = unsend), not_idempotent, unknown = review, owner = "clerks", retry(times = 5, base = "20ms"), timeout = "20s")]
pub async fn send(cx: &StepCx<World>, _what: &str) -> Result<u64, WorldError> {
    cx.env().act("send", cx.key(), 1).await
}
pub async fn unsend(cx: &StepCx<World>, _what: &str, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().act("unsend", cx.key(), -1).await.map(drop)
}

/// The pivot.
#[step(irreversible, idempotent(key), retry(times = 3, base = "20ms"), timeout = "20s")]
pub async fn publish(cx: &StepCx<World>, _what: &str) -> Result<u64, WorldError> {
    cx.env().act("publish", cx.key(), 1).await
}

/// Three effects and a close.
#[saga(version = 1, owner = "desk")]
pub async fn four(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    book(cx, &what).await?;
    pay(cx, &what).await?;
    ship(cx, &what).await?;
    Ok(close(cx, &what).await?.into_inner())
}

/// One effect, one that can be looked up, and a close.
#[saga(version = 1, owner = "desk")]
pub async fn charged(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    book(cx, &what).await?;
    charge(cx, &what).await?;
    Ok(close(cx, &what).await?.into_inner())
}

/// One effect, one that nobody can look up, and a close.
#[saga(version = 1, owner = "desk")]
pub async fn posted(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    book(cx, &what).await?;
    send(cx, &what).await?;
    Ok(close(cx, &what).await?.into_inner())
}

/// One effect, and the pivot.
#[saga(version = 1, owner = "desk")]
pub async fn published(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    book(cx, &what).await?;
    Ok(publish(cx, &what).await?.into_inner())
}

/// All of them.
pub(crate) fn all(builder: saga_core::EngineBuilder<World>) -> saga_core::EngineBuilder<World> {
    builder.saga::<four>().saga::<charged>().saga::<posted>().saga::<published>()
}

/// What a run is about, where it does not matter.
pub(crate) fn what() -> String {
    "a trip".to_owned()
}
