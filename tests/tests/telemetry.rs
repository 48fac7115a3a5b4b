//! What is logged and counted: ids as fields of spans, counters for what happens, and never a payload.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use metrics_util::debugging::DebuggingRecorder;
use saga_core::store::MemoryStore;
use saga_core::{Engine, Failure, RunOutcome, Saga, StepCx, StepError, saga, step};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::sync::{Arc, Mutex};

#[derive(Debug, Serialize, Deserialize)]
pub struct Card {
    number: String,
}

#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum CardError {
    #[failure(refused, code = "declined", reference = request)]
    #[error("declined")]
    Declined { request: String, trace: String },
}

#[step(compensable(undo = refund), idempotent(key))]
pub async fn charge(cx: &StepCx, card: &Card) -> Result<String, CardError> {
    tracing::info!("charging");
    let _ = cx.key();
    Ok(format!("receipt for {}", card.number))
}
pub async fn refund(_cx: &StepCx, _card: &Card, _made: Option<&String>) -> Result<(), CardError> {
    Ok(())
}
#[step(read_only, idempotent)]
pub async fn ask(cx: &StepCx, card: &Card) -> Result<(), CardError> {
    let _ = cx;
    Err(CardError::Declined { request: "req-1".to_owned(), trace: card.number.clone() })
}

#[saga(version = 1, owner = "tills")]
pub async fn sale(cx: &mut Saga, card: Card) -> Result<(), StepError<CardError>> {
    let _receipt = charge(cx, &card).await?;
    ask(cx, &card).await?;
    Ok(())
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

#[tokio::test]
async fn spans_have_ids_counters_count_and_payloads_stay_out() {
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

    let engine = Engine::builder(Arc::new(MemoryStore::default()), ()).saga::<sale>().start().await.unwrap();
    let run = engine.start(sale(Card { number: "4242-4242".to_owned() })).await.unwrap();
    assert!(matches!(run.outcome().await.unwrap(), RunOutcome::Refused(StepError::Failed(CardError::Declined { .. }))));

    let text = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(!text.contains("4242"), "a payload in the log: {text}");
    let charging = text.lines().find(|line| line.contains("charging")).unwrap();
    for field in [format!("run={}", run.run()), "saga=\"sale\"".into(), "step=\"charge\"".into(), "attempt=1".into()] {
        assert!(charging.contains(&field), "no {field} in: {charging}");
    }
    assert!(!format!("{:?}", engine.inspect(run.run()).await.unwrap()).contains("4242"), "a payload in Debug");

    let counted: Vec<String> =
        snapshot.snapshot().into_vec().into_iter().map(|(key, ..)| key.key().name().to_owned()).collect();
    for name in [
        "saga_runs_started_total",
        "saga_runs_ended_total",
        "saga_attempts_total",
        "saga_attempt_seconds",
        "saga_commits_total",
        "saga_commit_writes",
    ] {
        assert!(counted.iter().any(|counted| counted == name), "{name} was not counted");
    }
}
