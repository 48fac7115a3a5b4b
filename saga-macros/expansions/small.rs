#[step(read_only, idempotent)]
pub async fn look(cx: &StepCx<Gateway>) -> Result<bool, Refused> {
    cx.env().look().await
}

#[saga(version = 1, owner = "me")]
pub async fn glance(cx: &mut Saga) -> Result<bool, StepError<Refused>> {
    Ok(look(cx).await?.into_inner())
}
