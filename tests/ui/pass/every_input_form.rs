//! Inputs by value and by reference, slices and texts, raw names, and every property.

use saga_tests::prelude::*;

#[step(
    compensable(undo = unpay, retry(times = 8, cap = "2m")),
    verifiable(check = find, settle = "10s", retry(times = 3)),
    idempotent(key),
    retry(times = 5, base = "200ms", factor = 2.0, cap = "30s", jitter = false),
    timeout = "5s",
    within = "2m",
    unknown = review,
    requires(reserve),
    owner = "payments",
    redact(card, output),
)]
pub async fn pay(
    cx: &StepCx<Gateway>,
    card: &str,
    items: &[u64],
    r#type: Option<String>,
    slot: &Done<reserve>,
    mut total: u64,
) -> Result<u64, Refused> {
    total += items.iter().sum::<u64>() + **slot + card.len() as u64 + cx.key().len() as u64;
    Ok(total + u64::from(r#type.is_some()))
}

pub async fn unpay(
    _cx: &StepCx<Gateway>,
    _card: &str,
    _items: &[u64],
    _type: Option<String>,
    _slot: &Done<reserve>,
    _total: u64,
    _made: Option<&u64>,
) -> Result<(), Refused> {
    Ok(())
}

pub async fn find(
    _cx: &StepCx<Gateway>,
    _card: &str,
    _items: &[u64],
    _type: Option<String>,
    _slot: &Done<reserve>,
    _total: u64,
) -> Result<Found<u64>, Refused> {
    Ok(Found::Pending)
}

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<u64, Refusal> {
    let slot = reserve(cx, 1).await?;
    Ok(pay(cx, "4111", &[1, 2], None, &slot, 7).await?.into_inner())
}

fn main() {
    use saga_core::{Step, contract::OnUnknown};
    let contract = pay::CONTRACT;
    assert_eq!(contract.inputs, ["card", "items", "type", "slot", "total"]);
    assert_eq!(contract.redacted, ["card", "output"]);
    assert_eq!((contract.retry.times, contract.retry.jitter), (5, false));
    assert_eq!(contract.undo_retry.cap, seconds(120));
    assert_eq!(
        contract.verification.map(|verification| (verification.settle, verification.retry.times)),
        Some((seconds(10), 3))
    );
    assert_eq!((contract.unknown, contract.owner, contract.timeout), (OnUnknown::Review, Some("payments"), seconds(5)));
    assert_eq!(contract.requires[0].name, "reserve");
}
