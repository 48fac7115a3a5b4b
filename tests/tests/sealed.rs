//! Payloads through a codec: exact, unreadable in the store, never the same twice, and a wrong key loses nothing.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod world;

use saga_core::store::{MemoryStore, Page, Refused, Store};
use saga_core::{
    Client, ClientError, CodecError, Engine, PayloadCodec, PayloadError, RunId, RunOutcome, Saga, StepCx, StepError,
    saga, step,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use world::{Decision, World, WorldError, approval, settings};

/// A toy cipher, as a real one behaves: another nonce each time, and bytes that do not fit the key are refused.
struct Cipher {
    key: u8,
    nonce: AtomicU8,
}

fn cipher(key: u8) -> Cipher {
    Cipher { key, nonce: AtomicU8::new(key) }
}

impl PayloadCodec for Cipher {
    fn encode(&self, plain: &[u8]) -> Result<Vec<u8>, CodecError> {
        let nonce = self.nonce.fetch_add(1, Ordering::SeqCst);
        let pad = self.key ^ nonce;
        Ok([nonce, self.key ^ 0xa5].into_iter().chain(plain.iter().map(|byte| byte ^ pad ^ 0x80)).collect())
    }

    fn decode(&self, coded: &[u8]) -> Result<Vec<u8>, CodecError> {
        match coded {
            [nonce, tag, rest @ ..] if *tag == self.key ^ 0xa5 => {
                Ok(rest.iter().map(|byte| byte ^ self.key ^ nonce ^ 0x80).collect())
            }
            _ => Err("sealed with another key".into()),
        }
    }
}

async fn engine(store: &Arc<MemoryStore>, world: &World, codec: impl PayloadCodec) -> Engine<World> {
    let builder = Engine::builder(store.clone(), world.clone()).saga::<approval>().saga::<echo>();
    builder.settings(settings()).codec(codec).start().await.unwrap()
}

async fn stored(store: &MemoryStore, run: RunId) -> String {
    let mut text = String::new();
    for entry in store.journal(run, 0, 1_000).await.unwrap() {
        text.push_str(&String::from_utf8(entry.body).unwrap());
    }
    text
}

#[step(read_only, idempotent)]
pub async fn repeat(cx: &StepCx<World>, text: &str, number: u64) -> Result<(String, u64), WorldError> {
    let _ = cx;
    Ok((text.to_owned(), number))
}

#[saga(version = 1, owner = "editors")]
pub async fn echo(cx: &mut Saga, text: String) -> Result<(String, u64), StepError<WorldError>> {
    let drawn = saga_core::new_uuid(cx).await;
    saga_core::sleep(cx, Duration::from_millis(1_200)).await;
    let _ = drawn;
    Ok(repeat(cx, &text, u64::MAX).await?.into_inner())
}

#[tokio::test]
async fn what_is_stored_is_unreadable_and_what_comes_back_is_exact() {
    let (store, world) = (Arc::new(MemoryStore::new()), World::default());
    let text = "secret \u{0}\u{1F980} \"quoted\" \\u0000".to_owned();
    let first = engine(&store, &world, cipher(7)).await;
    let run = first.start(echo(text.clone())).await.unwrap().run();
    let other = first.start(approval("secret".to_owned())).await.unwrap();
    other.send(Decision::Approve).await.unwrap();
    assert_eq!(other.outcome().await.unwrap(), RunOutcome::Completed(7));
    // The rest is done by an engine that has to decode everything.
    first.stop(Duration::ZERO).await;
    let second = engine(&store, &world, cipher(7)).await;
    let handle = second.run::<echo>(run).await.unwrap();
    assert_eq!(handle.outcome().await.unwrap(), RunOutcome::Completed((text.clone(), u64::MAX)));
    let shown = handle.steps().await.unwrap().remove(0);
    assert_eq!(shown.inputs[1].1, serde_json_text(&text));
    for run in [run, other.run()] {
        let stored = stored(&store, run).await;
        assert!(stored.contains("\"coded\":"), "{stored}");
        for field in ["inputs", "output", "value", "payload"] {
            assert!(!stored.contains(&format!("\"{field}\":\"")), "{field} in plain: {stored}");
        }
        for plain in ["secret", "Approve", "18446744073709551615", "\"7\"", "\\\"what\\\""] {
            assert!(!stored.contains(plain), "{plain} in {stored}");
        }
    }
}

fn serde_json_text(text: &str) -> String {
    saga_core::Payload::of(&text.to_owned()).unwrap().text()
}

#[tokio::test]
async fn a_signal_waits_in_the_inbox_unreadable() {
    let (store, world) = (Arc::new(MemoryStore::new()), World::default());
    let client = Client::new(store.clone()).with_codec(cipher(7));
    let run = client.start(approval("secret".to_owned())).await.unwrap();
    run.send(Decision::Approve).await.unwrap();
    let item = store.inbox(run.run(), 0, 9).await.unwrap().remove(0);
    let text = String::from_utf8(item.body).unwrap();
    assert!(text.contains("coded") && !text.contains("Approve"), "{text}");
    let _engine = engine(&store, &world, cipher(7)).await;
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(7));
}

