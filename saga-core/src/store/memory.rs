//! A store that forgets: for tests, and for sagas that need not survive their process. The same answers as the others.

use super::{
    Append, Claim, Claimed, DefinitionRow, Due, Health, InboxItem, InboxPost, Lease, NewRun, Page, Poster, Quarantined,
    Refused, ReviewChange, ReviewRow, RunFilter, RunRow, Store, StoreError, StoreFuture, StoredEntry, Then, WorkerId,
    WorkerRow, Write, Written, limits,
};
use crate::decide::{Head, State};
use crate::journal::{Action, Reason};
use crate::run::{RunId, Timestamp};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The clock of a store.
pub type Clock = Arc<dyn Fn() -> Timestamp + Send + Sync>;

/// The system's clock.
pub fn system_clock() -> Clock {
    Arc::new(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_micros()).unwrap_or(i64::MAX)).plus(Duration::ZERO)
    })
}

/// A store in memory.
pub struct MemoryStore {
    clock: Clock,
    state: Mutex<Tables>,
}

impl std::fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

impl Default for MemoryStore {
    fn default() -> Self {
        MemoryStore::with_clock(system_clock())
    }
}

#[derive(Default)]
struct Tables {
    runs: BTreeMap<RunId, Record>,
    keys: HashMap<String, RunId>,
    reviews: Vec<ReviewRow>,
    workers: HashMap<WorkerId, WorkerRow>,
}

/// All that is kept of one run.
struct Record {
    row: RunRow,
    digest: String,
    journal: Vec<StoredEntry>,
    inbox: Vec<Letter>,
}

struct Letter {
    item: InboxItem,
    taken: bool,
    signal: bool,
    once: Option<String>,
}

impl MemoryStore {
    /// An empty store with another clock.
    pub fn with_clock(clock: Clock) -> Self {
        MemoryStore { clock, state: Mutex::default() }
    }

    /// Everything happens under one lock, at one instant.
    fn with<T>(&self, act: impl FnOnce(&mut Tables, Timestamp) -> T) -> Result<T, StoreError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(act(&mut state, (self.clock)()))
    }
}

fn answer<'a, T: Send + 'a>(result: Result<T, StoreError>) -> StoreFuture<'a, T> {
    Box::pin(std::future::ready(result))
}

impl Tables {
    fn write(&mut self, write: Write, now: Timestamp) -> Result<Written, Refused> {
        limits::check(&write)?;
        match write {
            Write::Create(new) => self.create(new, now),
            Write::Append(append) => self.append(append, now),
            Write::Post(post) => self.post(post, now),
        }
    }

    fn record(&mut self, run: RunId) -> Result<&mut Record, Refused> {
        self.runs.get_mut(&run).ok_or(Refused::NoSuchRun(run))
    }

    fn create(&mut self, new: NewRun, now: Timestamp) -> Result<Written, Refused> {
        if let Some(existing) = self.keys.get(&new.key).and_then(|run| self.runs.get(run)) {
            let known = &existing.row.definition;
            let other = if known.saga != new.definition.saga {
                "saga"
            } else if known.version != new.definition.version {
                "version"
            } else if existing.digest != new.input_digest {
                "input"
            } else {
                return Ok(Written::Existing(Box::new(existing.row.clone())));
            };
            return Err(Refused::KeyTaken { key: new.key, run: existing.row.run, other });
        }
        if self.runs.contains_key(&new.run) {
            return Err(Refused::Rejected(format!("there is already a run {}", new.run)));
        }
        let mut row = RunRow {
            run: new.run,
            key: new.key.clone(),
            definition: new.definition,
            state: State::Running,
            step: None,
            why: None,
            error: None,
            past_pivot: false,
            cancel_requested: false,
            length: 0,
            inbox_last: 0,
            unconsumed_signals: 0,
            fence: u64::from(new.claim.is_some()),
            worker: new.claim.as_ref().map(|(worker, _)| worker.clone()),
            due: match &new.claim {
                Some((_, lease)) => Some(now.plus(*lease)),
                None => due(new.then, now),
            },
            claims: 0,
            quarantined: None,
            created: now,
            updated: now,
        };
        take_head(&mut row, new.head);
        let mut record = Record { row, digest: new.input_digest, journal: Vec::new(), inbox: Vec::new() };
        record.add(new.entries, now);
        self.keys.insert(new.key, new.run);
        self.runs.insert(new.run, record);
        Ok(Written::Created { at: now })
    }

