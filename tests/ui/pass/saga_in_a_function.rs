//! Steps and sagas that are declared inside a function.

use saga_tests::prelude::*;

fn main() {
    #[step(read_only, idempotent)]
    async fn peek(_cx: &StepCx) -> Result<u64, Refused> {
        Ok(1)
    }

    #[saga(version = 1, owner = "me")]
    async fn order(cx: &mut Saga) -> Result<u64, Refusal> {
        Ok(peek(cx).await?.into_inner())
    }

    let _ = order();
}
