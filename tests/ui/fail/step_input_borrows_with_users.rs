use saga_tests::prelude::*;

#[step(read_only, idempotent)]
pub async fn find(_cx: &StepCx<Gateway>, _name: Option<&str>) -> Result<u64, Refused> {
    Ok(1)
}

#[step(irreversible, idempotent, requires(find))]
pub async fn pay(_cx: &StepCx<Gateway>, _found: Done<find>) -> Result<(), Refused> {
    Ok(())
}

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<u64, Refusal> {
    let found = find(cx, Some("me")).await?;
    let id: u64 = *found;
    pay(cx, found).await?;
    Ok(id)
}

fn main() {}
