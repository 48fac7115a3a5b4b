//! Two workers compete for the runs of one file and are killed and started again at random. Then it is quiet, and every run
//! must have ended, or asked, as its class promises.
//!
//! The seed is printed; `SAGA_CRASH_SEED=n` repeats its kills, `SAGA_CRASH_SECONDS=n` makes the storm longer. The interleaving
//! is the machine's.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs)]

mod support;

use saga_core::{Client, RunId};
use saga_crash::ledger::{Count, Ledger};
use saga_crash::sagas::{CLASSES, Plan, begin};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use support::{Files, Worker, settled};

const RUNS: u64 = 500;
/// Slow on both sides of an effect, so that a kill finds attempts with it and without.
const WORKER: &[&str] =
    &["--lease", "500", "--concurrency", "12", "--slow", "*=30", "--slow", "after:*=60", "--slow", "undo:*=30"];

/// Xorshift: small, and the same on every machine.
struct Luck(u64);

impl Luck {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap())
}

struct Started {
    run: RunId,
    class: &'static str,
    step: &'static str,
    refuse: bool,
}

async fn start(client: &Client, luck: &mut Luck, number: u64) -> Started {
    // Nobody signals here; what waits is tested at its boundaries.
    let classes: Vec<_> = CLASSES.iter().filter(|(class, _)| *class != "waiting").collect();
    let (class, step) = *classes[usize::try_from(luck.below(classes.len() as u64)).unwrap()];
    let refuse = class != "sleeping" && luck.below(3) == 0;
    let run = begin(client, class, Plan { item: format!("item {number}"), refuse }).await.unwrap();
    Started { run, class, step, refuse }
}

/// What is wrong with a run that stands still, if anything.
fn judge(started: &Started, end: &str, ledger: &Ledger) -> Option<String> {
    let run = started.run.to_string();
    let under_test = ledger.count(&run, started.step).unwrap();
    for step in ["charge", "post", "ticket", "archive", "print", "deliver"] {
        let Count { made, sent, .. } = ledger.count(&run, step).unwrap();
        if made > 1 || sent > 1 {
            return Some(format!("`{step}` is not idempotent and was sent {sent} times"));
        }
    }
    let slot = ledger.count(&run, "reserve").unwrap();
    let expected = if started.refuse { "refused" } else { "completed" };
    let pivot = matches!(started.class, "pivot_keyed" | "pivot_verified" | "delivered");
    let effects = match (started.class, started.refuse) {
        ("reading", _) => (0, 0),
        ("kept", _) | (_, false) => (1, 1),
        _ if pivot => (0, 0),
        (_, true) => (1, 0),
    };
    let found = (under_test.made, under_test.standing);
    match end {
        end if end == expected && found == effects => {
            let left = u64::from(!started.refuse);
            (slot.made > 1 || slot.made == 1 && slot.standing != left)
                .then(|| format!("ended with its slot at {slot:?}"))
        }
        "review/unknown_outcome/clerks" if started.class == "reviewed" => None,
        end => Some(format!("{end} with {found:?}, expected {expected} with {effects:?}")),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_workers_in_a_storm_of_kills_keep_every_promise() {
    let seed = setting("SAGA_CRASH_SEED").unwrap_or_else(|| {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        u64::from(since.subsec_nanos()) | 1
    });
    println!("SAGA_CRASH_SEED={seed}");
    let length = Duration::from_secs(setting("SAGA_CRASH_SECONDS").unwrap_or(35));
    let mut luck = Luck(seed.max(1));
    let files = Files::new();
    let client = files.client();
    let mut started = Vec::new();
    let mut workers: Vec<(Worker, Instant)> = Vec::new();
    let began = Instant::now();
    let mut kills = 0;
    while began.elapsed() < length {
        // Runs keep coming, so that the last kill finds as many as the first.
        let due =
            RUNS * u64::try_from(began.elapsed().as_millis()).unwrap() / u64::try_from(length.as_millis()).unwrap();
        while (started.len() as u64) < due {
            started.push(start(&client, &mut luck, started.len() as u64).await);
        }
        while workers.len() < 2 {
            let lives = Duration::from_millis(500 + luck.below(1_500));
            workers.push((files.worker(WORKER), Instant::now() + lives));
        }
        for (worker, until) in &mut workers {
            if *until <= Instant::now() {
                worker.kill();
                kills += 1;
            }
        }
        workers.retain(|(_, until)| *until > Instant::now());
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    while (started.len() as u64) < RUNS {
        started.push(start(&client, &mut luck, started.len() as u64).await);
    }
    drop(workers);
    let (_one, _two) = (files.worker(WORKER), files.worker(WORKER));
    let ledger = files.ledger();
    let (mut wrong, mut ends) = (Vec::new(), BTreeMap::<String, u32>::new());
    let quiet = Instant::now();
    for run in &started {
        let left = Duration::from_secs(60).saturating_sub(quiet.elapsed()).max(Duration::from_millis(100));
        let end = settled(&client, run.run, left).await.unwrap_or_else(|| "stuck".to_owned());
        if let Some(why) = judge(run, &end, &ledger) {
            wrong.push(format!("{} {} refuse={}: {why}\n{}", run.run, run.class, run.refuse, files.journal(run.run)));
        }
        *ends.entry(end).or_default() += 1;
    }
    let lost: i64 = started.iter().map(|run| files.entries(run.run, "attempt_lost")).sum();
    println!("{kills} kills, {lost} lost attempts, ends {ends:?}");
    assert!(wrong.is_empty(), "SAGA_CRASH_SEED={seed}: {} of {RUNS} runs:\n{}", wrong.len(), wrong.join("\n"));
    assert!(lost > 0, "the storm must have hit something: {kills} kills and no attempt was lost");
    let health = client.store().health().await.unwrap();
    assert_eq!(health.runs.iter().map(|(_, count)| count).sum::<u64>(), RUNS, "no run is lost: {health:?}");
    assert_eq!(health.quarantined, 0);
}
