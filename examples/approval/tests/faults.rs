//! Every way in which the gateway can be told to fail, and what its client then knows, on a real process.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test ends where it fails")]

mod world;

use approval::gateway::GatewayError;
use approval::gateway::faults::{Fault, FaultKind};
use approval::gateway::wire::{Lookup, Operation, Outcome, ReservationState};
use std::time::Duration;
use world::{World, always, submission, times};

const SHORT: Duration = Duration::from_millis(300);
const LONGER: u64 = 2_000;

fn is_lost(error: &GatewayError) -> bool {
    matches!(error, GatewayError::ReplyLost { .. })
}

#[tokio::test]
async fn a_lost_reply_hides_an_effect_that_the_same_key_finds_again() {
    let world = World::start(&[]);
    let (gateway, text) = (world.gateway(), submission("a"));
    world
        .tell(&[times(2, Operation::Publish, FaultKind::LoseReply), times(1, Operation::Reserve, FaultKind::LoseReply)])
        .await;
    assert!(is_lost(&gateway.reserve("r", &text).await.unwrap_err()));
    let slot = gateway.reserve("r", &text).await.unwrap();
    assert!(is_lost(&gateway.publish("p", &slot, &text).await.unwrap_err()));
    let Lookup::Applied { publication } = gateway.find_publication("p").await.unwrap() else { panic!("not found") };
    assert!(is_lost(&gateway.publish("p", &slot, &text).await.unwrap_err()));
    assert_eq!(gateway.publish("p", &slot, &text).await.unwrap(), publication);
    assert_eq!(world.outcomes("p").await, [Outcome::Applied, Outcome::Duplicate, Outcome::Duplicate]);
    let left: Vec<_> = gateway.faults().await.unwrap().iter().map(|count| (count.struck, count.left)).collect();
    assert_eq!(left, [(2, Some(0)), (1, Some(0))]);
}

#[tokio::test]
async fn a_lost_release_has_released() {
    let world = World::start(&[]);
    let (gateway, text) = (world.gateway(), submission("a"));
    world.tell(&[times(1, Operation::Release, FaultKind::LoseReply)]).await;
    gateway.reserve("r", &text).await.unwrap();
    assert!(is_lost(&gateway.release("u", "r", &text).await.unwrap_err()));
    assert_eq!(gateway.ledger().await.unwrap().reservations[0].state, ReservationState::Released);
    gateway.release("u", "r", &text).await.unwrap();
    assert_eq!(world.outcomes("u").await, [Outcome::Applied, Outcome::Duplicate]);
}

#[tokio::test]
async fn a_lost_request_looks_the_same_and_has_no_effect() {
    let world = World::start(&[]);
    let (gateway, text) = (world.gateway(), submission("a"));
    let slot = gateway.reserve("r", &text).await.unwrap();
    world.tell(&[times(1, Operation::Publish, FaultKind::LoseRequest)]).await;
    assert!(is_lost(&gateway.publish("p", &slot, &text).await.unwrap_err()));
    assert_eq!(gateway.find_publication("p").await.unwrap(), Lookup::NotFound);
    assert_eq!(world.outcomes("p").await, []);
    gateway.publish("p", &slot, &text).await.unwrap();
    assert_eq!(world.outcomes("p").await, [Outcome::Applied]);
}

#[tokio::test]
async fn a_delayed_request_is_pending_and_lands_although_nobody_waits() {
    let world = World::start(&[]);
    let (gateway, text) = (world.gateway(), submission("a"));
    let slot = gateway.reserve("r", &text).await.unwrap();
    world.tell(&[times(1, Operation::Publish, FaultKind::DelayBeforeCommit { milliseconds: LONGER })]).await;
    let hasty = world.gateway().with_timeout(SHORT);
    assert!(is_lost(&hasty.publish("p", &slot, &text).await.unwrap_err()));
    assert_eq!(gateway.find_publication("p").await.unwrap(), Lookup::Pending);
    assert_eq!(world.landed("p").await.outcome, Outcome::Applied);
    assert!(matches!(gateway.find_publication("p").await.unwrap(), Lookup::Applied { .. }));
}

