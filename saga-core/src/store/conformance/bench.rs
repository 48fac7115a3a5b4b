//! What a case works with: a store, its clock, and the usual requests with as few words as possible.

use super::words;
use crate::decide::{Head, State};
use crate::definition::Fingerprint;
use crate::run::{RunId, Timestamp};
use crate::store::{
    Append, Claim, Claimed, DefinitionRow, Due, InboxPost, ManualClock, NewEntry, NewRun, Poster, Store, StoreError,
    Then, WorkerId, Write, Written,
};
use std::sync::Arc;
use std::time::Duration;

/// The span of a lease, in ticks.
pub(super) const LEASE: u32 = 5;

/// A store under test.
#[derive(Clone)]
pub struct Bench {
    pub(super) store: Arc<dyn Store>,
    pub(super) clock: Option<ManualClock>,
    /// The unit of all spans in the cases.
    tick: Duration,
}

impl std::fmt::Debug for Bench {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bench").field("tick", &self.tick).finish_non_exhaustive()
    }
}

type Answer<T> = Result<T, StoreError>;

impl Bench {
    pub(super) fn new(store: Arc<dyn Store>, clock: Option<ManualClock>, tick: Duration) -> Bench {
        Bench { store, clock, tick }
    }

    pub(super) fn ticks(&self, ticks: u32) -> Duration {
        self.tick * ticks
    }

    /// Lets time pass: a movable clock is moved, any other is waited for.
    pub(super) async fn pass(&self, ticks: u32) {
        match &self.clock {
            Some(clock) => clock.advance(self.ticks(ticks)),
            None => tokio::time::sleep(self.ticks(ticks) + Duration::from_millis(5)).await,
        }
    }

    pub(super) async fn commit(&self, writes: Vec<Write>) -> Answer<Vec<String>> {
        Ok(self.store.commit(writes).await?.iter().map(words::written).collect())
    }

    /// One write, and what became of it.
    pub(super) async fn write(&self, write: Write) -> Answer<String> {
        Ok(self.commit(vec![write]).await?.concat())
    }

    /// The instant that an accepted write was given.
    pub(super) async fn stamp(&self, write: Write) -> Answer<Timestamp> {
        let written = self.store.commit(vec![write]).await?.pop();
        Ok(match written {
            Some(Ok(Written::Created { at } | Written::Appended { at } | Written::Posted { at, .. })) => at,
            _ => Timestamp(-1),
        })
    }

    pub(super) async fn claim(&self, worker: &str, limit: u32) -> Answer<Vec<Claimed>> {
        self.claim_for(worker, limit, LEASE).await
    }

    pub(super) async fn claim_for(&self, worker: &str, limit: u32, ticks: u32) -> Answer<Vec<Claimed>> {
        let lease = self.ticks(ticks);
        self.store.claim(Claim { worker: worker_id(worker), lease, limit, definitions: vec![definition()] }).await
    }

    /// Claims, and says which keys were got.
    pub(super) async fn claimed(&self, worker: &str) -> Answer<String> {
        let claimed = self.claim(worker, 100).await?;
        let keys: Vec<String> =
            claimed.iter().map(|claimed| format!("{} fence {}", claimed.row.key, claimed.row.fence)).collect();
        Ok(if keys.is_empty() { "nothing claimed".to_owned() } else { format!("claimed {}", keys.join(", ")) })
    }

    /// A run that was created and claimed by `worker`, with one entry and fence 1.
    pub(super) async fn leased(&self, key: &str, worker: &str) -> Answer<RunId> {
        self.leased_for(key, worker, LEASE).await
    }

    /// The same with a lease of another span, for cases that take their time.
    pub(super) async fn leased_for(&self, key: &str, worker: &str, ticks: u32) -> Answer<RunId> {
        let new = NewRun { claim: Some((worker_id(worker), self.ticks(ticks))), ..new_run(key) };
        let run = new.run;
        self.write(Write::Create(new)).await?;
        Ok(run)
    }

    /// A run that waits for something to arrive: length 2, fence 1, nobody has it.
    pub(super) async fn resting(&self, key: &str) -> Answer<RunId> {
        let run = self.leased(key, "w0").await?;
        self.write(Write::Append(Append {
            head: head_in(State::Waiting),
            then: Then::Release(Due::Never),
            ..append(run, 1)
        }))
        .await?;
        Ok(run)
    }

    /// A run that has ended: length 2.
    pub(super) async fn ended(&self, key: &str) -> Answer<RunId> {
        let run = self.leased(key, "w0").await?;
        self.write(Write::Append(Append { head: head_in(State::Completed), ..append(run, 1) })).await?;
        Ok(run)
    }

    /// A run's head in words.
    pub(super) async fn head(&self, run: RunId) -> Answer<String> {
        let now = self.store.now().await?;
        Ok(self.store.run(run).await?.map_or_else(|| "no run".to_owned(), |row| words::head(&row, now)))
    }
}

pub(super) fn worker_id(name: &str) -> WorkerId {
    WorkerId(format!("{name}/1"))
}

pub(super) fn definition() -> DefinitionRow {
    DefinitionRow { saga: "approval".to_owned(), version: 1, fingerprint: Fingerprint(0xfedc_ba98_7654_3210) }
}

pub(super) fn head_in(state: State) -> Head {
    Head { state, step: None, why: None, error: None, past_pivot: false, until: None }
}

pub(super) fn entry(body: impl Into<Vec<u8>>) -> NewEntry {
    NewEntry { kind: "value_drawn", call: None, step: None, body: body.into() }
}

/// A run that is due now and that nobody has.
pub(super) fn new_run(key: &str) -> NewRun {
    NewRun {
        run: RunId::fresh(),
        key: key.to_owned(),
        definition: definition(),
        owner: "editors".to_owned(),
        input_digest: "digest".to_owned(),
        input_size: 2,
        entries: vec![NewEntry { kind: "started", ..entry("{}") }],
        head: head_in(State::Running),
        claim: None,
        then: Then::Release(Due::Now),
    }
}

/// One more entry, under fence 1; the lease goes on.
pub(super) fn append(run: RunId, length: u64) -> Append {
    Append {
        run,
        fence: 1,
        length,
        entries: vec![entry("{}")],
        head: head_in(State::Running),
        inbox_seen: None,
        inbox_taken: Vec::new(),
        reviews: Vec::new(),
        then: Then::Keep,
    }
}

/// A post by anna.
pub(super) fn post(run: RunId, kind: Poster) -> InboxPost {
    InboxPost { run, kind, body: b"{}".to_vec(), by: "anna".to_owned(), note: String::new(), once: None }
}

pub(super) fn signal(run: RunId) -> InboxPost {
    post(run, Poster::Signal { name: "Decision".to_owned() })
}
