//! Nothing that comes out of the library quotes a payload: not what it logs and counts, not what lists and errors say.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, unreachable_pub)]

use metrics_util::debugging::DebuggingRecorder;
use saga_core::journal::Decision;
use saga_core::store::{MemoryStore, Page, RunFilter, Store};
use saga_core::{Engine, Failure, RunId, Saga, Signal, StepCx, StepError, saga, step};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SECRET: &str = "hunter2-4242";

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum Fault {
    #[failure(unknown)]
    #[error("no reply")]
    Lost,
}

/// The code as it was: everything is text.
mod before {
    use super::*;
    #[derive(Serialize, Deserialize, Signal)]
    #[signal(name = "Go")]
    pub struct Go(pub String);
    #[step(not_idempotent, compensable(undo = uncharge, needs = output), unknown = review)]
    pub async fn charge(cx: &StepCx, card: &str) -> Result<u64, Fault> {
        let _ = (cx, card);
        Err(Fault::Lost)
    }
    pub async fn uncharge(_cx: &StepCx, _card: &str, _made: &u64) -> Result<(), Fault> {
        Ok(())
    }
    #[saga(version = 1, owner = "tills")]
    pub async fn sale(cx: &mut Saga, card: String) -> Result<String, StepError<Fault>> {
        charge(cx, &card).await?;
        Ok(card)
    }
    #[saga(version = 1, owner = "tills")]
    pub async fn waiting(cx: &mut Saga, card: String) -> Result<String, StepError<Fault>> {
        let Go(more) = saga_core::signal::<Go>(cx).forever().await;
        Ok(card + &more)
    }
    #[saga(version = 1, owner = "tills")]
    pub async fn done(cx: &mut Saga, card: String) -> Result<String, StepError<Fault>> {
        let _ = saga_core::now(cx).await;
        Ok(card)
    }
}

/// The code as it is now: what was text is a number, and nothing else changed.
mod after {
    use super::*;
    #[derive(Serialize, Deserialize, Signal)]
    #[signal(name = "Go")]
    pub struct Go(pub u8);
    #[saga(version = 1, owner = "tills")]
    pub async fn waiting(cx: &mut Saga, card: u8) -> Result<u8, StepError<Fault>> {
        let Go(more) = saga_core::signal::<Go>(cx).forever().await;
        Ok(card + more)
    }
    #[saga(version = 1, owner = "tills")]
    pub async fn done(cx: &mut Saga, card: u8) -> Result<u8, StepError<Fault>> {
        let _ = saga_core::now(cx).await;
        Ok(card)
    }
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);
impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// All that anybody is shown of a store.
async fn shown(store: &MemoryStore) -> String {
    let page = Page::first(100);
    let mut text = format!("{:?}", store.reviews(false, page).await.unwrap());
    text += &format!("{:?}", store.quarantined(page).await.unwrap());
    for row in store.list(RunFilter::default(), page).await.unwrap() {
        let status = saga_core::Status::of(store, row.clone()).await.unwrap();
        text += &format!("{row:?} {status:?} {status}");
    }
    text
}

