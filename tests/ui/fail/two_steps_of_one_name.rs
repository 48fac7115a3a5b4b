use saga_tests::prelude::*;

mod other {
    use super::*;

    #[step(irreversible, idempotent, retriable)]
    pub async fn publish(_cx: &StepCx<Gateway>) -> Result<(), Refused> {
        Ok(())
    }
}

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), Refusal> {
    publish(cx, 1).await?;
    other::publish(cx).await?;
    Ok(())
}

fn main() {}
