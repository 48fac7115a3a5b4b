//! One step of each class, and what a contract says where nothing was declared.
#![allow(missing_docs)]

use book_snippets::{Gateway, GatewayError};
use saga_core::contract::{DEFAULT_TIMEOUT, OnUnknown, Retry, Reversibility};
use saga_core::time::{millis, minutes, seconds};
use saga_core::{Environment, Found, Step, StepCx, step};
use std::error::Error;

// ANCHOR: compensable
/// Compensable: `release` is safe also where nothing was reserved.
#[step(compensable(undo = release, retry(times = 4)), idempotent(key))]
pub async fn reserve(cx: &StepCx<Gateway>, title: &str, copies: u32) -> Result<u64, GatewayError> {
    let _ = (title, copies);
    cx.env().apply("reserve", cx.key()).await
}

/// The inputs of the step, then what it made, if that is known.
pub async fn release(cx: &StepCx<Gateway>, _title: &str, _copies: u32, made: Option<&u64>) -> Result<(), GatewayError> {
    let _ = made; // `None` where the reply was lost
    cx.env().take_back("release", cx.effect_key()).await
}
// ANCHOR_END: compensable

// ANCHOR: needs_output
/// Compensable, but `refund` must be told the number of the payment. So a lost reply has to be looked up first.
#[step(compensable(undo = refund, needs = output), verifiable(check = find_payment), idempotent(key))]
pub async fn charge(cx: &StepCx<Gateway>, cents: u64) -> Result<u64, GatewayError> {
    let _ = cents;
    cx.env().apply("charge", cx.key()).await
}

pub async fn refund(cx: &StepCx<Gateway>, _cents: u64, payment: &u64) -> Result<(), GatewayError> {
    let _ = payment; // never missing
    cx.env().take_back("refund", cx.effect_key()).await
}

pub async fn find_payment(cx: &StepCx<Gateway>, _cents: u64) -> Result<Found<u64>, GatewayError> {
    let payment = cx.env().look("find_payment").await?;
    Ok(if cx.env().has(cx.effect_key()) { Found::Applied(payment) } else { Found::NotApplied })
}
// ANCHOR_END: needs_output

// ANCHOR: kept
/// May stay: a draft that nobody needs harms nobody. It is never undone.
#[step(verifiable(check = find_draft), idempotent)]
pub async fn save_draft(cx: &StepCx<Gateway>) -> Result<u64, GatewayError> {
    cx.env().apply("save_draft", cx.key()).await
}

pub async fn find_draft(cx: &StepCx<Gateway>) -> Result<Found<u64>, GatewayError> {
    let draft = cx.env().look("find_draft").await?;
    Ok(if cx.env().has(cx.effect_key()) { Found::Applied(draft) } else { Found::NotApplied })
}
// ANCHOR_END: kept

// ANCHOR: pivot
/// The pivot, never sent twice on a guess: an unknown outcome goes to a person at once.
#[step(irreversible, not_idempotent, unknown = review, owner = "printers", timeout = "2m")]
pub async fn print(cx: &StepCx<Gateway>) -> Result<u64, GatewayError> {
    cx.env().apply("print", cx.key()).await
}
// ANCHOR_END: pivot

// ANCHOR: after
/// May follow a pivot: it cannot be refused for good.
#[step(verifiable(check = find_notice), idempotent, retriable, retry(times = 20, base = "1s", cap = "5m"))]
pub async fn notify(cx: &StepCx<Gateway>) -> Result<u64, GatewayError> {
    cx.env().apply("notify", cx.key()).await
}
// ANCHOR_END: after

pub async fn find_notice(cx: &StepCx<Gateway>) -> Result<Found<u64>, GatewayError> {
    let notice = cx.env().look("find_notice").await?;
    Ok(if cx.env().has(cx.effect_key()) { Found::Applied(notice) } else { Found::NotApplied })
}

// ANCHOR: environment
/// Mails, for steps that write some.
pub struct Mailer;

/// What an engine has: each field serves the steps whose context is `StepCx<ItsType>`.
#[derive(Environment)]
pub struct Everything {
    pub gateway: Gateway,
    pub mailer: Mailer,
}

#[step(read_only, idempotent)]
pub async fn unread(cx: &StepCx<Mailer>) -> Result<u64, GatewayError> {
    let _: &Mailer = cx.env();
    Ok(0)
}
// ANCHOR_END: environment

fn main() -> Result<(), Box<dyn Error>> {
    // ANCHOR: defaults
    let contract = save_draft::CONTRACT;
    assert_eq!(contract.timeout, seconds(30));
    assert_eq!(contract.within, None);
    assert_eq!((contract.retry.times, contract.retry.base, contract.retry.cap), (5, millis(200), seconds(30)));
    assert!(contract.retry.jitter && contract.retry.factor == 2.0);
    assert_eq!((contract.undo_retry.times, contract.undo_retry.cap), (8, seconds(60)));
    let check = contract.verification.ok_or("it is verifiable")?;
    assert!(check.settle.is_zero());
    assert_eq!((check.retry.times, check.retry.base, check.retry.cap), (20, millis(500), seconds(60)));
    assert!(!contract.retriable && contract.unknown == OnUnknown::Resolve && contract.owner.is_none());
    // ANCHOR_END: defaults
    assert_eq!((contract.retry, contract.timeout), (Retry::DEFAULT, DEFAULT_TIMEOUT));
    assert_eq!(contract.reversibility, Reversibility::Kept);

    assert_eq!(reserve::CONTRACT.inputs, ["title", "copies"]);
    assert_eq!(reserve::CONTRACT.undo_retry, Retry { times: 4, ..Retry::DEFAULT_UNDO });
    assert!(reserve::CONTRACT.undo_is_safe_when_absent() && !charge::CONTRACT.undo_is_safe_when_absent());
    assert_eq!((print::CONTRACT.timeout, print::CONTRACT.unknown), (minutes(2), OnUnknown::Review));
    assert!(print::CONTRACT.is_irreversible() && !print::CONTRACT.may_be_sent_again());
    const { assert!(notify::CONTRACT.retriable) };
    assert_eq!(unread::CONTRACT.reversibility, Reversibility::ReadOnly);
    let all = Everything { gateway: Gateway::default(), mailer: Mailer };
    let _: &Mailer = saga_core::Provides::provide(&all);
    let gateway: &Gateway = saga_core::Provides::provide(&all);
    assert!(gateway.sent().is_empty());
    Ok(())
}

#[test]
fn it_runs() -> Result<(), Box<dyn Error>> {
    main()
}
