//! Building, starting and stopping an engine.

use super::chance::Chance;
use super::client::{Client, ClientError, Handle, StartRun};
use super::live::StoreClock;
use super::notify::{AnyNotifier, Notifier, notify_loop};
use super::registry::Registry;
use super::resident::{Birth, Born, Resident};
use super::seal::{PayloadCodec, Seal};
use super::shared::{Settings, Shared};
#[cfg(feature = "simulate")]
use super::table::AnyStep;
use super::worker::{claim_loop, drained, renew_loop, stay, sweep_loop};
use super::writer::Writer;
use crate::contract::duration::LONGEST;
use crate::journal::Broken;
use crate::saga::{RunsOn, SagaType, Start};
use crate::store::{Store, StoreError, WorkerId, limits, rules};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::{Notify, Semaphore, oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// Why an engine cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The store does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The body of a saga was changed under an unchanged version while runs are open.
    #[error(
        "the body of `{saga}` v{version} was changed, and {open} runs of the old one are open: raise its version and register \
         the old one beside it until they have ended"
    )]
    ChangedDefinition {
        /// The saga.
        saga: String,
        /// Its version.
        version: u32,
        /// How many runs are open under another fingerprint.
        open: u64,
    },
    /// Two machines with one name and version.
    #[error("`{saga}` v{version} is registered twice with different bodies")]
    RegisteredTwice {
        /// The saga.
        saga: &'static str,
        /// Its version.
        version: u32,
    },
    /// A setting is out of its range.
    #[error("{setting} must be {range}")]
    Setting {
        /// Which.
        setting: &'static str,
        /// What it may be.
        range: &'static str,
    },
}

/// Collects what an engine needs.
#[must_use = "an engine that is not built does not run"]
pub struct EngineBuilder<P> {
    store: Arc<dyn Store>,
    environment: P,
    registry: Registry<P>,
    twice: Option<(&'static str, u32)>,
    settings: Settings,
    notifier: Option<Arc<dyn AnyNotifier>>,
    seal: Seal,
    chance: Chance,
}

impl<P> fmt::Debug for EngineBuilder<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineBuilder").field("sagas", &self.registry.rows()).finish_non_exhaustive()
    }
}

impl<P: Send + Sync + 'static> EngineBuilder<P> {
    /// Registers a saga. Compiles only if the environment provides what its steps need.
    pub fn saga<S: RunsOn<P>>(mut self) -> Self {
        if !self.registry.add::<S>() {
            self.twice = Some((S::DEFINITION.name, S::DEFINITION.version));
        }
        self
    }

    /// Other settings than the defaults.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Who tells people that they are asked. Without one the log says so, once, and `client.reviews(..)` lists it. Workers of one
    /// store should all have one, or some may have one: those without never take a notice up.
    pub fn notify(mut self, notifier: impl Notifier) -> Self {
        self.notifier = Some(Arc::new(notifier));
        self
    }

    /// Encodes every payload on its way to the store. Every engine and client of the store needs the same codec.
    pub fn codec(mut self, codec: impl PayloadCodec) -> Self {
        self.seal = Seal::with(codec);
        self
    }

    /// For the simulator: chance that can be had again, and another hand on every step.
    #[cfg(feature = "simulate")]
    pub(crate) fn simulated(mut self, wrap: impl Fn(Arc<dyn AnyStep<P>>) -> Arc<dyn AnyStep<P>>) -> Self {
        self.chance = Chance::Counted(std::sync::atomic::AtomicU64::new(1));
        self.registry.wrap(wrap);
        self
    }

    /// Checks the registration against the store and starts the worker. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// When a setting is out of range, the store does not answer, or a body was changed under an unchanged version.
    pub async fn start(self) -> Result<Engine<P>, BuildError> {
        check(&self.settings)?;
        if let Some((saga, version)) = self.twice {
            return Err(BuildError::RegisteredTwice { saga, version });
        }
        let worker = WorkerId::fresh(&self.settings.name);
        let rows = self.registry.rows();
        let changed = self.store.enroll(&worker, rows.clone(), self.settings.lease).await?;
        if let Some((row, open)) = rows.into_iter().zip(changed).find(|(_, open)| *open > 0) {
            self.store.leave(&worker).await?;
            return Err(BuildError::ChangedDefinition { saga: row.saga, version: row.version, open });
        }
        let now = self.store.now().await?;
        let shared = Arc::new(Shared {
            writer: Writer::start(self.store.clone()),
            store: self.store,
            environment: Arc::new(self.environment),
            registry: self.registry,
            worker,
            clock: StoreClock::new(now),
            holds: Arc::default(),
            stopping: watch::Sender::new(None),
            due: Arc::default(),
            ends: Arc::default(),
            asked: Notify::new(),
            seal: self.seal,
            chance: self.chance,
            kept: Mutex::default(),
            settings: self.settings,
        });
        let room = Arc::new(Semaphore::new(shared.settings.concurrency));
        let client = Client {
            store: shared.store.clone(),
            writer: shared.writer.clone(),
            due: shared.due.clone(),
            ends: shared.ends.clone(),
            holds: Some(shared.holds.clone()),
            seal: shared.seal.clone(),
        };
        let mut loops = vec![
            tokio::spawn(claim_loop(shared.clone(), room.clone())),
            tokio::spawn(renew_loop(shared.clone())),
            tokio::spawn(sweep_loop(shared.clone())),
        ];
        loops.extend(self.notifier.map(|notifier| tokio::spawn(notify_loop(shared.clone(), notifier))));
        Ok(Engine { shared, client, room, loops: Mutex::new(loops) })
    }
}

