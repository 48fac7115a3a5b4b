//! Kind 19: signals and events.
#![allow(missing_docs, reason = "a step's name and its properties say all there is")]

use crate::cell::{everywhere, row, until_sent};
use crate::registry::{Fault, here};
use crate::steps::*;
use saga_core::store::Refused;
use saga_core::time::seconds;
use saga_core::{ClientError, EngineBuilder, RunOutcome, Saga, Signal, saga, signal};
use serde::{Deserialize, Serialize};

pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        number: 37,
        source: "mercury/hs-temporal-sdk PR #280; elsa-workflows/elsa-core#3797",
        seen: "A signal that is sent together with the start, before the run waits for it, is lost.",
        right: "A signal is durable when it was sent, and is delivered in order, once, also over restarts.",
        tests: &[here![signals_that_come_before_the_wait_are_delivered_in_order_over_a_kill]],
        waits: None,
    },
    Fault {
        number: 38,
        source: "temporalio/sdk-dotnet#427; microsoft/durabletask-dotnet#387",
        seen: "Signals that arrive while the run finishes are dropped without a trace.",
        right: "What no wait took up is counted and shown, and the sender of a later one is told that the run is over.",
        tests: &[here![signals_that_no_wait_takes_up_are_counted_and_a_later_sender_is_told]],
        waits: None,
    },
];

#[derive(Debug, Clone, Serialize, Deserialize, Signal)]
pub struct Note(u32);

#[saga(version = 1, owner = "desk")]
pub async fn reading(cx: &mut Saga, wanted: u32) -> Result<Vec<u32>, Failed> {
    book(cx, "a seat").await?;
    let mut seen = Vec::new();
    for _ in 0..wanted {
        if let Some(Note(number)) = signal::<Note>(cx).within(seconds(600)).await {
            seen.push(number);
        }
    }
    Ok(seen)
}

fn sagas(builder: EngineBuilder<World>) -> EngineBuilder<World> {
    builder.saga::<reading>()
}

/// mercury/hs-temporal-sdk PR #280. The worker is killed before the run reaches its first wait.
#[test]
pub(crate) fn signals_that_come_before_the_wait_are_delivered_in_order_over_a_kill() {
    everywhere(|at| async move {
        let at = at.short_leases();
        let world = World::default();
        world.script("book", &[Act::Hang]);
        let client = at.client();
        let run = client.start(reading(3)).await.unwrap();
        for number in 1..=3 {
            run.send(Note(number)).await.unwrap();
        }
        let first = at.worker(&world, sagas).await;
        until_sent(&world, "book", 1).await;
        first.kill();
        let _workers = at.workers(&world, sagas).await;
        assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(vec![1, 2, 3]));
        assert_eq!(row(&client, run.run()).await.unconsumed_signals, 0);
    });
}

/// temporalio/sdk-dotnet#427.
#[test]
pub(crate) fn signals_that_no_wait_takes_up_are_counted_and_a_later_sender_is_told() {
    everywhere(|at| async move {
        let world = World::default();
        let client = at.client();
        let run = client.start(reading(1)).await.unwrap();
        for number in 1..=3 {
            run.send(Note(number)).await.unwrap();
        }
        let _workers = at.workers(&world, sagas).await;
        assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(vec![1]));
        let status = run.status().await.unwrap();
        assert_eq!(status.unconsumed_signals, 2);
        assert!(status.to_string().ends_with("2 signals were never taken up"), "{status}");
        let late = run.send(Note(4)).await.unwrap_err();
        assert!(matches!(late, ClientError::Refused(Refused::AlreadyEnded { .. })), "{late}");
    });
}