async fn until(mut reached: impl AsyncFnMut() -> bool) {
    for _ in 0..500 {
        if reached().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it never came to that");
}

async fn aside(store: &MemoryStore, run: RunId) -> bool {
    store.run(run).await.unwrap().unwrap().quarantined.is_some()
}

#[tokio::test]
async fn no_log_no_list_no_metric_and_no_error_quotes_a_payload() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let recorder = DebuggingRecorder::new();
    let snapshot = recorder.snapshotter();
    recorder.install().unwrap();
    let store = Arc::new(MemoryStore::new());
    let mut said = String::new();

    // A person's text that does not fit the step.
    let builder = Engine::builder(store.clone(), ()).saga::<before::sale>().saga::<before::waiting>();
    let engine = builder.saga::<before::done>().start().await.unwrap();
    let sale = engine.start(before::sale(SECRET.to_owned())).await.unwrap();
    until(async || !store.reviews(true, Page::first(9)).await.unwrap().is_empty()).await;
    let output = saga_core::Payload::of(&SECRET.to_owned()).unwrap();
    engine.decide(sale.run(), 1, Decision::MarkApplied { output }, "anna", "seen").await.unwrap();
    until(async || store.reviews(true, Page::first(9)).await.unwrap()[0].requested.is_none()).await;
    let entries = store.journal(sale.run(), 0, 99).await.unwrap();
    let refused = entries.iter().find(|entry| entry.kind == "decision_refused").unwrap();
    said += &String::from_utf8_lossy(&refused.body);

    // Runs of the code as it was, for the code as it is.
    let waiting = engine.start(before::waiting(SECRET.to_owned())).await.unwrap();
    let numbers = engine.start(before::waiting("7".to_owned())).await.unwrap();
    let done = engine.start(before::done(SECRET.to_owned())).await.unwrap();
    done.outcome().await.unwrap();
    engine.stop(Duration::from_secs(1)).await;
    let builder = Engine::builder(store.clone(), ()).saga::<after::waiting>().saga::<after::done>();
    let engine = builder.start().await.unwrap();
    for run in [&waiting, &numbers] {
        run.send(before::Go(SECRET.to_owned())).await.unwrap();
        until(async || aside(&store, run.run()).await).await;
    }
    let error = engine.run::<after::done>(done.run()).await.unwrap().outcome().await.unwrap_err();
    said += &format!("{error} {error:?}");
    assert!(said.contains("the journaled text is not a u8: something else stands at line 1 column"), "{said}");

    // An entry that was changed by hand, so that serde trips over the secret itself.
    let body = format!(r#"{{"kept":{{"call":"{SECRET}"}}}}"#);
    let damaged = saga_core::store::NewEntry { kind: "kept", call: None, step: None, body: body.into_bytes() };
    append(&store, sale.run(), damaged).await;
    let builder = Engine::builder(store.clone(), ()).saga::<before::sale>();
    let old = builder.start().await.unwrap();
    until(async || aside(&store, sale.run()).await).await;
    let error = old.inspect(sale.run()).await.unwrap_err();
    said += &format!("{error} {error:?}");
    assert!(said.contains("entry ") && said.contains("cannot be read: something else stands"), "{said}");

    let mut all = said + &shown(&store).await + &String::from_utf8_lossy(&log.0.lock().unwrap());
    for (key, ..) in snapshot.snapshot().into_vec() {
        all += &format!("{key:?}");
    }
    assert!(all.contains("run set aside") && all.contains("journal_broken"));
    let at = all.find(SECRET).or_else(|| all.find("hunter2"));
    assert!(at.is_none(), "quoted in: {}", &all[at.unwrap_or(0).saturating_sub(300)..][..400]);
}

/// Puts an entry behind a run's journal, as whoever has the run.
async fn append(store: &MemoryStore, run: RunId, entry: saga_core::store::NewEntry) {
    use saga_core::store::{Append, Claim, DefinitionRow, Due, InboxPost, Poster, Then, WorkerId};
    let row = store.run(run).await.unwrap().unwrap();
    let poke = InboxPost {
        run,
        kind: Poster::Signal { name: "Poke".to_owned() },
        body: br#"{"signal":{"name":"Poke","payload":"1"}}"#.to_vec(),
        by: "test".to_owned(),
        note: String::new(),
        once: None,
    };
    store.commit(vec![saga_core::store::Write::Post(poke)]).await.unwrap().remove(0).unwrap();
    let definitions: Vec<DefinitionRow> = vec![row.definition.clone()];
    let claim = Claim { worker: WorkerId::fresh("hand"), lease: Duration::from_secs(9), limit: 1, definitions };
    let fence = store.claim(claim).await.unwrap().remove(0).row.fence;
    let head = saga_core::decide::Head {
        state: row.state,
        step: row.step,
        why: row.why,
        error: row.error,
        past_pivot: false,
        until: None,
    };
    let append = Append {
        run,
        fence,
        length: row.length,
        entries: vec![entry],
        head,
        inbox_seen: None,
        inbox_taken: Vec::new(),
        reviews: Vec::new(),
        then: Then::Release(Due::Now),
    };
    store.commit(vec![saga_core::store::Write::Append(append)]).await.unwrap().remove(0).unwrap();
}