    fn append(&mut self, append: Append, now: Timestamp) -> Result<Written, Refused> {
        let run = append.run;
        let record = self.record(run)?;
        let row = &mut record.row;
        if row.state.is_terminal() {
            return Err(Refused::AlreadyEnded { run, state: row.state });
        }
        if row.worker.is_none() || row.fence != append.fence {
            return Err(Refused::StaleFence { run, fence: append.fence });
        }
        if row.length != append.length {
            return Err(Refused::WrongLength { run, expected: append.length, found: row.length });
        }
        if append.inbox_seen.is_some_and(|seen| row.inbox_last > seen) {
            return Err(Refused::InboxMoved { run, last: row.inbox_last });
        }
        let at = now.max(row.updated);
        row.claims = 0;
        take_head(row, append.head);
        record.add(append.entries, at);
        for letter in &mut record.inbox {
            letter.taken |= append.inbox_taken.contains(&letter.item.number);
        }
        let row = &mut record.row;
        row.unconsumed_signals = record.inbox.iter().filter(|letter| letter.signal && !letter.taken).count() as u64;
        if let Then::Release(_) = append.then {
            let unseen = append.inbox_seen.unwrap_or(row.inbox_last);
            let waits =
                record.inbox.iter().any(|letter| !letter.taken && (!letter.signal || letter.item.number > unseen));
            row.worker = None;
            row.due = if row.state.is_terminal() {
                None
            } else if waits {
                Some(at)
            } else {
                due(append.then, at)
            };
        }
        let (saga, readable_again) = (row.definition.saga.clone(), row.quarantined.take().is_some());
        if readable_again {
            self.settle(run, 0, "readable again", "the engine", at);
        }
        for change in append.reviews {
            self.review(run, &saga, change, at);
        }
        Ok(Written::Appended { at })
    }

    fn review(&mut self, run: RunId, saga: &str, change: ReviewChange, at: Timestamp) {
        match change {
            ReviewChange::Open(row) => {
                let saga = saga.to_owned();
                self.reviews.push(ReviewRow { run, saga, opened: at, requested: None, settled: None, ..*row });
            }
            ReviewChange::Settle { review, decision, by } => self.settle(run, review, &decision, &by, at),
            ReviewChange::Escalate { review, owner } => {
                if let Some(row) = self.open_review(run, review) {
                    row.owner = owner;
                    row.requested = None;
                }
            }
            ReviewChange::Refuse { review } => {
                if let Some(row) = self.open_review(run, review) {
                    row.requested = None;
                }
            }
        }
    }

    fn open_review(&mut self, run: RunId, review: u32) -> Option<&mut ReviewRow> {
        self.reviews.iter_mut().find(|row| row.run == run && row.review == review && row.settled.is_none())
    }

    fn settle(&mut self, run: RunId, review: u32, decision: &str, by: &str, at: Timestamp) {
        if let Some(row) = self.open_review(run, review) {
            row.settled = Some((decision.to_owned(), by.to_owned(), at));
        }
    }

