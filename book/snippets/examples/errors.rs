//! What a failure proves, and what a body sees of it.
#![allow(missing_docs)]

use book_snippets::{Gateway, GatewayError, Told, watch};
use saga_core::contract::Class;
use saga_core::decide::State;
use saga_core::{Failure, Saga, StepCx, StepError, saga, step};
use serde::{Deserialize, Serialize};
use std::error::Error;

#[step(compensable(undo = leave_first), idempotent(key), retry(times = 2, base = "1ms"))]
pub async fn first_choice(cx: &StepCx<Gateway>) -> Result<u64, GatewayError> {
    cx.env().apply("first_choice", cx.key()).await
}
pub async fn leave_first(cx: &StepCx<Gateway>, _made: Option<&u64>) -> Result<(), GatewayError> {
    cx.env().take_back("leave_first", cx.effect_key()).await
}

#[step(irreversible, idempotent(key))]
pub async fn second_choice(cx: &StepCx<Gateway>) -> Result<u64, GatewayError> {
    cx.env().apply("second_choice", cx.key()).await
}

#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
pub enum Refusal {
    #[error(transparent)]
    Gateway(#[from] StepError<GatewayError>),
}

// ANCHOR: body
/// `Err` means that the effect is not there, so the body may simply go another way.
#[saga(version = 1, owner = "me")]
pub async fn either(cx: &mut Saga) -> Result<String, Refusal> {
    let why = match first_choice(cx).await {
        Ok(number) => return Ok(format!("first choice, {}", *number)),
        Err(StepError::Failed(error)) => error.to_string(), // the step's own error
        Err(StepError::Unanswered(unanswered)) => unanswered.message, // a timeout, a panic, a lost worker, a person
    };
    second_choice(cx).await?;
    Ok(format!("second choice, because {why}"))
}
// ANCHOR_END: body

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // ANCHOR: classes
    let refused = GatewayError::Refused { request: 7 };
    assert_eq!(GatewayError::Busy.class(), Class::Transient);
    assert_eq!(
        (refused.class(), refused.code(), refused.reference()),
        (Class::Refused, Some("no_slot"), Some("7".into()))
    );
    assert_eq!(GatewayError::NoReply.class(), Class::Unknown);
    // ANCHOR_END: classes

    let run = watch(either(), &[("first_choice", &[Told::Refuse])]).await?;
    assert_eq!(run.sent, ["first_choice", "second_choice"]);
    // Nobody knows whether the first choice was taken, so it is left before the body is told that it failed.
    let run = watch(either(), &[("first_choice", &[Told::LoseReply, Told::LoseReply])]).await?;
    assert_eq!(run.sent, ["first_choice", "first_choice", "leave_first", "second_choice"]);
    assert_eq!((run.status.state, run.effects), (State::Completed, vec!["second_choice"]));
    Ok(())
}

#[test]
fn it_runs() -> Result<(), Box<dyn Error>> {
    main()
}