fn check(settings: &Settings) -> Result<(), BuildError> {
    let wrong = |setting, range| Err(BuildError::Setting { setting, range });
    if limits::name("the worker's name", &settings.name).is_err() || settings.name.len() > 200 {
        return wrong("the worker's name", "1 to 200 bytes of text without control characters");
    }
    if settings.lease < Duration::from_millis(100) || settings.lease > Duration::from_secs(86_400) {
        return wrong("lease", "100ms to 24h");
    }
    if settings.renew.is_zero() || settings.renew > settings.lease / 2 {
        return wrong("renew", "more than zero and at most half of lease");
    }
    if settings.poll.is_zero() || settings.poll > Duration::from_secs(3_600) {
        return wrong("poll", "more than zero and at most 1h");
    }
    if settings.missing_after < Duration::from_millis(100) || settings.missing_after > Duration::from_secs(86_400) {
        return wrong("missing_after", "100ms to 24h");
    }
    if settings.notify_within < Duration::from_millis(100) || settings.notify_within > rules::LONGEST_NOTIFY_WAIT {
        return wrong("notify_within", "100ms to 1h");
    }
    if settings.concurrency == 0 || settings.concurrency > 100_000 {
        return wrong("concurrency", "1 to 100000");
    }
    Ok(())
}

/// A running engine: a worker, and a client in the same process. Dropping it without [`Engine::stop`] leaves its runs to other
/// workers when their leases end.
pub struct Engine<P = ()> {
    shared: Arc<Shared<P>>,
    client: Client,
    room: Arc<Semaphore>,
    loops: Mutex<Vec<JoinHandle<()>>>,
}

impl<P> fmt::Debug for Engine<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("worker", &self.shared.worker).finish_non_exhaustive()
    }
}

impl Engine<()> {
    /// Begins an engine on this store, whose steps work in this environment. `()` serves steps that need none.
    pub fn builder<P: Send + Sync + 'static>(store: Arc<dyn Store>, environment: P) -> EngineBuilder<P> {
        EngineBuilder {
            store,
            environment,
            registry: Registry::new(),
            twice: None,
            settings: Settings::default(),
            notifier: None,
            seal: Seal::default(),
            chance: Chance::default(),
        }
    }
}