    fn post(&mut self, post: InboxPost, now: Timestamp) -> Result<Written, Refused> {
        let run = post.run;
        let record = self.record(run)?;
        let once = post.once.as_ref();
        if let Some(first) = record.inbox.iter().find(|letter| once.is_some() && letter.once.as_ref() == once) {
            return Ok(Written::Posted { number: first.item.number, at: first.item.at });
        }
        let row = &record.row;
        if row.state.is_terminal() {
            return Err(Refused::AlreadyEnded { run, state: row.state });
        }
        match &post.kind {
            Poster::Signal { name } => limits::name("a signal's name", name)?,
            Poster::Cancel if row.cancel_requested => {
                let first = record.inbox.iter().find(|letter| letter.once.as_deref() == Some(CANCEL));
                let (number, at) = first.map_or((row.inbox_last, now), |letter| (letter.item.number, letter.item.at));
                return Ok(Written::Posted { number, at });
            }
            Poster::Cancel if row.state == State::Unwinding => return Err(Refused::AlreadyUnwinding(run)),
            Poster::Cancel if row.past_pivot => return Err(Refused::PastPivot(run)),
            Poster::Cancel => {}
            Poster::Decision { review } => {
                let review = *review;
                let Some(open) = self.open_review(run, review) else {
                    return Err(Refused::ReviewNotOpen { run, review });
                };
                if let Some((by, at)) = &open.requested {
                    return Err(Refused::AlreadyRequested { run, review, by: by.clone(), at: *at });
                }
                open.requested = Some((post.by.clone(), now));
            }
        }
        let record = self.record(run)?;
        let number = record.row.inbox_last + 1;
        let signal = matches!(post.kind, Poster::Signal { .. });
        let once = if post.kind == Poster::Cancel { Some(CANCEL.to_owned()) } else { post.once };
        record.row.cancel_requested |= post.kind == Poster::Cancel;
        record.row.unconsumed_signals += u64::from(signal);
        record.row.inbox_last = number;
        if record.row.worker.is_none() {
            record.row.due = Some(now);
        }
        let item = InboxItem { number, at: now, body: post.body, by: post.by, note: post.note };
        record.inbox.push(Letter { item, taken: false, signal, once });
        Ok(Written::Posted { number, at: now })
    }

    fn claim(&mut self, claim: &Claim, now: Timestamp) -> Vec<Claimed> {
        let mut due: Vec<(Timestamp, RunId)> = self
            .runs
            .values()
            .filter(|record| claim.definitions.contains(&record.row.definition))
            .filter_map(|record| Some((record.row.due.filter(|due| *due <= now)?, record.row.run)))
            .collect();
        due.sort();
        due.truncate(claim.limit as usize);
        let mut claimed = Vec::new();
        for (_, run) in due {
            let Some(record) = self.runs.get_mut(&run) else { continue };
            record.row.worker = Some(claim.worker.clone());
            record.row.fence += 1;
            record.row.claims += 1;
            record.row.due = Some(now.plus(claim.lease));
            claimed.push(Claimed { row: record.row.clone(), at: now });
        }
        claimed
    }

    fn quarantine(&mut self, aside: Quarantined, retry_in: Duration, now: Timestamp) -> Result<(), Refused> {
        let run: RunId = aside.run.parse().map_err(|_| Refused::Rejected(format!("`{}` is no run", aside.run)))?;
        let record = self.record(run)?;
        let row = &mut record.row;
        if let Some(fence) = aside.fence
            && (row.fence != fence || row.worker.is_none())
        {
            return Err(Refused::StaleFence { run, fence });
        }
        if row.state.is_terminal() {
            return Err(Refused::AlreadyEnded { run, state: row.state });
        }
        row.worker = None;
        row.due = Some(now.plus(retry_in));
        row.quarantined = Some(aside.cause.clone());
        let saga = row.definition.saga.clone();
        if self.open_review(run, 0).is_none() {
            self.reviews.push(ReviewRow {
                run,
                saga,
                review: 0,
                call: None,
                step: None,
                reason: aside.reason,
                owner: "operators".to_owned(),
                last: crate::saga::FailureReport::seen(
                    crate::contract::Class::Unknown,
                    aside.reason.name(),
                    aside.cause,
                ),
                first: None,
                actions: vec![Action::Escalate],
                opened: now,
                requested: None,
                settled: None,
            });
        }
        Ok(())
    }

