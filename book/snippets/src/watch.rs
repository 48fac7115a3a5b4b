//! Watching a run until it ends or a person must decide. Knows no step and no gateway of its own.

use crate::{Gateway, Told};
use saga_core::decide::State;
use saga_core::store::MemoryStore;
use saga_core::{ClientError, Engine, Handle, RunsOn, SagaType, Settings, Start, Status};
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

/// Settings under which a snippet does not wait for long.
pub fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.poll = Duration::from_millis(10);
    settings
}

/// How a run went.
#[derive(Debug)]
pub struct Watched {
    /// Where it came to rest.
    pub status: Status,
    /// What was sent to the gateway, in order.
    pub sent: Vec<&'static str>,
    /// The effects that are there.
    pub effects: Vec<&'static str>,
}

/// Runs a saga on a fresh store, with a gateway that was told how to fail, until the run ends or is in review.
///
/// # Errors
/// When the engine cannot be built or the run cannot be started.
pub async fn watch<S: RunsOn<Gateway>>(
    start: Start<S>,
    told: &[(&'static str, &[Told])],
) -> Result<Watched, Box<dyn Error>> {
    let gateway = Gateway::default();
    for (operation, told) in told {
        gateway.tell(operation, told);
    }
    let engine = Engine::builder(Arc::new(MemoryStore::new()), gateway.clone()).saga::<S>().settings(settings());
    let engine = engine.start().await?;
    let run = engine.start(start).await?;
    let status = until_it_rests(&run).await?;
    Ok(Watched { status, sent: gateway.sent(), effects: gateway.effects() })
}

/// Waits until a run has ended or a person must decide.
///
/// # Errors
/// When the store does not answer.
pub async fn until_it_rests<S: SagaType>(run: &Handle<S>) -> Result<Status, ClientError> {
    loop {
        let status = run.status().await?;
        if status.state.is_terminal() || status.state == State::Review {
            return Ok(status);
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
