//! What the gateway promises when nothing goes wrong: keys, slots, releases and their barrier, on a real process.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test ends where it fails")]

mod world;

use approval::gateway::GatewayError;
use approval::gateway::wire::{Lookup, Outcome, ReservationState};
use approval::model::Slot;
use std::collections::BTreeSet;
use world::{World, submission};

fn refusal(error: GatewayError) -> (String, Option<String>) {
    match error {
        GatewayError::Refused { code, reference, .. } => (code, reference),
        other => panic!("expected a refusal, got {other:?}"),
    }
}

#[tokio::test]
async fn the_same_key_is_answered_the_same_and_applied_once() {
    let world = World::start(&[]);
    let (gateway, text) = (world.gateway(), submission("a"));
    let slot = gateway.reserve("r", &text).await.unwrap();
    assert_eq!(gateway.reserve("r", &text).await.unwrap(), slot);
    let publication = gateway.publish("p", &slot, &text).await.unwrap();
    assert_eq!(gateway.publish("p", &slot, &text).await.unwrap(), publication);
    assert_eq!(gateway.reserve("r", &text).await.unwrap(), slot, "the receipt stays after the slot is consumed");

    let ledger = gateway.ledger().await.unwrap();
    assert_eq!(ledger.reservations.len(), 1);
    assert_eq!(ledger.reservations[0].state, ReservationState::Consumed);
    assert_eq!(ledger.publications.len(), 1);
    assert_eq!(ledger.publications[0].publication, publication);
    assert_eq!(ledger.publications[0].body, text.body);
    assert_eq!(world.outcomes("r").await, [Outcome::Applied, Outcome::Duplicate, Outcome::Duplicate]);
    assert_eq!(world.outcomes("p").await, [Outcome::Applied, Outcome::Duplicate]);
    assert_eq!(gateway.find_publication("p").await.unwrap(), Lookup::Applied { publication: publication.clone() });
    assert_eq!(gateway.find_publication("r").await.unwrap(), Lookup::NotFound);
    let (status, page) = world.raw("GET", &publication.url, "", "");
    assert_eq!(status, 200);
    assert!(page.contains("On slots"), "{page}");
    assert_eq!(world.raw("GET", "/publications/publication-01", "", "").0, 404);
}

#[tokio::test]
async fn keys_with_any_visible_character_are_kept_apart_and_found() {
    let world = World::start(&[]);
    let gateway = world.gateway();
    for key in ["run:1:publish", "a/b", "a%2Fb", "a?b#c", "\"'&<>"] {
        let slot = gateway.reserve(&format!("reserve-{key}"), &submission("a")).await.unwrap();
        let publication = gateway.publish(key, &slot, &submission("a")).await.unwrap();
        assert_eq!(gateway.find_publication(key).await.unwrap(), Lookup::Applied { publication }, "{key}");
    }
}

#[tokio::test]
async fn the_same_key_with_another_request_is_told_apart() {
    let world = World::start(&[]);
    let (gateway, text) = (world.gateway(), submission("a"));
    let slot = gateway.reserve("k", &text).await.unwrap();
    let other = gateway.reserve("k", &submission("b")).await.unwrap_err();
    assert!(matches!(other, GatewayError::KeyReused { reference: Some(_), .. }), "{other:?}");
    let other = gateway.publish("k", &slot, &text).await.unwrap_err();
    assert!(matches!(other, GatewayError::KeyReused { .. }), "{other:?}");
    let body = r#"{"submission": {"id": "b", "revision": 1, "title": "t", "body": ""}}"#;
    assert_eq!(world.raw("POST", "/reserve", "idempotency-key: k\r\n", body).0, 422);
    assert_eq!(gateway.reserve("k", &text).await.unwrap(), slot);
    assert_eq!(gateway.ledger().await.unwrap().reservations.len(), 1);
}

#[tokio::test]
async fn a_body_that_is_only_written_in_another_order_is_the_same_request() {
    let world = World::start(&[]);
    let key = "idempotency-key: k\r\n";
    let one = r#"{"submission": {"id": "b", "revision": 1, "title": "t", "body": ""}}"#;
    let two = r#"{ "submission": {"title":"\u0074", "body": "", "revision": 1, "id": "b"} }"#;
    let first = world.raw("POST", "/reserve", key, one);
    assert_eq!(first.0, 200);
    assert_eq!(world.raw("POST", "/reserve", key, two), first);
}

#[tokio::test]
async fn a_publish_needs_a_held_slot_of_its_own_submission() {
    let world = World::start(&[]);
    let (gateway, text) = (world.gateway(), submission("a"));
    let none = Slot { number: 1, reservation: "reservation-1".to_owned() };
    let (code, reference) = refusal(gateway.publish("p0", &none, &text).await.unwrap_err());
    assert_eq!((code.as_str(), reference.as_deref()), ("no_reservation", Some("effect-1")));
    assert_eq!(gateway.find_publication("p0").await.unwrap(), Lookup::NotFound);

    let slot = gateway.reserve("r", &text).await.unwrap();
    assert_eq!(refusal(gateway.publish("p1", &slot, &submission("b")).await.unwrap_err()).0, "other_submission");
    let mut revised = text.clone();
    revised.revision = 2;
    assert_eq!(refusal(gateway.publish("p2", &slot, &revised).await.unwrap_err()).0, "other_submission");
    for forged in ["reservation-01", "reservation-", "1", "reservation-9", ""] {
        let forged = Slot { reservation: forged.to_owned(), ..slot.clone() };
        assert_eq!(
            refusal(gateway.publish(&format!("p{forged:?}").replace(' ', ""), &forged, &text).await.unwrap_err()).0,
            "no_reservation"
        );
    }
    let other_number = Slot { number: 2, ..slot.clone() };
    assert_eq!(refusal(gateway.publish("p3", &other_number, &text).await.unwrap_err()).0, "no_reservation");

    gateway.publish("p4", &slot, &text).await.unwrap();
    assert_eq!(refusal(gateway.publish("p5", &slot, &text).await.unwrap_err()).0, "no_reservation");
    let again = gateway.publish("p0", &none, &text).await.unwrap_err();
    assert_eq!(refusal(again).1.as_deref(), Some("effect-1"), "a refusal is final for its key, and is given again");
    assert_eq!(gateway.ledger().await.unwrap().publications.len(), 1);
}