    fn health(&self, now: Timestamp) -> Health {
        let open = || self.runs.values().map(|record| &record.row).filter(|row| !row.state.is_terminal());
        let live: Vec<&WorkerRow> = self.workers.values().filter(|worker| worker.until > now).collect();
        Health {
            runs: State::ALL
                .into_iter()
                .map(|state| (state, self.runs.values().filter(|record| record.row.state == state).count() as u64))
                .collect(),
            due: open().filter(|row| row.due.is_some_and(|due| due <= now)).count() as u64,
            open_reviews: self.reviews.iter().filter(|review| review.settled.is_none()).count() as u64,
            quarantined: open().filter(|row| row.quarantined.is_some()).count() as u64,
            workers: live.len() as u64,
            without_worker: open()
                .filter(|row| !live.iter().any(|worker| worker.definitions.contains(&row.definition)))
                .count() as u64,
        }
    }
}

/// What `once` is for a cancel: there is at most one.
const CANCEL: &str = "\u{0}cancel";

fn due(then: Then, now: Timestamp) -> Option<Timestamp> {
    match then {
        Then::Keep | Then::Release(Due::Now) => Some(now),
        Then::Release(Due::After(span)) => Some(now.plus(span)),
        Then::Release(Due::At(instant)) => Some(instant),
        Then::Release(Due::Never) => None,
    }
}

fn take_head(row: &mut RunRow, head: Head) {
    row.state = head.state;
    row.step = head.step;
    row.why = head.why;
    row.error = head.error;
    row.past_pivot = head.past_pivot;
}

impl Record {
    fn add(&mut self, entries: Vec<super::NewEntry>, at: Timestamp) {
        for entry in entries {
            self.row.length += 1;
            self.row.updated = at;
            self.journal.push(StoredEntry {
                sequence: self.row.length,
                at,
                kind: entry.kind.to_owned(),
                call: entry.call,
                step: entry.step,
                body: entry.body,
            });
        }
    }
}

fn page<T>(rows: impl Iterator<Item = T>, page: Page) -> Vec<T> {
    let skip = usize::try_from(page.skip).unwrap_or(usize::MAX);
    rows.skip(skip).take(page.limit.min(limits::LONGEST_BATCH) as usize).collect()
}