#[tokio::test]
async fn a_reserve_that_lands_after_its_release_is_refused() {
    let world = World::start(&[]);
    let (gateway, text) = (world.gateway(), submission("a"));
    world.tell(&[times(1, Operation::Reserve, FaultKind::DelayBeforeCommit { milliseconds: LONGER })]).await;
    assert!(is_lost(&gateway.clone().with_timeout(SHORT).reserve("r", &text).await.unwrap_err()));
    gateway.release("u", "r", &text).await.unwrap();
    let landed = world.landed("r").await;
    assert_eq!((landed.outcome, landed.code.as_deref()), (Outcome::Refused, Some("released")));
    let effects = gateway.ledger().await.unwrap().effects;
    assert_eq!(effects.iter().map(|effect| effect.kind).collect::<Vec<_>>(), [Operation::Release, Operation::Reserve]);
    assert!(gateway.ledger().await.unwrap().reservations.iter().all(|row| row.state != ReservationState::Held));
}

#[tokio::test]
async fn a_delayed_reply_is_lost_on_the_hasty_but_the_effect_is_there() {
    let world = World::start(&[]);
    let (gateway, text) = (world.gateway(), submission("a"));
    let slot = gateway.reserve("r", &text).await.unwrap();
    world.tell(&[times(1, Operation::Publish, FaultKind::DelayAfterCommit { milliseconds: 20_000 })]).await;
    let hasty = gateway.clone().with_timeout(SHORT);
    assert!(is_lost(&hasty.publish("p", &slot, &text).await.unwrap_err()));
    assert_eq!(world.landed("p").await.outcome, Outcome::Applied);
    assert!(matches!(gateway.find_publication("p").await.unwrap(), Lookup::Applied { .. }));
}

#[tokio::test]
async fn a_refusal_carries_its_code_and_reference_and_is_final_for_its_key() {
    let world = World::start(&[]);
    let (gateway, text) = (world.gateway(), submission("a"));
    world.tell(&[times(1, Operation::Reserve, FaultKind::Refuse { code: "banned".to_owned() })]).await;
    let first = gateway.reserve("r", &text).await.unwrap_err();
    let GatewayError::Refused { code, reference, .. } = &first else { panic!("expected a refusal, got {first:?}") };
    assert_eq!((code.as_str(), reference.as_deref()), ("banned", Some("effect-1")));
    assert_eq!(gateway.reserve("r", &text).await.unwrap_err(), first);
    gateway.reserve("r2", &text).await.unwrap();
    assert_eq!(world.outcomes("r").await, [Outcome::Refused, Outcome::Duplicate]);
}

#[tokio::test]
async fn a_refused_release_may_be_asked_again_under_its_key() {
    let world = World::start(&[]);
    let (gateway, text) = (world.gateway(), submission("a"));
    gateway.reserve("r", &text).await.unwrap();
    world.tell(&[times(2, Operation::Release, FaultKind::Refuse { code: "locked".to_owned() })]).await;
    for _ in 0..2 {
        let error = gateway.release("u", "r", &text).await.unwrap_err();
        assert!(matches!(&error, GatewayError::Refused { code, .. } if code == "locked"), "{error:?}");
    }
    assert_eq!(gateway.ledger().await.unwrap().reservations[0].state, ReservationState::Held);
    gateway.release("u", "r", &text).await.unwrap();
    assert_eq!(world.outcomes("u").await, [Outcome::Refused, Outcome::Refused, Outcome::Applied]);
}