#[tokio::test]
async fn slots_are_limited_and_come_back() {
    let world = World::start(&["--slots", "2"]);
    let gateway = world.gateway();
    let first = gateway.reserve("r1", &submission("a")).await.unwrap();
    let second = gateway.reserve("r2", &submission("b")).await.unwrap();
    assert_eq!((first.number, second.number), (1, 2));
    assert_eq!(refusal(gateway.reserve("r3", &submission("c")).await.unwrap_err()).0, "no_slot");
    gateway.release("u1", "r1", &submission("a")).await.unwrap();
    let late = gateway.reserve("r3", &submission("c")).await.unwrap_err();
    assert_eq!(refusal(late).0, "no_slot", "who was told no must not be given a slot later");
    assert_eq!(gateway.reserve("r4", &submission("c")).await.unwrap().number, 1);
    gateway.publish("p2", &second, &submission("b")).await.unwrap();
    assert_eq!(gateway.reserve("r5", &submission("d")).await.unwrap().number, 2);
}

#[tokio::test]
async fn a_release_gives_back_once_and_then_finds_nothing() {
    let world = World::start(&[]);
    let (gateway, text) = (world.gateway(), submission("a"));
    let slot = gateway.reserve("r", &text).await.unwrap();
    assert_eq!(refusal(gateway.release("u0", "r", &submission("b")).await.unwrap_err()).0, "other_submission");
    gateway.release("u1", "r", &text).await.unwrap();
    gateway.release("u1", "r", &text).await.unwrap();
    gateway.release("u2", "r", &text).await.unwrap();
    assert_eq!(world.outcomes("u1").await, [Outcome::Applied, Outcome::Duplicate]);
    assert_eq!(world.outcomes("u2").await, [Outcome::Absent]);
    assert_eq!(refusal(gateway.publish("p", &slot, &text).await.unwrap_err()).0, "no_reservation");
    let (code, reference) = refusal(gateway.reserve("r", &text).await.unwrap_err());
    assert_eq!(code, "released", "a late copy of the reserve must not be told that it holds a slot");
    assert!(reference.is_some());
    let other = gateway.reserve("r", &submission("b")).await.unwrap_err();
    assert!(matches!(other, GatewayError::KeyReused { .. }), "{other:?}");
    assert_eq!(gateway.ledger().await.unwrap().reservations[0].state, ReservationState::Released);
}

#[tokio::test]
async fn a_release_that_comes_first_bars_its_reserve() {
    let world = World::start(&[]);
    let (gateway, text) = (world.gateway(), submission("a"));
    gateway.release("u", "r", &text).await.unwrap();
    assert_eq!(refusal(gateway.reserve("r", &text).await.unwrap_err()).0, "released");
    assert_eq!(world.outcomes("u").await, [Outcome::Absent]);
    assert_eq!(world.outcomes("r").await, [Outcome::Refused]);
    let ledger = gateway.ledger().await.unwrap();
    assert_eq!((ledger.reservations[0].state, ledger.reservations[0].slot), (ReservationState::Barred, None));
    gateway.reserve("another", &text).await.unwrap();
}

#[tokio::test]
async fn a_release_does_not_revoke_a_publication() {
    let world = World::start(&[]);
    let (gateway, text) = (world.gateway(), submission("a"));
    let slot = gateway.reserve("r", &text).await.unwrap();
    let publication = gateway.publish("p", &slot, &text).await.unwrap();
    gateway.release("u", "r", &text).await.unwrap();
    assert_eq!(world.outcomes("u").await, [Outcome::Absent]);
    assert_eq!(gateway.find_publication("p").await.unwrap(), Lookup::Applied { publication });
    assert_eq!(refusal(gateway.release("u2", "p", &text).await.unwrap_err()).0, "not_a_reservation");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_at_once_share_neither_a_key_nor_a_slot() {
    let world = World::start(&["--slots", "5"]);
    let copies: Vec<_> = (0..20)
        .map(|_| {
            let gateway = world.gateway();
            tokio::spawn(async move { gateway.reserve("one", &submission("a")).await.unwrap() })
        })
        .collect();
    for copy in copies {
        assert_eq!(copy.await.unwrap().number, 1);
    }
    assert_eq!(world.outcomes("one").await.iter().filter(|outcome| **outcome == Outcome::Applied).count(), 1);

    let rivals: Vec<_> = (0..20)
        .map(|rival| {
            let gateway = world.gateway();
            tokio::spawn(async move { gateway.reserve(&format!("rival-{rival}"), &submission("b")).await })
        })
        .collect();
    let mut numbers = BTreeSet::new();
    let mut refused = 0;
    for rival in rivals {
        match rival.await.unwrap() {
            Ok(slot) => assert!(numbers.insert(slot.number), "slot {} was given twice", slot.number),
            Err(error) => {
                assert_eq!(refusal(error).0, "no_slot");
                refused += 1;
            }
        }
    }
    assert_eq!((numbers.into_iter().collect::<Vec<_>>(), refused), (vec![2, 3, 4, 5], 16));
}
