//! Where a fault is played: on every store, with one worker and with three, each in a runtime of its own that can be killed,
//! and within bounded time. Knows no fault. A further store is one line in [`STORES`].

use saga_core::journal::Run;
use saga_core::store::{Clock, ManualClock, MemoryStore, Page, ReviewRow, RunRow, Store};
use saga_core::{Client, Engine, EngineBuilder, RunId, Settings, Timestamp};
use saga_faults::World;
use saga_sqlite::SqliteOptions;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Opens a store: each call is another process's view of the same one.
type Opens = Arc<dyn Fn() -> Arc<dyn Store> + Send + Sync>;

/// Makes a store, in a file if it needs one.
type Makes = fn(PathBuf, TestClock) -> Opens;

/// The stores.
const STORES: &[(&str, Makes)] = &[("memory", memory), ("sqlite file", sqlite)];

/// How many stores there are.
pub(crate) fn stores() -> u64 {
    STORES.len() as u64
}

fn memory(_: PathBuf, clock: TestClock) -> Opens {
    let store = MemoryStore::with_clock(clock);
    Arc::new(move || Arc::new(store.clone()))
}

fn sqlite(file: PathBuf, clock: TestClock) -> Opens {
    Arc::new(move || Arc::new(SqliteOptions::file(&file).clock(clock.clone()).open().unwrap()))
}

/// No cell may take longer: whatever should have happened by then has not.
const LONGEST: Duration = Duration::from_secs(60);

/// The clock of a store under test.
#[derive(Debug, Clone)]
pub(crate) enum TestClock {
    /// The machine's.
    Real,
    /// Stands still until it is moved.
    Manual(ManualClock),
    /// Runs this many times faster than the machine's, from that moment on.
    Fast(u32, Instant),
}

/// When clocks that are not the machine's begin: 2026-03-12T03:11:13Z.
pub(crate) const START: Timestamp = Timestamp(1_773_285_073_000_000);

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        match self {
            TestClock::Real => saga_core::store::SystemClock.now(),
            TestClock::Manual(clock) => clock.now(),
            TestClock::Fast(times, began) => START.plus(began.elapsed() * *times),
        }
    }
}

/// One store, and so many workers.
#[derive(Clone)]
pub(crate) struct Cell {
    name: String,
    pub(crate) workers: usize,
    pub(crate) settings: Settings,
    opens: Opens,
    /// Where the store's file is, if it has one.
    pub(crate) file: Option<PathBuf>,
    pub(crate) clock: TestClock,
    /// Goes away with the last clone.
    _folder: Arc<tempfile::TempDir>,
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

fn cells(workers: &[usize], clock: impl Fn() -> TestClock) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (store, open) in STORES {
        for &workers in workers {
            let (folder, clock) = (tempfile::tempdir().unwrap(), clock());
            let file = folder.path().join("sagas.db");
            cells.push(Cell {
                name: format!("on {store} with {workers} workers"),
                workers,
                settings: settings(),
                opens: open(file.clone(), clock.clone()),
                file: (*store != "memory").then_some(file),
                clock,
                _folder: Arc::new(folder),
            });
        }
    }
    cells
}

/// Short polls; a lease that a busy machine does not lose by itself.
fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.poll = Duration::from_millis(20);
    settings.lease = Duration::from_secs(5);
    settings.renew = Duration::from_millis(200);
    settings
}

/// Plays on every store, with one worker and with three, at the same time.
pub(crate) fn everywhere<F: Future<Output = ()>>(body: impl Fn(Cell) -> F + Sync) {
    play(cells(&[1, 3], || TestClock::Real), body);
}

/// Plays on every store with one worker: where nothing is shared between workers.
pub(crate) fn with_one_worker<F: Future<Output = ()>>(body: impl Fn(Cell) -> F + Sync) {
    play(cells(&[1], || TestClock::Real), body);
}

/// Plays on every store with three workers: where the fault is that they share.
pub(crate) fn with_three_workers<F: Future<Output = ()>>(body: impl Fn(Cell) -> F + Sync) {
    play(cells(&[3], || TestClock::Real), body);
}