#[tokio::test]
async fn down_is_counted_or_lasts_until_it_is_changed() {
    let world = World::start(&[]);
    let (gateway, text) = (world.gateway(), submission("a"));
    let is_down = |error: GatewayError| matches!(error, GatewayError::Down { .. });
    world.tell(&[times(2, Operation::Reserve, FaultKind::Down)]).await;
    assert!(is_down(gateway.reserve("r", &text).await.unwrap_err()));
    assert!(is_down(gateway.reserve("r", &text).await.unwrap_err()));
    gateway.reserve("r", &text).await.unwrap();
    assert_eq!(world.outcomes("r").await, [Outcome::Applied]);

    world.tell(&[always(Operation::Find, FaultKind::Down), always(Operation::Release, FaultKind::Down)]).await;
    for _ in 0..4 {
        assert!(is_down(gateway.find_publication("p").await.unwrap_err()));
        assert!(is_down(gateway.release("u", "r", &text).await.unwrap_err()));
    }
    let counts = gateway.faults().await.unwrap();
    assert_eq!((counts[0].struck, counts[0].left), (4, None));
    world.tell(&[]).await;
    gateway.release("u", "r", &text).await.unwrap();
    assert_eq!(gateway.faults().await.unwrap(), []);
}

#[tokio::test]
async fn a_gateway_that_is_not_there_was_sent_nothing() {
    let mut world = World::start(&[]);
    world.kill();
    let error = world.gateway().reserve("r", &submission("a")).await.unwrap_err();
    assert!(matches!(error, GatewayError::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn a_fault_strikes_only_the_submission_it_names() {
    let world = World::start(&[]);
    let gateway = world.gateway();
    let told = Fault { submission: Some("b".to_owned()), ..times(1, Operation::Reserve, FaultKind::LoseReply) };
    world.tell(std::slice::from_ref(&told)).await;
    gateway.reserve("ra", &submission("a")).await.unwrap();
    let counts = gateway.faults().await.unwrap();
    assert_eq!((&counts[0].told, counts[0].struck, counts[0].left), (&told, 0, Some(1)));
    assert!(is_lost(&gateway.reserve("rb", &submission("b")).await.unwrap_err()));
    gateway.reserve("rb", &submission("b")).await.unwrap();
}

#[tokio::test]
async fn a_lookup_can_lag_be_refused_be_late_and_be_lost() {
    let world = World::start(&[]);
    let (gateway, text) = (world.gateway(), submission("a"));
    let slot = gateway.reserve("r", &text).await.unwrap();
    gateway.publish("p", &slot, &text).await.unwrap();
    world
        .tell(&[
            times(2, Operation::Find, FaultKind::Lag),
            times(1, Operation::Find, FaultKind::LoseReply),
            times(1, Operation::Find, FaultKind::Refuse { code: "private".to_owned() }),
        ])
        .await;
    let refused = gateway.find_publication("p").await.unwrap_err();
    assert!(matches!(&refused, GatewayError::Refused { code, .. } if code == "private"), "{refused:?}");
    assert!(is_lost(&gateway.find_publication("p").await.unwrap_err()));
    assert_eq!(gateway.find_publication("p").await.unwrap(), Lookup::NotFound);
    assert!(matches!(gateway.find_publication("p").await.unwrap(), Lookup::Applied { .. }));
    world.tell(&[times(1, Operation::Find, FaultKind::DelayAfterCommit { milliseconds: 20_000 })]).await;
    assert!(is_lost(&gateway.clone().with_timeout(SHORT).find_publication("p").await.unwrap_err()));
}

#[tokio::test]
async fn faults_combine_on_one_call() {
    let world = World::start(&[]);
    let (gateway, text) = (world.gateway(), submission("a"));
    world
        .tell(&[
            times(1, Operation::Reserve, FaultKind::DelayBeforeCommit { milliseconds: 1 }),
            times(1, Operation::Reserve, FaultKind::Refuse { code: "banned".to_owned() }),
            times(1, Operation::Reserve, FaultKind::DelayAfterCommit { milliseconds: 1 }),
            times(1, Operation::Reserve, FaultKind::LoseReply),
        ])
        .await;
    assert!(is_lost(&gateway.reserve("r", &text).await.unwrap_err()));
    let error = gateway.reserve("r", &text).await.unwrap_err();
    assert!(matches!(&error, GatewayError::Refused { code, .. } if code == "banned"), "{error:?}");
    assert!(gateway.faults().await.unwrap().iter().all(|count| count.left == Some(0)));
}
