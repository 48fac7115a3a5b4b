//! The memory store as one simulated worker sees it: it dies, stands still and meets others at every commit.
//!
//! Decides what may happen around a commit. The store behind it is the real one.

use super::choice::Choice;
use super::director::Director;
use super::world::World;
use crate::decide::Command;
use crate::definition::Definition;
use crate::engine::codec::post;
use crate::engine::seal::Seal;
use crate::run::{RunId, Timestamp};
use crate::store::{
    Append, Claim, Claimed, Clock, DefinitionRow, Health, InboxItem, InboxPost, Lease, MemoryStore, NewEntry, Notice,
    Page, Poster, Quarantined, Refused, ReviewRow, RunFilter, RunRow, SetAside, Store, StoreError, StoreFuture,
    StoredEntry, WorkerId, WorkerRow, Write, Written,
};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Virtual time as the store's clock.
#[derive(Debug)]
pub(crate) struct VirtualClock(pub(crate) Instant);

/// Some day: 2026-01-01T00:00:00Z.
const BEGAN: Timestamp = Timestamp(1_767_225_600_000_000);

impl Clock for VirtualClock {
    fn now(&self) -> Timestamp {
        BEGAN.plus(self.0.elapsed())
    }
}

/// A message that the test has at hand: the signal's name and the body of its inbox item.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) name: &'static str,
    pub(crate) body: Vec<u8>,
}

/// What all simulated workers and the driver share.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) director: Director,
    pub(crate) store: MemoryStore,
    pub(crate) world: World,
    pub(crate) messages: Vec<Message>,
    pub(crate) definition: &'static Definition,
    pub(crate) lease: Duration,
}

impl Stage {
    /// The whole state at this moment, without times and without the name of this very run.
    pub(crate) async fn digest(&self, run: RunId, place: &str) -> u64 {
        let mut hasher = DefaultHasher::new();
        place.hash(&mut hasher);
        self.world.digest().hash(&mut hasher);
        if let Ok(Some(row)) = self.store.run(run).await {
            let now = self.store.now().await.unwrap_or(BEGAN);
            (row.state, row.past_pivot, row.cancel_requested, row.inbox_last, row.claims).hash(&mut hasher);
            row.due.map(|due| due.since(now).as_secs()).hash(&mut hasher);
            now.since(row.created).as_secs().checked_div(3_600).hash(&mut hasher);
        }
        for entry in self.store.journal(run, 0, u32::MAX).await.unwrap_or_default() {
            (entry.kind, entry.call, without_times(&entry.body)).hash(&mut hasher);
        }
        hasher.finish()
    }

    pub(crate) async fn post(&self, run: RunId, kind: Poster, body: Vec<u8>) {
        let post = InboxPost { run, kind, body, by: "the test".to_owned(), note: "simulated".to_owned(), once: None };
        // Refused where it comes too late: that too is an ordinary day.
        let _ = self.store.commit(vec![Write::Post(post)]).await;
        self.director.happened.notify_one();
    }

    pub(crate) async fn cancel(&self, run: RunId) {
        let mut cancel = Command::Cancel { by: "the test".to_owned(), reason: "simulated".to_owned() };
        if let Ok(body) = post(&mut cancel, &Seal::default()) {
            self.post(run, Poster::Cancel, body).await;
        }
    }

    pub(crate) async fn send(&self, run: RunId, message: usize) {
        if let Some(Message { name, body }) = self.messages.get(message).cloned() {
            self.post(run, Poster::Signal { name: name.to_owned() }, body).await;
        }
    }
}

/// Instants are long numbers, and differ between schedules that are otherwise the same.
fn without_times(body: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(body.len());
    for part in body.chunk_by(|left, right| left.is_ascii_digit() == right.is_ascii_digit()) {
        if part.len() < 13 || !part[0].is_ascii_digit() {
            kept.extend_from_slice(part);
        }
    }
    kept
}

/// The store of one worker.
#[derive(Debug)]
pub(crate) struct SimulatedStore {
    pub(crate) stage: Arc<Stage>,
    pub(crate) worker: u32,
}

