//! One saga for every class of step: the step under test, then a look, so that its record is not yet the run's end.
#![allow(missing_docs)] // a saga's name and its body say all there is

use crate::steps::{archive, charge, deliver, glance, mark, post, print, publish, reserve, ticket};
use crate::world::{World, WorldError};
use saga_core::time::{millis, seconds};
use saga_core::{
    CancelAnswer, Client, ClientError, EngineBuilder, RunId, Saga, Signal, StepError, saga, signal, sleep,
};
use serde::{Deserialize, Serialize};

/// What a run is to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Of what; unique in a ledger.
    pub item: String,
    /// Whether the body refuses after its steps, so that they are undone.
    pub refuse: bool,
}

#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum Refusal {
    #[error("refused, as planned")]
    Planned,
    #[error("nobody said go")]
    Expired,
    #[error(transparent)]
    World(#[from] StepError<WorldError>),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Signal)]
pub struct Go;

#[saga(version = 1, owner = "desk", deadline = "1h")]
pub async fn keyed(cx: &mut Saga, plan: Plan) -> Result<u64, Refusal> {
    let made = reserve(cx, &plan.item).await?;
    glance(cx, &plan.item).await?;
    if plan.refuse {
        return Err(Refusal::Planned);
    }
    Ok(made.into_inner())
}

#[saga(version = 1, owner = "desk", deadline = "1h")]
pub async fn natural(cx: &mut Saga, plan: Plan) -> Result<u64, Refusal> {
    let made = mark(cx, &plan.item).await?;
    glance(cx, &plan.item).await?;
    if plan.refuse {
        return Err(Refusal::Planned);
    }
    Ok(made.into_inner())
}

#[saga(version = 1, owner = "desk", deadline = "1h")]
pub async fn verified(cx: &mut Saga, plan: Plan) -> Result<u64, Refusal> {
    let made = charge(cx, &plan.item).await?;
    glance(cx, &plan.item).await?;
    if plan.refuse {
        return Err(Refusal::Planned);
    }
    Ok(made.into_inner())
}

#[saga(version = 1, owner = "desk", deadline = "1h")]
pub async fn reviewed(cx: &mut Saga, plan: Plan) -> Result<u64, Refusal> {
    let made = post(cx, &plan.item).await?;
    glance(cx, &plan.item).await?;
    if plan.refuse {
        return Err(Refusal::Planned);
    }
    Ok(made.into_inner())
}

#[saga(version = 1, owner = "desk", deadline = "1h")]
pub async fn numbered(cx: &mut Saga, plan: Plan) -> Result<u64, Refusal> {
    let made = ticket(cx, &plan.item).await?;
    glance(cx, &plan.item).await?;
    if plan.refuse {
        return Err(Refusal::Planned);
    }
    Ok(made.into_inner())
}

#[saga(version = 1, owner = "desk", deadline = "1h")]
pub async fn kept(cx: &mut Saga, plan: Plan) -> Result<u64, Refusal> {
    let made = archive(cx, &plan.item).await?;
    glance(cx, &plan.item).await?;
    if plan.refuse {
        return Err(Refusal::Planned);
    }
    Ok(made.into_inner())
}

#[saga(version = 1, owner = "desk", deadline = "1h")]
pub async fn reading(cx: &mut Saga, plan: Plan) -> Result<u64, Refusal> {
    let slot = reserve(cx, &plan.item).await?;
    glance(cx, &plan.item).await?;
    if plan.refuse {
        return Err(Refusal::Planned);
    }
    Ok(slot.into_inner())
}

#[saga(version = 1, owner = "desk", deadline = "1h")]
pub async fn pivot_keyed(cx: &mut Saga, plan: Plan) -> Result<u64, Refusal> {
    let slot = reserve(cx, &plan.item).await?;
    if plan.refuse {
        return Err(Refusal::Planned);
    }
    let made = publish(cx, slot).await?;
    deliver(cx, &plan.item).await?;
    Ok(made.into_inner())
}

#[saga(version = 1, owner = "desk", deadline = "1h")]
pub async fn pivot_verified(cx: &mut Saga, plan: Plan) -> Result<u64, Refusal> {
    let slot = reserve(cx, &plan.item).await?;
    if plan.refuse {
        return Err(Refusal::Planned);
    }
    let made = print(cx, slot).await?;
    deliver(cx, &plan.item).await?;
    Ok(made.into_inner())
}

/// The step under test comes after the pivot.
#[saga(version = 1, owner = "desk", deadline = "1h")]
pub async fn delivered(cx: &mut Saga, plan: Plan) -> Result<u64, Refusal> {
    let slot = reserve(cx, &plan.item).await?;
    if plan.refuse {
        return Err(Refusal::Planned);
    }
    publish(cx, slot).await?;
    Ok(deliver(cx, &plan.item).await?.into_inner())
}

#[saga(version = 1, owner = "desk", deadline = "1h")]
pub async fn waiting(cx: &mut Saga, plan: Plan) -> Result<u64, Refusal> {
    let slot = reserve(cx, &plan.item).await?;
    match signal::<Go>(cx).within(seconds(2)).await {
        Some(Go) => {}
        None => return Err(Refusal::Expired),
    }
    glance(cx, &plan.item).await?;
    Ok(slot.into_inner())
}

/// Rests for less than a second, so that its worker keeps the lease meanwhile.
#[saga(version = 1, owner = "desk", deadline = "1h")]
pub async fn sleeping(cx: &mut Saga, plan: Plan) -> Result<u64, Refusal> {
    let slot = reserve(cx, &plan.item).await?;
    sleep(cx, millis(150)).await;
    glance(cx, &plan.item).await?;
    Ok(slot.into_inner())
}

macro_rules! classes {
    ($($saga:ident: $step:literal),* $(,)?) => {
        /// The classes: saga, and the step under test.
        pub const CLASSES: &[(&str, &str)] = &[$((stringify!($saga), $step)),*];

        /// Registers all of them.
        pub fn register(builder: EngineBuilder<World>) -> EngineBuilder<World> {
            builder$(.saga::<$saga>())*
        }

        /// Starts a run of a class.
        ///
        /// # Errors
        /// Those of the client; also if there is no such class.
        pub async fn begin(client: &Client, class: &str, plan: Plan) -> Result<RunId, ClientError> {
            let key = plan.item.clone();
            match class {
                $(stringify!($saga) => Ok(client.start($saga(plan)).key(key).await?.run()),)*
                other => Err(ClientError::Journal(format!("there is no class {other}"))),
            }
        }

        /// Cancels a run of a class.
        ///
        /// # Errors
        /// Those of the client; also if there is no such class.
        pub async fn cancel(client: &Client, class: &str, run: RunId) -> Result<CancelAnswer, ClientError> {
            match class {
                $(stringify!($saga) => client.run::<$saga>(run).await?.cancel("tester", "while no worker lived").await,)*
                other => Err(ClientError::Journal(format!("there is no class {other}"))),
            }
        }
    };
}

classes! {
    keyed: "reserve",
    natural: "mark",
    verified: "charge",
    reviewed: "post",
    numbered: "ticket",
    kept: "archive",
    reading: "glance",
    pivot_keyed: "publish",
    pivot_verified: "print",
    delivered: "deliver",
    waiting: "reserve",
    sleeping: "reserve",
}
