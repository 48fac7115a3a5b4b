/// Takes the money.
#[step(
    compensable(undo = refund, needs = output, retry(times = 8)),
    verifiable(check = find_payment, settle = "10s"),
    idempotent(key),
    retry(times = 5, base = "200ms", factor = 2.0, cap = "30s", jitter = false),
    timeout = "5s",
    within = "2m",
    requires(inventory::reserve),
    owner = "payments",
    redact(card),
)]
#[tracing::instrument]
pub(crate) async fn pay(cx: &StepCx<Bank>, card: &str, lines: &[Line], slot: Done<reserve>, total: u64) -> Result<Payment, BankError> {
    cx.env().pay(cx.key(), card, lines, total).await
}

/// Sells one order.
#[saga(version = 3, owner = "sales", deadline = "7d")]
pub async fn order(cx: &mut Saga, order: Order, rush: bool) -> Result<Receipt, Refusal> {
    let slot = reserve(cx, &order).await?;
    for line in &order.lines {
        if rush && line.rare {
            break;
        }
        check_stock(cx, line).await?;
    }
    let payment = match pay(cx, &order.card, &order.lines, slot, order.total).await {
        Ok(payment) => payment,
        Err(refused) => return Err(refused.into()),
    };
    match signal::<Decision>(cx).within(days(3)).await {
        Some(Decision::Ship) => {}
        Some(Decision::Cancel) | None => return Err(Refusal::Expired),
    }
    let Ok(parcel) = shipping::ship(cx, &payment).await else {
        return Err(Refusal::NoCarrier);
    };
    notify(cx).await.map(|_| Receipt::new(parcel.into_inner())).map_err(Refusal::from)
}