impl SimulatedStore {
    async fn committed(&self, writes: Vec<Write>) -> Result<Vec<Result<Written, Refused>>, StoreError> {
        let stage = &self.stage;
        stage.director.gate(self.worker).await;
        let (run, entries) = match writes.first() {
            Some(Write::Create(new)) => (new.run, &new.entries),
            Some(Write::Append(Append { run, entries, .. })) => (*run, entries),
            _ => return stage.store.commit(writes).await,
        };
        let place = format!("worker {} commits {}", self.worker, words(entries));
        let options = self.options(&writes);
        let digest = stage.digest(run, &place).await;
        match stage.director.at(place, options, digest).await {
            Choice::DieBefore => return stage.director.die(self.worker).await,
            Choice::DieAfter => {
                stage.store.commit(writes).await?;
                return stage.director.die(self.worker).await;
            }
            Choice::StoreFails => return Err(StoreError::Unavailable("simulated".to_owned())),
            Choice::Freeze => {
                stage.director.freeze(self.worker, stage.lease * 3);
                stage.director.gate(self.worker).await;
            }
            Choice::Cancel => stage.cancel(run).await,
            Choice::Deadline => {
                if let Some(deadline) = stage.definition.deadline {
                    tokio::time::sleep(deadline + Duration::from_secs(1)).await;
                }
            }
            Choice::Post(message) => stage.send(run, message).await,
            _ => {}
        }
        let written = stage.store.commit(writes).await;
        stage.director.happened.notify_one();
        written
    }

    fn options(&self, writes: &[Write]) -> Vec<Choice> {
        let mut options = vec![Choice::Go, Choice::DieBefore, Choice::DieAfter, Choice::StoreFails];
        if matches!(writes.first(), Some(Write::Append(_))) {
            options.push(Choice::Freeze);
            if !self.stage.director.was_cancelled() {
                options.push(Choice::Cancel);
            }
            options.extend(self.stage.definition.deadline.map(|_| Choice::Deadline));
            options.extend((0..self.stage.messages.len()).map(Choice::Post));
        }
        options
    }
}

fn words(entries: &[NewEntry]) -> String {
    let one = |entry: &NewEntry| match &entry.step {
        Some(step) => format!("{} of {step}", entry.kind),
        None => entry.kind.to_owned(),
    };
    if entries.is_empty() { "its leave".to_owned() } else { entries.iter().map(one).collect::<Vec<_>>().join(", ") }
}

/// Everything but a commit: only the dead and those who stand still notice.
macro_rules! passed_on {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty;)*) => {$(
        fn $name(&self, $($argument: $type),*) -> StoreFuture<'_, $answer> {
            Box::pin(async move {
                self.stage.director.gate(self.worker).await;
                self.stage.store.$name($($argument),*).await
            })
        }
    )*};
}

impl Store for SimulatedStore {
    fn commit(&self, writes: Vec<Write>) -> StoreFuture<'_, Vec<Result<Written, Refused>>> {
        Box::pin(self.committed(writes))
    }

    passed_on! {
        now() -> Timestamp;
        claim(claim: Claim) -> Vec<Claimed>;
        journal(run: RunId, after: u64, limit: u32) -> Vec<StoredEntry>;
        inbox(run: RunId, after: u64, limit: u32) -> Vec<InboxItem>;
        run(run: RunId) -> Option<RunRow>;
        list(filter: RunFilter, page: Page) -> Vec<RunRow>;
        reviews(only_open: bool, page: Page) -> Vec<ReviewRow>;
        notices(wait: Duration, limit: u32) -> Vec<Notice>;
        quarantine(aside: SetAside, retry_in: Duration) -> Result<(), Refused>;
        sweep(grace: Duration, limit: u32) -> Vec<RunId>;
        quarantined(page: Page) -> Vec<Quarantined>;
        workers() -> Vec<WorkerRow>;
        health() -> Health;
    }

    fn renew(&self, worker: &WorkerId, lease: Duration) -> StoreFuture<'_, Vec<Lease>> {
        let worker = worker.clone();
        Box::pin(async move {
            self.stage.director.gate(self.worker).await;
            self.stage.store.renew(&worker, lease).await
        })
    }

    fn find(&self, key: &str) -> StoreFuture<'_, Option<RunRow>> {
        self.stage.store.find(key)
    }

    fn notified(&self, notice: &Notice) -> StoreFuture<'_, ()> {
        self.stage.store.notified(notice)
    }

    fn enroll(&self, worker: &WorkerId, definitions: Vec<DefinitionRow>, lease: Duration) -> StoreFuture<'_, Vec<u64>> {
        self.stage.store.enroll(worker, definitions, lease)
    }

    fn leave(&self, worker: &WorkerId) -> StoreFuture<'_, ()> {
        self.stage.store.leave(worker)
    }
}
