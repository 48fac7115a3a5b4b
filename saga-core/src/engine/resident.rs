//! A run in memory: asks the core what follows, does it, and keeps store and memory in step.
//!
//! Decides nothing about sagas. Its care is durability: what must be durable before an effect is flushed before it; an
//! outcome and the next intent travel in one commit; an outcome is never lost because a decision behind it was refused.

use super::attempt::phase_name;
use super::body::Body;
use super::codec::{self, LoadError};
use super::live::Hold;
use super::registry::Registered;
use super::shared::Shared;
use crate::decide::{BodyAt, Item, JOURNAL_LIMIT, JOURNAL_WARNING, Next, Situation, next, to_perform};
use crate::journal::{Broken, Entry, Reason, Run};
use crate::run::{RunId, Timestamp};
use crate::store::{Due, NewEntry, NewRun, Refused, RunRow, StoreError, Then, limits};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// A rest shorter than this keeps the lease: giving it up and claiming again would cost two commits.
const SHORT_REST: Duration = Duration::from_secs(1);

/// So many entries are written even where nothing asks for it: well below what one append may hold.
const FULL: usize = 256;

/// A run in memory.
pub(crate) struct Resident<P> {
    pub(super) run: Run,
    pub(super) registered: Arc<Registered<P>>,
    pub(super) hold: Arc<Hold>,
    body: Option<Body>,
    pub(super) at: BodyAt,
    pub(super) inbox: Vec<Item>,
    pub(super) inbox_seen: u64,
    pub(super) pending: Vec<Entry>,
    pub(super) encoded: Vec<NewEntry>,
    /// How many of the pending entries are facts: they are kept whatever is decided about the rest.
    pub(super) facts: usize,
    /// The length of the journal in the store.
    pub(super) durable: u64,
    /// Set until the run itself is durable.
    pub(super) birth: Option<Birth>,
}

/// A run that is to be created together with its first intent.
pub(crate) struct Birth {
    pub(crate) run: NewRun,
    pub(crate) answer: oneshot::Sender<Result<Born, StoreError>>,
}

/// What became of a birth.
#[derive(Debug)]
pub(crate) enum Born {
    Created,
    Existing(Box<RunRow>),
    Refused(Refused),
}

/// How a stay in memory ended.
pub(crate) enum Exit<P> {
    /// It rests in the store; the memory may be kept.
    Parked(Box<Resident<P>>),
    /// It is over, somebody else has it, it was handed over, or it never came to be.
    Gone,
}

/// Why the present stay in memory cannot simply go on.
pub(super) enum Stop {
    Parked,
    Gone,
    /// The run cannot be read, does not fit its code, or cannot be written.
    Broken(Reason, String),
    /// Memory and store differ: read the journal again, and write these facts.
    Reload(Vec<Entry>),
    Store(StoreError),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Stop::Store(error)
    }
}

impl From<LoadError> for Stop {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Store(error) => Stop::Store(error),
            broken => Stop::Broken(Reason::JournalBroken, broken.to_string()),
        }
    }
}