impl Store for MemoryStore {
    fn now(&self) -> StoreFuture<'_, Timestamp> {
        answer(Ok((self.clock)()))
    }

    fn commit(&self, writes: Vec<Write>) -> StoreFuture<'_, Vec<Result<Written, Refused>>> {
        answer(self.with(|tables, now| writes.into_iter().map(|write| tables.write(write, now)).collect()))
    }

    fn claim(&self, claim: Claim) -> StoreFuture<'_, Vec<Claimed>> {
        answer(self.with(|tables, now| tables.claim(&claim, now)))
    }

    fn renew(&self, worker: &WorkerId, lease: Duration) -> StoreFuture<'_, Vec<Lease>> {
        answer(self.with(|tables, now| {
            if let Some(row) = tables.workers.get_mut(worker) {
                row.until = now.plus(lease);
            }
            let held = tables.runs.values_mut().filter(|record| record.row.worker.as_ref() == Some(worker));
            held.map(|record| {
                record.row.due = Some(now.plus(lease));
                Lease { run: record.row.run, fence: record.row.fence, inbox_last: record.row.inbox_last }
            })
            .collect()
        }))
    }

    fn journal(&self, run: RunId, after: u64, limit: u32) -> StoreFuture<'_, Vec<StoredEntry>> {
        answer(self.with(|tables, _| match tables.runs.get(&run) {
            Some(record) => page(record.journal.iter().cloned(), Page { skip: after, limit }),
            None => Vec::new(),
        }))
    }

    fn inbox(&self, run: RunId, after: u64, limit: u32) -> StoreFuture<'_, Vec<InboxItem>> {
        answer(self.with(|tables, _| {
            match tables.runs.get(&run) {
                Some(record) => page(
                    record
                        .inbox
                        .iter()
                        .filter(|letter| !letter.taken && letter.item.number > after)
                        .map(|letter| letter.item.clone()),
                    Page::first(limit),
                ),
                None => Vec::new(),
            }
        }))
    }

    fn run(&self, run: RunId) -> StoreFuture<'_, Option<RunRow>> {
        answer(self.with(|tables, _| tables.runs.get(&run).map(|record| record.row.clone())))
    }

    fn find(&self, key: &str) -> StoreFuture<'_, Option<RunRow>> {
        answer(self.with(|tables, _| {
            tables.keys.get(key).and_then(|run| tables.runs.get(run)).map(|record| record.row.clone())
        }))
    }

    fn list(&self, filter: RunFilter, wanted: Page) -> StoreFuture<'_, Vec<RunRow>> {
        answer(self.with(|tables, _| {
            let mut rows: Vec<&RunRow> = tables
                .runs
                .values()
                .map(|record| &record.row)
                .filter(|row| filter.states.is_empty() || filter.states.contains(&row.state))
                .filter(|row| filter.saga.as_ref().is_none_or(|saga| *saga == row.definition.saga))
                .collect();
            rows.sort_by_key(|row| std::cmp::Reverse((row.created, row.run)));
            page(rows.into_iter().cloned(), wanted)
        }))
    }

    fn reviews(&self, only_open: bool, wanted: Page) -> StoreFuture<'_, Vec<ReviewRow>> {
        answer(self.with(|tables, _| {
            let mut rows: Vec<&ReviewRow> =
                tables.reviews.iter().filter(|row| !only_open || row.settled.is_none()).collect();
            rows.sort_by_key(|row| (row.opened, row.run, row.review));
            page(rows.into_iter().cloned(), wanted)
        }))
    }

    fn quarantine(&self, aside: Quarantined, retry_in: Duration) -> StoreFuture<'_, Result<(), Refused>> {
        answer(self.with(|tables, now| tables.quarantine(aside, retry_in, now)))
    }

    fn quarantined(&self, wanted: Page) -> StoreFuture<'_, Vec<Quarantined>> {
        answer(self.with(|tables, _| {
            let reason = |run: RunId| {
                let open = tables.reviews.iter().find(|row| row.run == run && row.review == 0 && row.settled.is_none());
                open.map_or(Reason::JournalBroken, |row| row.reason)
            };
            let aside = tables.runs.values().filter_map(|record| {
                let row = &record.row;
                let cause = row.quarantined.clone()?;
                Some(Quarantined { run: row.run.to_string(), fence: Some(row.fence), reason: reason(row.run), cause })
            });
            page(aside, wanted)
        }))
    }

    fn enroll(&self, worker: &WorkerId, definitions: Vec<DefinitionRow>, lease: Duration) -> StoreFuture<'_, Vec<u64>> {
        answer(self.with(|tables, now| {
            let until = now.plus(lease);
            tables
                .workers
                .insert(worker.clone(), WorkerRow { worker: worker.clone(), until, definitions: definitions.clone() });
            let open = |wanted: &DefinitionRow| {
                let other = |known: &DefinitionRow| {
                    known.saga == wanted.saga
                        && known.version == wanted.version
                        && known.fingerprint != wanted.fingerprint
                };
                let rows = tables.runs.values().map(|record| &record.row);
                rows.filter(|row| !row.state.is_terminal() && other(&row.definition)).count() as u64
            };
            definitions.iter().map(open).collect()
        }))
    }

    fn leave(&self, worker: &WorkerId) -> StoreFuture<'_, ()> {
        answer(self.with(|tables, now| {
            tables.workers.remove(worker);
            for record in tables.runs.values_mut().filter(|record| record.row.worker.as_ref() == Some(worker)) {
                record.row.worker = None;
                record.row.due = Some(now);
            }
        }))
    }

    fn workers(&self) -> StoreFuture<'_, Vec<WorkerRow>> {
        answer(self.with(|tables, now| {
            let mut live: Vec<WorkerRow> = tables.workers.values().filter(|row| row.until > now).cloned().collect();
            live.sort_by(|left, right| left.worker.0.cmp(&right.worker.0));
            live
        }))
    }

    fn health(&self) -> StoreFuture<'_, Health> {
        answer(self.with(|tables, now| tables.health(now)))
    }
}
