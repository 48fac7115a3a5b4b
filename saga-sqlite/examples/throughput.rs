//! Commits and rows per second of one store in a file, for batches of 1, 16 and 128 appends. Not a test: it takes some seconds.
//!
//! `cargo run --release -p saga-sqlite --example throughput [SECONDS] [FOLDER]` prints a line of JSON for each batch size. Put
//! the folder on the disk that is to be measured: each commit waits for it.

use saga_core::decide::{Head, State};
use saga_core::definition::Fingerprint;
use saga_core::store::{Append, Claim, DefinitionRow, NewEntry, NewRun, Refused, Store, Then, WorkerId, Write};
use saga_core::{CallNumber, RunId};
use saga_sqlite::SqliteStore;
use std::error::Error;
use std::io::Write as _;
use std::time::{Duration, Instant};

const BATCHES: [usize; 3] = [1, 16, 128];

/// Two entries of the usual size: an outcome and the next intent, which travel together.
const ENTRIES: usize = 2;

fn entry() -> NewEntry {
    let body = format!(r#"{{"step_done":{{"call":1,"output":"{}","by":"reply"}}}}"#, "x".repeat(200));
    NewEntry { kind: "step_done", call: Some(CallNumber(1)), step: Some("charge".to_owned()), body: body.into_bytes() }
}

fn head() -> Head {
    let step = Some("charge".to_owned());
    Head { state: State::Running, step, why: None, error: None, past_pivot: false, until: None }
}

fn definition() -> DefinitionRow {
    DefinitionRow { saga: "throughput".to_owned(), version: 1, fingerprint: Fingerprint(1) }
}

fn new_run(key: &str, worker: &WorkerId) -> NewRun {
    NewRun {
        run: RunId::fresh(),
        key: key.to_owned(),
        definition: definition(),
        owner: "editors".to_owned(),
        input_digest: "digest".to_owned(),
        input_size: 2,
        entries: vec![entry()],
        head: head(),
        claim: Some((worker.clone(), Duration::from_secs(3_600))),
        then: Then::Keep,
    }
}

fn append(run: RunId, length: u64) -> Write {
    Write::Append(Append {
        run,
        fence: 1,
        length,
        entries: vec![entry(); ENTRIES],
        head: head(),
        inbox_seen: Some(0),
        inbox_taken: Vec::new(),
        reviews: Vec::new(),
        then: Then::Keep,
    })
}

/// Appends to `batch` runs in each commit, for a while.
async fn measure(store: &SqliteStore, batch: usize, span: Duration) -> Result<String, Box<dyn Error>> {
    let worker = WorkerId::fresh("throughput");
    let new: Vec<NewRun> = (0..batch).map(|number| new_run(&format!("{worker} {number}"), &worker)).collect();
    let runs: Vec<RunId> = new.iter().map(|new| new.run).collect();
    for outcome in store.commit(new.into_iter().map(Write::Create).collect()).await? {
        outcome?;
    }
    let (started, mut commits, mut length) = (Instant::now(), 0_u64, 1);
    while started.elapsed() < span {
        let outcomes = store.commit(runs.iter().map(|run| append(*run, length)).collect()).await?;
        outcomes.into_iter().collect::<Result<Vec<_>, Refused>>()?;
        commits += 1;
        length += ENTRIES as u64;
    }
    let seconds = started.elapsed().as_secs_f64();
    let appends = commits as f64 * batch as f64;
    Ok(format!(
        r#"{{"store":"sqlite","batch":{batch},"commits_per_second":{:.0},"appends_per_second":{:.0},"rows_per_second":{:.0}}}"#,
        commits as f64 / seconds,
        appends / seconds,
        // The head of each run is a row too.
        appends * (ENTRIES + 1) as f64 / seconds
    ))
}

/// How long a claim of 16 takes beside `ended` runs that are over.
async fn claims(store: &SqliteStore, ended: usize) -> Result<String, Box<dyn Error>> {
    let worker = WorkerId::fresh("throughput");
    let over = |number| {
        let head = Head { state: State::Completed, ..head() };
        Write::Create(NewRun { head, ..new_run(&format!("over {worker} {number}"), &worker) })
    };
    for first in (0..ended).step_by(500) {
        store.commit((first..ended.min(first + 500)).map(over).collect()).await?;
    }
    let due = |number| Write::Create(NewRun { claim: None, ..new_run(&format!("due {worker} {number}"), &worker) });
    store.commit((0..320).map(due).collect()).await?;
    let (started, mut claimed) = (Instant::now(), 0);
    for _ in 0..20 {
        let lease = Duration::from_secs(3_600);
        let claim = Claim { worker: worker.clone(), lease, limit: 16, definitions: vec![definition()] };
        claimed += store.claim(claim).await?.len();
    }
    let micros = started.elapsed().as_micros() / 20;
    Ok(format!(r#"{{"store":"sqlite","ended":{ended},"claimed":{claimed},"micros_per_claim_of_16":{micros}}}"#))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let seconds = arguments.next().map_or(Ok(2.0), |text| text.parse::<f64>())?;
    let folder = arguments.next().map_or_else(tempfile::tempdir, tempfile::tempdir_in)?;
    let store = SqliteStore::open(folder.path().join("throughput.db"))?;
    let mut out = std::io::stdout();
    for batch in BATCHES {
        writeln!(out, "{}", measure(&store, batch, Duration::from_secs_f64(seconds)).await?)?;
    }
    for ended in [0, 20_000] {
        writeln!(out, "{}", claims(&store, ended).await?)?;
    }
    Ok(())
}