/// As [`everywhere`], by a clock that the test moves.
pub(crate) fn by_manual_clock<F: Future<Output = ()>>(body: impl Fn(Cell) -> F + Sync) {
    play(cells(&[1, 3], || TestClock::Manual(ManualClock::at(START))), body);
}

/// As [`everywhere`], by a clock that runs so many times faster than the machine's.
pub(crate) fn by_fast_clock<F: Future<Output = ()>>(times: u32, body: impl Fn(Cell) -> F + Sync) {
    let mut cells = cells(&[1, 3], || TestClock::Fast(times, Instant::now()));
    for cell in &mut cells {
        cell.settings.lease *= times;
    }
    play(cells, body);
}

/// A thread for each cell: what is slow in one holds up no other.
fn play<F: Future<Output = ()>>(cells: Vec<Cell>, body: impl Fn(Cell) -> F + Sync) {
    let failed: Vec<String> = std::thread::scope(|scope| {
        let playing: Vec<_> = cells
            .into_iter()
            .map(|cell| {
                let (name, body) = (cell.name.clone(), &body);
                (name, scope.spawn(move || within_bounds(body(cell))))
            })
            .collect();
        let wrong = |(name, played): (String, std::thread::ScopedJoinHandle<'_, bool>)| match played.join() {
            Ok(true) => None,
            Ok(false) => Some(format!("{name}: not within {LONGEST:?}")),
            Err(_) => Some(format!("{name}: failed; its words stand above")),
        };
        playing.into_iter().filter_map(wrong).collect()
    });
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn within_bounds(body: impl Future<Output = ()>) -> bool {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let in_time = runtime.block_on(async { tokio::time::timeout(LONGEST, body).await.is_ok() });
    runtime.shutdown_background();
    in_time
}

impl Cell {
    /// The store, as another process would see it.
    pub(crate) fn store(&self) -> Arc<dyn Store> {
        (self.opens)()
    }

    pub(crate) fn client(&self) -> Client {
        Client::new(self.store())
    }

    /// The clock that the test moves.
    pub(crate) fn manual(&self) -> &ManualClock {
        match &self.clock {
            TestClock::Manual(clock) => clock,
            other => panic!("{other:?} cannot be moved"),
        }
    }

    /// A lease that ends soon after a worker is killed.
    pub(crate) fn short_leases(mut self) -> Cell {
        self.settings.lease = Duration::from_millis(900);
        self.settings.renew = Duration::from_millis(100);
        self
    }

    /// The same with something before the store.
    pub(crate) fn behind<B: saga_faults::before::Before>(mut self, before: &Arc<B>) -> Cell {
        let (opens, before) = (self.opens, before.clone());
        self.opens = Arc::new(move || Arc::new(saga_faults::before::Behind::new(opens(), before.clone())));
        self
    }

    /// A worker.
    pub(crate) async fn worker(
        &self,
        world: &World,
        sagas: fn(EngineBuilder<World>) -> EngineBuilder<World>,
    ) -> Worker {
        self.try_worker(world, sagas).await.unwrap()
    }

    pub(crate) async fn try_worker(
        &self,
        world: &World,
        sagas: fn(EngineBuilder<World>) -> EngineBuilder<World>,
    ) -> Result<Worker, saga_core::BuildError> {
        // One thread: a step that blocks it also keeps the lease from being renewed.
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let builder = sagas(Engine::builder(self.store(), world.clone())).settings(self.settings.clone());
        let mut worker = Worker { engine: None, runtime: Some(runtime) };
        let starting = worker.runtime.as_ref().unwrap().spawn(builder.start());
        worker.engine = Some(Arc::new(starting.await.unwrap()?));
        Ok(worker)
    }

    /// As many workers as the cell has.
    pub(crate) async fn workers(
        &self,
        world: &World,
        sagas: fn(EngineBuilder<World>) -> EngineBuilder<World>,
    ) -> Vec<Worker> {
        let mut workers = Vec::new();
        for _ in 0..self.workers {
            workers.push(self.worker(world, sagas).await);
        }
        workers
    }
}

/// A worker in a runtime of its own. Dropped, it is killed.
pub(crate) struct Worker {
    runtime: Option<tokio::runtime::Runtime>,
    engine: Option<Arc<Engine<World>>>,
}

impl Worker {
    pub(crate) fn engine(&self) -> &Arc<Engine<World>> {
        self.engine.as_ref().unwrap()
    }

    /// Ends it in the middle of whatever it does: nothing more is written, no lease given back.
    pub(crate) fn kill(self) {
        drop(self);
    }

    /// Asks it to stop, and does not wait.
    pub(crate) fn begin_stop(&self, grace: Duration) {
        let engine = self.engine().clone();
        self.runtime.as_ref().unwrap().spawn(async move { engine.stop(grace).await });
    }

    /// Asks it to stop, and waits until it has.
    pub(crate) async fn stop(&self, grace: Duration) -> bool {
        let engine = self.engine().clone();
        self.runtime.as_ref().unwrap().spawn(async move { engine.stop(grace).await }).await.unwrap()
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Stops all of them.
pub(crate) async fn stop_all(workers: Vec<Worker>) {
    for worker in &workers {
        worker.stop(Duration::from_secs(5)).await;
    }
}

/// Waits until something is there.
pub(crate) async fn until<T>(what: &str, look: impl AsyncFn() -> Option<T>) -> T {
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(40) {
        if let Some(found) = look().await {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("never: {what}")
}

/// Waits until the world was sent something so often.
pub(crate) async fn until_sent(world: &World, step: &str, times: usize) {
    until(&format!("{step} sent {times} times: {world:?}"), async || (world.count(step) >= times).then_some(())).await;
}

/// The head of a run.
pub(crate) async fn row(client: &Client, run: RunId) -> RunRow {
    client.store().run(run).await.unwrap().unwrap()
}

/// Waits until a run is in this state.
pub(crate) async fn until_state(client: &Client, run: RunId, state: &str) -> RunRow {
    until(&format!("the state {state}"), async || Some(row(client, run).await).filter(|row| row.state.name() == state))
        .await
}

/// Waits until a run ends; how.
pub(crate) async fn ended(client: &Client, run: RunId) -> &'static str {
    until("the end of the run", async || {
        let state = row(client, run).await.state;
        state.is_terminal().then(|| state.name())
    })
    .await
}

/// Waits until a person is asked about a run.
pub(crate) async fn asked(client: &Client, run: RunId) -> ReviewRow {
    until("a review", async || {
        let open = client.reviews(Page::first(1_000)).await.unwrap();
        open.into_iter().find(|review| review.run == run)
    })
    .await
}

/// The run, folded from its journal.
pub(crate) async fn inspect(client: &Client, run: RunId) -> Run {
    client.inspect(run).await.unwrap()
}

/// How many entries of a kind a run has.
pub(crate) async fn entries(client: &Client, run: RunId, kind: &str) -> usize {
    kinds(client, run).await.iter().filter(|found| *found == kind).count()
}

/// The kinds of all entries of a run, in order.
pub(crate) async fn kinds(client: &Client, run: RunId) -> Vec<String> {
    let (mut kinds, mut after) = (Vec::new(), 0);
    loop {
        let page = client.store().journal(run, after, 1_000).await.unwrap();
        let Some(last) = page.last() else { return kinds };
        after = last.sequence;
        kinds.extend(page.iter().map(|entry| entry.kind.clone()));
    }
}

/// Starts many runs at the same time; in the order of their numbers.
pub(crate) async fn start_all<S: saga_core::SagaType>(
    client: &Client,
    many: usize,
    start: impl Fn(usize) -> saga_core::Start<S>,
) -> Vec<RunId> {
    let starts: Vec<_> = (0..many).map(|number| tokio::spawn(client.start(start(number)).into_future())).collect();
    let mut runs = Vec::new();
    for started in starts {
        runs.push(started.await.unwrap().unwrap().run());
    }
    runs
}