impl<P: Send + Sync + 'static> Resident<P> {
    fn new(run: Run, registered: Arc<Registered<P>>, hold: Arc<Hold>) -> Self {
        Resident {
            durable: run.length,
            run,
            registered,
            hold,
            body: None,
            at: BodyAt::Unknown,
            inbox: Vec::new(),
            inbox_seen: 0,
            pending: Vec::new(),
            encoded: Vec::new(),
            facts: 0,
            birth: None,
        }
    }

    /// A run that is not in the store yet: its creation and its first intent will be one commit.
    pub(crate) fn unborn(
        mut birth: Birth,
        first: Entry,
        registered: Arc<Registered<P>>,
        hold: Arc<Hold>,
        now: Timestamp,
    ) -> Result<Self, Broken> {
        let run = Run::begin(birth.run.run, &first, now)?;
        let encoded = std::mem::take(&mut birth.run.entries);
        let mut resident = Resident::new(run, registered, hold);
        resident.durable = 0;
        resident.encoded = encoded;
        resident.pending = vec![first];
        resident.birth = Some(birth);
        Ok(resident)
    }

    /// A run that was claimed.
    pub(crate) async fn load(
        shared: &Shared<P>,
        registered: Arc<Registered<P>>,
        row: &RunRow,
        hold: Arc<Hold>,
    ) -> Result<Self, LoadError> {
        let run = codec::load(&*shared.store, &shared.seal, row.run).await?;
        if run.length != row.length {
            return Err(Broken::Gap { expected: row.length, found: run.length }.into());
        }
        let mut resident = Resident::new(run, registered, hold);
        resident.read_inbox(shared).await?;
        Ok(resident)
    }

    /// Whether this memory is what a new claim of the run would load.
    pub(crate) fn is_current(&self, row: &RunRow) -> bool {
        self.durable == row.length && self.pending.is_empty() && self.hold.fence + 1 == row.fence
    }

    /// The same memory under a new claim.
    pub(crate) fn held_again(mut self, hold: Arc<Hold>) -> Self {
        self.hold = hold;
        self
    }

    pub(super) fn id(&self) -> RunId {
        self.run.id
    }

    pub(super) async fn read_inbox(&mut self, shared: &Shared<P>) -> Result<(), LoadError> {
        let last = self.hold.inbox_last();
        while self.inbox_seen < last {
            let page = shared.store.inbox(self.id(), self.inbox_seen, limits::LONGEST_BATCH).await?;
            for stored in &page {
                let item = codec::item(stored, &shared.seal)?;
                if !self.run.inbox_taken.contains(&item.number) {
                    self.inbox.push(item);
                }
                self.inbox_seen = stored.number;
            }
            if page.len() < limits::LONGEST_BATCH as usize {
                self.inbox_seen = self.inbox_seen.max(last);
            }
        }
        Ok(())
    }

    /// Drives the run until it rests, ends, or is no longer this worker's.
    pub(crate) async fn drive(mut self, shared: &Shared<P>) -> Exit<P> {
        loop {
            let mut result = self.turn(shared).await;
            while let Err(stop) = result {
                result = match stop {
                    Stop::Parked => return Exit::Parked(Box::new(self)),
                    Stop::Gone => return Exit::Gone,
                    Stop::Reload(_) if self.birth.is_some() => return Exit::Gone,
                    Stop::Reload(facts) => self.reload(shared, facts).await,
                    Stop::Broken(_, cause) if self.birth.is_some() => {
                        if let Some(birth) = self.birth.take() {
                            // Whoever started it may have gone; then there is nobody to tell.
                            let _ = birth.answer.send(Ok(Born::Refused(Refused::Rejected(cause))));
                        }
                        return Exit::Gone;
                    }
                    Stop::Broken(reason, cause) => {
                        shared.set_aside(self.id(), Some(self.hold.fence), reason, cause).await;
                        return Exit::Gone;
                    }
                    Stop::Store(error) => {
                        tracing::warn!(run = %self.id(), %error, "the store does not answer: the run is left, and its lease given back or lost");
                        return Exit::Gone;
                    }
                };
            }
        }
    }

    /// Takes the store's word for it, then writes the facts that only this worker knows.
    async fn reload(&mut self, shared: &Shared<P>, facts: Vec<Entry>) -> Result<(), Stop> {
        self.run = codec::load(&*shared.store, &shared.seal, self.id()).await?;
        self.durable = self.run.length;
        self.forget_body();
        self.pending.clear();
        self.encoded.clear();
        self.inbox.clear();
        self.inbox_seen = 0;
        self.read_inbox(shared).await?;
        for fact in facts {
            self.write(shared, fact)?;
        }
        self.facts = self.pending.len();
        self.flush(shared, Then::Keep, false).await
    }

    fn forget_body(&mut self) {
        self.body = None;
        self.at = BodyAt::Unknown;
    }

    /// One decision and what follows from it.
    async fn turn(&mut self, shared: &Shared<P>) -> Result<(), Stop> {
        if shared.is_stopping() && self.birth.is_none() && self.run.ended().is_none() {
            self.flush(shared, Then::Release(Due::Now), true).await?;
            return Err(Stop::Gone);
        }
        if self.hold.inbox_last() > self.inbox_seen && self.birth.is_none() {
            self.read_inbox(shared).await?;
        }
        if self.pending.len() >= FULL {
            self.flush(shared, Then::Keep, true).await?;
        }
        let situation = Situation {
            run: &self.run,
            definition: self.registered.definition,
            body: &self.at,
            inbox: &self.inbox,
            now: shared.clock.now(),
            in_flight: false,
            fresh: shared.chance.identity(),
        };
        match next(&situation) {
            Next::Write(entries) => {
                // A question is written by an append: what creates a run opens none.
                if self.birth.is_some() && entries.iter().any(super::acting::asks) {
                    self.flush(shared, Then::Keep, false).await?;
                }
                let mut due = None;
                for entry in self.checked(shared, entries) {
                    let start = to_perform(&entry);
                    if self.write(shared, entry)? {
                        due = start.or(due);
                    }
                }
                match due {
                    Some(start) => self.attempt(shared, start).await,
                    None => Ok(()),
                }
            }
            Next::Poll => self.poll(shared),
            Next::Answer(answer) => {
                if let Some(body) = &self.body {
                    body.answer(answer);
                }
                self.poll(shared)
            }
            Next::Rest { until } => self.rest(shared, until).await,
            Next::Diverged(why) => Err(Stop::Broken(Reason::JournalBroken, why)),
            Next::Over => {
                self.flush(shared, Then::Release(Due::Never), true).await?;
                shared.ended(&self.run);
                Err(Stop::Gone)
            }
        }
    }

    fn poll(&mut self, shared: &Shared<P>) -> Result<(), Stop> {
        let body = match &mut self.body {
            Some(body) => body,
            None => {
                let built = self.registered.body(self.run.id, &self.run.inputs);
                let built = built.map_err(|error| Stop::Broken(Reason::JournalBroken, error.to_string()))?;
                self.body.insert(built)
            }
        };
        self.at = body.poll();
        if let BodyAt::Returned(Ok(payload) | Err((payload, _))) = &mut self.at
            && let Err(error) = shared.seal.seal("the value", payload)
        {
            self.at = BodyAt::Stuck(format!("what the body returned: {error}"));
        }
        Ok(())
    }

    /// Folds an entry and keeps it for the next commit; `false` if it cannot be journaled and the body is stuck instead.
    pub(super) fn write(&mut self, shared: &Shared<P>, mut entry: Entry) -> Result<bool, Stop> {
        let broken = |why: String| Stop::Broken(Reason::JournalBroken, why);
        if let Some(problem) = self.cannot_be_journaled(shared, &mut entry) {
            self.at = BodyAt::Stuck(problem);
            return Ok(false);
        }
        self.run.apply(&entry, shared.clock.now()).map_err(|error| broken(error.to_string()))?;
        self.encoded.push(codec::encode(&mut entry, Some(&self.run), &shared.seal).map_err(broken)?);
        if let Entry::ReviewOpened { reason, owner, .. } = &entry {
            metrics::counter!("saga_reviews_opened_total", "reason" => reason.name()).increment(1);
            tracing::warn!(run = %self.id(), saga = self.run.saga, reason = reason.name(), owner, "a person must decide");
        }
        if self.run.length == JOURNAL_WARNING {
            metrics::counter!("saga_journals_nearly_full_total", "saga" => self.run.saga.clone()).increment(1);
            tracing::warn!(run = %self.id(), saga = self.run.saga, entries = JOURNAL_WARNING, limit = JOURNAL_LIMIT, "the journal is nearly full");
        }
        if matches!(entry, Entry::ReviewSettled { .. }) {
            self.forget_body(); // whatever it was stuck on may be over
        }
        if let Some(number) = codec::taken(&entry) {
            self.inbox.retain(|item| item.number != number);
        }
        self.pending.push(entry);
        Ok(true)
    }

    async fn rest(&mut self, shared: &Shared<P>, until: Option<Timestamp>) -> Result<(), Stop> {
        let length = until.map(|until| until.since(shared.clock.now()));
        if let Some(length) = length.filter(|length| *length <= SHORT_REST) {
            self.flush(shared, Then::Keep, true).await?;
            let hold = self.hold.clone();
            tokio::select! {
                biased;
                () = tokio::time::sleep(length) => {}
                () = hold.changed.notified() => {}
                () = shared.stop_asked() => {}
            }
            return if self.hold.may_act() { Ok(()) } else { Err(Stop::Gone) };
        }
        self.flush(shared, Then::Release(until.map_or(Due::Never, Due::At)), true).await?;
        Err(Stop::Parked)
    }

    /// The span in which everything about this run happens.
    pub(crate) fn span(&self) -> tracing::Span {
        tracing::info_span!("run", run = %self.id(), saga = self.run.saga, version = self.run.version)
    }
}

/// The idempotency key of a call: a function of run, call, step and nothing else; an undo has its own.
pub(crate) fn key_of(run: RunId, call: crate::run::CallNumber, step: &str, phase: crate::journal::Phase) -> String {
    match phase {
        crate::journal::Phase::Undo => format!("{run}:{call}:{step}:{}", phase_name(phase)),
        // A check must ask about the very key under which the effect was sent.
        _ => format!("{run}:{call}:{step}"),
    }
}