#[tokio::test]
async fn a_key_gives_the_same_run_although_nothing_is_encoded_the_same_way_twice() {
    let (store, world) = (Arc::new(MemoryStore::new()), World::default());
    let before = Client::new(store.clone()).start(approval("old".to_owned())).key("before").await.unwrap();
    let engine = engine(&store, &world, cipher(7)).await;
    let client = Client::new(store.clone()).with_codec(cipher(7));
    let run = engine.start(approval("a".to_owned())).key("k").await.unwrap().run();
    assert_eq!(engine.start(approval("a".to_owned())).key("k").await.unwrap().run(), run);
    assert_eq!(client.start(approval("a".to_owned())).key("k").await.unwrap().run(), run);
    assert_eq!(client.start(approval("old".to_owned())).key("before").await.unwrap().run(), before.run());
    for (key, other) in [("k", "b"), ("before", "new")] {
        for error in [
            engine.start(approval(other.to_owned())).key(key).await.unwrap_err(),
            client.start(approval(other.to_owned())).key(key).await.unwrap_err(),
        ] {
            assert!(matches!(error, ClientError::Refused(Refused::KeyTaken { other: "input", .. })), "{error}");
        }
    }
    let error = client.start(echo("a".to_owned())).key("k").await.unwrap_err();
    assert!(matches!(error, ClientError::Refused(Refused::KeyTaken { other: "saga", .. })), "{error}");
}

#[tokio::test]
async fn with_another_key_a_run_is_set_aside_and_nothing_is_lost() {
    let (store, world) = (Arc::new(MemoryStore::new()), World::default());
    let client = Client::new(store.clone()).with_codec(cipher(7));
    let run = client.start(approval("secret".to_owned())).key("k").await.unwrap();
    let wrong = engine(&store, &world, cipher(9)).await;
    while store.quarantined(Page::first(9)).await.unwrap().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let why = run.status().await.unwrap().why.unwrap();
    let words = "entry 1 (`started`): a stored payload cannot be decoded: sealed with another key";
    assert_eq!(why, format!("set aside: {words}"));
    let error = wrong.inspect(run.run()).await.unwrap_err();
    assert!(matches!(error, ClientError::Payload(PayloadError::Undecodable { .. })), "{error}");
    let error = wrong.start(approval("secret".to_owned())).key("k").await.unwrap_err();
    assert!(matches!(error, ClientError::Payload(PayloadError::Undecodable { .. })), "{error}");
    let error = Client::new(store.clone()).inspect(run.run()).await.unwrap_err().to_string();
    assert!(error.ends_with("it was written with a codec, and none is set here"), "{error}");
    assert!(world.sent().is_empty());
    wrong.stop(Duration::ZERO).await;
    let _right = engine(&store, &world, cipher(7)).await;
    run.send(Decision::Approve).await.unwrap();
    assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(7));
    assert!(store.reviews(true, Page::first(9)).await.unwrap().is_empty());
}

/// Makes everything larger, or smaller, or nothing at all.
struct Scale(fn(usize) -> Option<usize>);

impl PayloadCodec for Scale {
    fn encode(&self, plain: &[u8]) -> Result<Vec<u8>, CodecError> {
        Ok(vec![0; (self.0)(plain.len()).ok_or("no key to encode with")?])
    }

    fn decode(&self, _coded: &[u8]) -> Result<Vec<u8>, CodecError> {
        Err("a start reads nothing back".into())
    }
}

#[tokio::test]
async fn sizes_count_as_they_are_stored() {
    let store = Arc::new(MemoryStore::new());
    let start = |text: usize, codec| {
        let client = Client::new(store.clone()).with_codec(Scale(codec));
        async move { client.start(approval("x".repeat(text))).await }
    };
    let large = start(3 << 20, |length| Some(length / 10)).await.unwrap();
    let first = store.journal(large.run(), 0, 1).await.unwrap().remove(0);
    assert!(first.body.len() < 1 << 20);
    let error = start(600 << 10, |length| Some(length * 2)).await.unwrap_err();
    assert!(matches!(error, ClientError::Inputs(_)) && error.to_string().contains("the limit is 1048576"), "{error}");
    let error = start(1, |_| None).await.unwrap_err().to_string();
    assert_eq!(error, "the saga cannot be started: the input cannot be encoded: no key to encode with");
}
