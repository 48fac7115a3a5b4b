//! A step of another crate brings its contract along.

use saga_core::{Saga, SagaType, StepError, saga};
use steps_elsewhere::{PostError, announce, burn};

#[saga(version = 1, owner = "me")]
pub async fn order(cx: &mut Saga) -> Result<(), StepError<PostError>> {
    let letter = steps_elsewhere::send_letter(cx, "you").await?;
    burn(cx).await?;
    drop(letter);
    announce(cx).await?;
    Ok(())
}

fn main() {
    let names: Vec<_> = order::DEFINITION.steps().iter().map(|step| (step.module, step.name)).collect();
    assert_eq!(
        names,
        [("steps_elsewhere", "send_letter"), ("steps_elsewhere", "burn"), ("steps_elsewhere", "announce"),]
    );
}