impl<P> Deref for Engine<P> {
    type Target = Client;
    fn deref(&self) -> &Client {
        &self.client
    }
}

impl<P: Send + Sync + 'static> Engine<P> {
    /// Prepares the start of a run that this worker takes up at once if it has room: its creation and its first intent are
    /// one commit.
    pub fn start<S: RunsOn<P>>(&self, start: Start<S>) -> StartHere<'_, P, S> {
        StartHere { engine: self, start, key: None }
    }

    /// Looks for due runs now.
    #[cfg(feature = "simulate")]
    pub(crate) fn poke(&self) {
        self.shared.due.notify_one();
    }

    /// The worker's identity.
    pub fn worker(&self) -> &WorkerId {
        &self.shared.worker
    }

    /// Stops: claims nothing more, lets attempts end for at most `grace`, hands every run over. An attempt that is given up
    /// is not a failed attempt, and a stop never starts an unwind. `false` if runs had to be left to their leases.
    pub async fn stop(&self, grace: Duration) -> bool {
        let grace = grace.min(LONGEST);
        self.shared.stopping.send_replace(Some(Instant::now() + grace));
        let handed_over = drained(&self.shared, Instant::now() + grace + Duration::from_secs(5)).await;
        if let Err(error) = self.shared.store.leave(&self.shared.worker).await {
            tracing::warn!(%error, "leaving failed; leases end by themselves");
        }
        let loops = std::mem::take(&mut *self.loops.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        for task in loops {
            task.abort();
        }
        handed_over
    }
}

impl<P> Drop for Engine<P> {
    fn drop(&mut self) {
        for task in self.loops.lock().unwrap_or_else(std::sync::PoisonError::into_inner).drain(..) {
            task.abort();
        }
    }
}

/// A prepared start on an engine. Await it.
#[must_use = "a start does nothing until it is awaited"]
pub struct StartHere<'a, P, S> {
    engine: &'a Engine<P>,
    start: Start<S>,
    key: Option<String>,
}

impl<P, S> fmt::Debug for StartHere<'_, P, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StartHere").field("key", &self.key).finish_non_exhaustive()
    }
}

impl<P, S: SagaType> StartHere<'_, P, S> {
    /// The idempotency key of the start; see [`StartRun::key`].
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }
}

impl<'a, P: Send + Sync + 'static, S: RunsOn<P>> IntoFuture for StartHere<'a, P, S> {
    type Output = Result<Handle<S>, ClientError>;
    type IntoFuture = std::pin::Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        let StartHere { engine, start, key } = self;
        let shared = engine.shared.clone();
        let client = engine.client.clone();
        let permit = if shared.is_stopping() { None } else { engine.room.clone().try_acquire_owned().ok() };
        let registered = shared.registry.get(&super::registry::row_of::<S>()).cloned();
        let (Some(permit), Some(registered)) = (permit, registered) else {
            return StartRun { client, start, key }.into_future();
        };
        let prepared = StartRun::prepare(start, key, &client.seal);
        Box::pin(async move {
            let (new, first, inputs) = prepared?;
            let (run, key) = (new.run, new.key.clone());
            let hold = shared.holds.add(run, 1, 0, Instant::now(), shared.settings.lease);
            let (answer, born) = oneshot::channel();
            let birth = Birth { run: new, answer };
            let broken = |broken: Broken| ClientError::Journal(broken.to_string());
            let resident = Resident::unborn(birth, first, registered, hold, shared.clock.now()).map_err(broken)?;
            tokio::spawn(async move {
                let _guard = shared.holds.guard(run, 1);
                stay(&shared, resident).await;
                drop(permit);
            });
            let gone = |_| StoreError::Unavailable("the engine stopped before the run was stored".to_owned());
            match born.await.map_err(gone)?? {
                Born::Created => Ok(Handle { client, run, key, saga: PhantomData }),
                Born::Existing(row) => client.there(Ok(row), &inputs).await,
                Born::Refused(refused) => client.there(Err(refused), &inputs).await,
            }
        })
    }
}
