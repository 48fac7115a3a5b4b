//! A worker, or somebody who starts a run, that can be told where to die. A worker ends by that death, or when it is asked to
//! stop (SIGTERM); who starts a run ends when it is started.

use saga_core::store::Store;
use saga_core::{Client, Engine, Settings};
use saga_crash::deaths::Deaths;
use saga_crash::killing::Killing;
use saga_crash::ledger::Ledger;
use saga_crash::sagas::{Plan, begin, register};
use saga_crash::world::World;
use saga_faults::before::Behind;
use saga_sqlite::SqliteStore;
use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

struct Options {
    store: PathBuf,
    ledger: PathBuf,
    deaths: Deaths,
    lease: Duration,
    grace: Duration,
    concurrency: usize,
    slow: Vec<(String, Duration)>,
    /// Steps whose undo does not reach the ledger.
    undo_down: Vec<String>,
    /// The class to start a run of, instead of working.
    begin: Option<String>,
}

fn options() -> Result<Options, Box<dyn Error>> {
    use lexopt::prelude::{Long, ValueExt};
    let (mut store, mut ledger, mut deaths, mut slow) = (None, None, Vec::new(), Vec::new());
    let (mut undo_down, mut begin) = (Vec::new(), None);
    let (mut lease, mut grace, mut concurrency) = (400, 0, 16);
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("store") => store = Some(PathBuf::from(parser.value()?)),
            Long("ledger") => ledger = Some(PathBuf::from(parser.value()?)),
            Long("die") => deaths.push(parser.value()?.parse()?),
            Long("lease") => lease = parser.value()?.parse()?,
            Long("undo-down") => undo_down.push(parser.value()?.string()?),
            Long("begin") => begin = Some(parser.value()?.string()?),
            Long("grace") => grace = parser.value()?.parse()?,
            Long("concurrency") => concurrency = parser.value()?.parse()?,
            Long("slow") => {
                let text = parser.value()?.string()?;
                let (what, millis) = text.split_once('=').ok_or("--slow takes WHAT=MILLISECONDS")?;
                slow.push((what.to_owned(), Duration::from_millis(millis.parse()?)));
            }
            other => return Err(other.unexpected().into()),
        }
    }
    Ok(Options {
        store: store.ok_or("--store FILE is missing")?,
        ledger: ledger.ok_or("--ledger FILE is missing")?,
        deaths: Deaths::new(deaths),
        lease: Duration::from_millis(lease),
        grace: Duration::from_millis(grace),
        concurrency,
        slow,
        undo_down,
        begin,
    })
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    let inner: Arc<dyn Store> = Arc::new(SqliteStore::open(&options.store)?);
    let store = Arc::new(Behind::new(inner, Arc::new(Killing(options.deaths.clone()))));
    if let Some(class) = options.begin {
        begin(&Client::new(store), &class, Plan { item: "item".to_owned(), refuse: false }).await?;
        return Ok(());
    }
    let world = World::new(Ledger::open(&options.ledger)?, options.deaths, options.slow, options.undo_down);
    let mut settings = Settings::default();
    settings.name = "crash".to_owned();
    settings.lease = options.lease;
    settings.renew = options.lease / 4;
    settings.poll = Duration::from_millis(40);
    settings.concurrency = options.concurrency;
    let engine = register(Engine::builder(store, world)).settings(settings).start().await?;
    terminate.recv().await;
    if engine.stop(options.grace).await { Ok(()) } else { Err("runs had to be left to their leases".into()) }
}
