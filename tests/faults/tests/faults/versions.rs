//! Kind 26: deploys and definition changes.
#![allow(missing_docs, reason = "a step's name and its properties say all there is")]

use crate::cell::{asked, everywhere, stop_all, until, until_state};
use crate::registry::{Fault, here};
use crate::steps::*;
use saga_core::journal::Reason;
use saga_core::time::seconds;
use saga_core::{BuildError, CancelAnswer, EngineBuilder, RunOutcome, Saga, Signal, saga, signal};
use serde::{Deserialize, Serialize};
use std::time::Duration;

pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        number: 51,
        source: "czpython/druks#619; dbos-inc/dbos-transact-golang#174 and #479",
        seen: "After an upgrade runs of the old code are never resumed; approvals sit unread; every status looks healthy.",
        right: "Such runs are counted, say why they do not move, and their owner is asked; signals are kept; registered beside its \
                successor the old version goes on.",
        tests: &[here![runs_of_a_version_that_nobody_has_are_seen_and_go_on_when_somebody_has_it]],
        waits: None,
    },
    Fault {
        number: 52,
        source: "johanhaleby/occurrent#748",
        seen: "A renamed step on which runs are parked gives a bare null error, with no run and no step.",
        right: "Under the same version it is refused at registration; under a new one the runs are parked, and with the old one \
                beside it they can be cancelled and undone.",
        tests: &[here![a_renamed_step_is_refused_under_its_version_and_parks_runs_under_a_new_one]],
        waits: None,
    },
];

#[derive(Debug, Clone, Serialize, Deserialize, Signal)]
pub struct Go;

mod first {
    use super::*;
    #[saga(version = 1, owner = "desk")]
    pub async fn trip(cx: &mut Saga, what: String) -> Result<u64, Failed> {
        book(cx, &what).await?;
        pay(cx, &what).await?;
        let _ = signal::<Go>(cx).within(seconds(600)).await;
        Ok(ship(cx, &what).await?.into_inner())
    }
}

/// The last step has another name.
mod renamed {
    use super::*;
    #[saga(version = 1, owner = "desk")]
    pub async fn trip(cx: &mut Saga, what: String) -> Result<u64, Failed> {
        book(cx, &what).await?;
        pay(cx, &what).await?;
        let _ = signal::<Go>(cx).within(seconds(600)).await;
        Ok(close(cx, &what).await?.into_inner())
    }
}

mod second {
    use super::*;
    #[saga(version = 2, owner = "desk")]
    pub async fn trip(cx: &mut Saga, what: String) -> Result<u64, Failed> {
        book(cx, &what).await?;
        pay(cx, &what).await?;
        let _ = signal::<Go>(cx).within(seconds(600)).await;
        Ok(close(cx, &what).await?.into_inner())
    }
}

fn old(builder: EngineBuilder<World>) -> EngineBuilder<World> {
    builder.saga::<first::trip>()
}

fn changed(builder: EngineBuilder<World>) -> EngineBuilder<World> {
    builder.saga::<renamed::trip>()
}

fn new(builder: EngineBuilder<World>) -> EngineBuilder<World> {
    builder.saga::<second::trip>()
}

fn both(builder: EngineBuilder<World>) -> EngineBuilder<World> {
    builder.saga::<first::trip>().saga::<second::trip>()
}

/// czpython/druks#619.
#[test]
pub(crate) fn runs_of_a_version_that_nobody_has_are_seen_and_go_on_when_somebody_has_it() {
    everywhere(|mut at| async move {
        at.settings.missing_after = Duration::from_millis(300);
        let world = World::default();
        let workers = at.workers(&world, old).await;
        let client = at.client();
        let mut runs = Vec::new();
        for _ in 0..3 {
            runs.push(client.start(first::trip(what())).await.unwrap());
        }
        for run in &runs {
            until_state(&client, run.run(), "waiting").await;
        }
        stop_all(workers).await;
        let workers = at.workers(&world, new).await;
        for run in &runs {
            run.send(Go).await.unwrap();
            let review = asked(&client, run.run()).await;
            assert_eq!((review.reason, review.owner.as_str()), (Reason::DefinitionMissing, "desk"));
            let why = run.status().await.unwrap().why.unwrap();
            assert!(why.contains("no running worker has trip v1"), "{why}");
        }
        let health = client.store().health().await.unwrap();
        assert_eq!((health.without_worker, health.quarantined), (3, 3));
        stop_all(workers).await;
        let _workers = at.workers(&world, both).await;
        for run in &runs {
            assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(7), "with the signal that was kept");
        }
        assert_eq!((world.count("book"), world.count("ship"), world.count("close")), (3, 3, 0));
        let health = client.store().health().await.unwrap();
        assert_eq!((health.without_worker, health.quarantined, health.open_reviews), (0, 0, 0));
    });
}

/// johanhaleby/occurrent#748.
#[test]
pub(crate) fn a_renamed_step_is_refused_under_its_version_and_parks_runs_under_a_new_one() {
    everywhere(|mut at| async move {
        at.settings.missing_after = Duration::from_millis(300);
        let world = World::default();
        let workers = at.workers(&world, old).await;
        let client = at.client();
        let run = client.start(first::trip(what())).await.unwrap();
        until_state(&client, run.run(), "waiting").await;
        stop_all(workers).await;
        let refused = at.try_worker(&world, changed).await.err().unwrap();
        assert!(
            matches!(&refused, BuildError::ChangedDefinition { saga, version: 1, open: 1 } if saga == "trip"),
            "{refused}"
        );
        let workers = at.workers(&world, new).await;
        assert_eq!(run.cancel("anna", "the trip is off").await.unwrap(), CancelAnswer::Accepted);
        asked(&client, run.run()).await;
        assert_eq!(world.sent(), ["book", "pay"], "nobody guesses");
        stop_all(workers).await;
        let _workers = at.workers(&world, both).await;
        assert!(matches!(run.outcome().await.unwrap(), RunOutcome::Cancelled(_)));
        assert_eq!(world.sent(), ["book", "pay", "unpay", "unbook"]);
        until("the question closed", async || (client.store().health().await.unwrap().open_reviews == 0).then_some(()))
            .await;
    });
}
