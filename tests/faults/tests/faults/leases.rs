//! Kinds 12, 13 and 24: leases and fences, clocks that disagree, and renewal over a store that is slow or gone.
#![allow(missing_docs, reason = "a step's name and its properties say all there is")]

use crate::cell::{START, by_manual_clock, entries, everywhere, inspect, row, until, until_sent, with_one_worker};
use crate::registry::{Fault, elsewhere, here};
use crate::steps::*;
use saga_core::decide::Head;
use saga_core::store::{Append, Due, Refused, StoreError, StoreFuture, Then, Write};
use saga_core::{EngineBuilder, RunOutcome, Saga, StepCx, Timestamp, saga, step};
use saga_faults::before::{Before, cut_off};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        number: 23,
        source: "aegra/aegra#547",
        seen: "A stalled worker loses its lease, one of the same name takes the run, and the stalled attempt passes every check.",
        right: "Every claim has a fence of its own; renewal, append and release name it and are refused if it is stale.",
        tests: &[
            here![a_worker_that_was_frozen_past_its_lease_writes_nothing],
            elsewhere!["saga-core/tests/store_conformance.rs": the_memory_store_keeps_the_contract],
            elsewhere!["saga-sqlite/tests/conformance.rs": a_file_keeps_the_contract],
        ],
        waits: None,
    },
    Fault {
        number: 24,
        source: "rapina-rs/rapina#793",
        seen: "A worker is killed, and its job stays `running` for ever: only pending rows were ever claimed.",
        right: "A lease that has ended is claimed again within a lease and a poll.",
        tests: &[
            here![the_run_of_a_killed_worker_is_claimed_again_within_a_lease_and_a_poll],
            elsewhere!["tests/crash/tests/storm.rs": two_workers_in_a_storm_of_kills_keep_every_promise],
        ],
        waits: None,
    },
    Fault {
        number: 25,
        source: "Krzysztof318/MailFathom#1989 (fix PR #1993)",
        seen: "A replica whose clock runs ahead reads a live lease as ended, and runs the job a second time.",
        right: "The store's clock decides; spans, not instants, come in.",
        tests: &[here![no_clock_but_the_stores_decides]],
        waits: Some("two workers whose clocks disagree: Postgres; on one machine they have the same"),
    },
    Fault {
        number: 26,
        source: "apache/dolphinscheduler#12170",
        seen: "With a worker's clock two minutes behind the master's every task starts two minutes late.",
        right: "No span is computed from two clocks; a negative one counts as none.",
        tests: &[
            here![no_clock_but_the_stores_decides],
            elsewhere!["saga-core/src/run.rs": instants_print_as_rfc_3339_and_saturate],
        ],
        waits: None,
    },
    Fault {
        number: 47,
        source: "hatchet-dev/hatchet PR #1003 and #2060; oban-bg/oban#364; nisshchayarathi/gitverse-nextjs#1102",
        seen: "Heartbeats wait behind queries, live workers are declared dead, and heartbeats overlap.",
        right: "One renewal at a time, for all runs; a worker that cannot renew stops acting before its lease ends.",
        tests: &[here![
            renewals_never_overlap_and_a_slow_store_loses_no_lease,
            a_worker_without_its_store_begins_nothing_and_nothing_runs_twice_when_it_is_back,
            a_run_that_its_worker_dropped_is_not_renewed_for_ever
        ]],
        waits: Some("a pool of connections: Postgres"),
    },
    Fault {
        number: 48,
        source: "taskforcesh/bullmq#4729; timgit/pg-boss#850; graphile/worker#541",
        seen: "After a dropped LISTEN connection wake-ups are lost until the process is started again.",
        right: "Polling is enough; the listener comes back by itself and shows its state.",
        tests: &[],
        waits: Some("Postgres: the only store with a listener; the others are polled"),
    },
];

/// Blocks its thread at the first attempt: nothing of its worker moves, not even the renewal of its lease.
#[step(compensable(undo = unfreeze), idempotent(key), timeout = "20s")]
pub async fn freeze(cx: &StepCx<World>) -> Result<u64, WorldError> {
    if cx.attempt() == 1 {
        cx.env().note("frozen");
        std::thread::sleep(Duration::from_millis(2_500));
    }
    cx.env().act("freeze", cx.key(), 1).await
}
pub async fn unfreeze(cx: &StepCx<World>, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().act("unfreeze", cx.key(), -1).await.map(drop)
}

#[saga(version = 1, owner = "desk")]
pub async fn freezing(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    freeze(cx).await?;
    Ok(close(cx, &what).await?.into_inner())
}

#[step(compensable(undo = unlater), idempotent(key), retry(times = 2, base = "30s", jitter = false), timeout = "20s")]
pub async fn later(cx: &StepCx<World>) -> Result<u64, WorldError> {
    cx.env().act("later", cx.key(), 1).await
}
pub async fn unlater(cx: &StepCx<World>, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().act("unlater", cx.key(), -1).await.map(drop)
}

#[saga(version = 1, owner = "desk")]
pub async fn trying_later(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    book(cx, &what).await?;
    Ok(later(cx).await?.into_inner())
}

fn sagas(builder: EngineBuilder<World>) -> EngineBuilder<World> {
    builder.saga::<freezing>().saga::<four>().saga::<trying_later>()
}

/// Krzysztof318/MailFathom#1989 and apache/dolphinscheduler#12170. The store's clock stands still, years before the machine's,
/// then years after it: the first step starts at once, a step that takes three leases is not taken away, and a retry is due
/// when the store's clock says so.
#[test]
pub(crate) fn no_clock_but_the_stores_decides() {
    by_manual_clock(|at| async move {
        let at = at.short_leases();
        for shows in [Timestamp(1_000_000), START.plus(Duration::from_secs(20 * 365 * 86_400))] {
            at.manual().set(shows);
            let world = World::default();
            world.script("book", &[Act::Slow(Duration::from_millis(2_700))]);
            world.script("later", &[Act::Busy]);
            let workers = at.workers(&world, sagas).await;
            let (client, began) = (at.client(), Instant::now());
            let run = client.start(trying_later(what())).await.unwrap().run();
            until_sent(&world, "book", 1).await;
            assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
            let due = until("the retry", async || {
                let row = row(&client, run).await;
                row.due.filter(|_| row.worker.is_none() && world.count("later") == 1).map(|due| (due, row.fence))
            });
            let (due, fence) = due.await;
            assert_eq!((world.count("book"), fence), (1, 1), "nobody took it away");
            // The engine reads the store's clock now and then, and counts on from there by its own.
            let late = due.since(shows.plus(Duration::from_secs(30)));
            assert!(due >= shows.plus(Duration::from_secs(30)) && late < Duration::from_secs(5), "{due} at {shows}");
            let state = client.inspect(run).await.unwrap();
            assert!(state.updated == shows && state.started == shows, "no instant but the store's is stored");
            at.manual().advance(Duration::from_secs(35));
            assert_eq!(crate::cell::ended(&client, run).await, "completed");
            crate::cell::stop_all(workers).await;
        }
    });
}

/// aegra/aegra#547. Both workers have the same name. The frozen one's late request reaches the world, under the same key: a
/// remote that counts every request can refuse it by the fence it is handed.
#[test]
pub(crate) fn a_worker_that_was_frozen_past_its_lease_writes_nothing() {
    with_one_worker(|at| async move {
        let at = at.short_leases();
        let world = World::default();
        let frozen = at.worker(&world, sagas).await;
        let client = at.client();
        let run = client.start(freezing(what())).await.unwrap();
        until("the freeze", async || (!world.notes().is_empty()).then_some(())).await;
        world.script("close", &[Act::Slow(Duration::from_millis(1_000))]);
        let other = at.worker(&world, sagas).await;
        until_sent(&world, "close", 1).await;
        // What the frozen one would still ask for, if it did not know better.
        let (store, state) = (client.store(), inspect(&client, run.run()).await);
        let lease = at.settings.lease;
        assert!(store.renew(frozen.engine().worker(), lease).await.unwrap().is_empty(), "it holds nothing");
        for then in [Then::Keep, Then::Release(Due::Now)] {
            let append = Append {
                run: run.run(),
                fence: 1,
                length: state.length,
                entries: Vec::new(),
                head: Head::of(&state),
                inbox_seen: None,
                inbox_taken: Vec::new(),
                reviews: Vec::new(),
                then,
            };
            let answer = store.commit(vec![Write::Append(append)]).await.unwrap().remove(0);
            assert!(matches!(answer, Err(Refused::StaleFence { fence: 1, .. })), "{answer:?}");
        }
        assert_eq!(row(&client, run.run()).await.worker.as_ref(), Some(other.engine().worker()));
        assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(7));
        let written = crate::cell::kinds(&client, run.run()).await;
        until_sent(&world, "freeze", 2).await;
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert_eq!(crate::cell::kinds(&client, run.run()).await, written, "the late one wrote nothing");
        let done = written.iter().filter(|kind| *kind == "step_done").count();
        assert_eq!((done, entries(&client, run.run(), "attempt_lost").await), (2, 1), "{written:?}");
        assert_eq!((world.made("freeze"), world.count("close")), (1, 1));
        // It lost a run and nothing else: it goes on with others.
        other.kill();
        assert_eq!(client.start(four(what())).await.unwrap().outcome().await.unwrap(), RunOutcome::Completed(7));
        drop(frozen);
    });
}

/// rapina-rs/rapina#793. Real processes and SIGKILL: in the storm.
#[test]
pub(crate) fn the_run_of_a_killed_worker_is_claimed_again_within_a_lease_and_a_poll() {
    everywhere(|at| async move {
        let at = at.short_leases();
        let world = World::default();
        world.script("book", &[Act::Hang]);
        let first = at.worker(&world, sagas).await;
        let client = at.client();
        let run = client.start(four(what())).await.unwrap();
        until_sent(&world, "book", 1).await;
        first.kill();
        let killed = Instant::now();
        let _others = at.workers(&world, sagas).await;
        until_sent(&world, "book", 2).await;
        assert!(killed.elapsed() < Duration::from_secs(5), "{:?}", killed.elapsed());
        assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(7));
        assert_eq!(row(&client, run.run()).await.fence, 2, "two claims");
        assert_eq!(world.made("book"), 1);
    });
}

/// Takes its time, or does not answer at all; counts renewals that overlap.
#[derive(Default)]
struct Line {
    takes: Duration,
    is_down: AtomicBool,
    answers_no_claim: AtomicBool,
    renewing: AtomicU32,
    overlapped: AtomicBool,
    renewed: AtomicU32,
}

impl Before for Line {
    fn request<'a>(&'a self, name: &'static str) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let renews = name == "renew";
            if renews && self.renewing.fetch_add(1, Ordering::SeqCst) > 0 {
                self.overlapped.store(true, Ordering::SeqCst);
            }
            tokio::time::sleep(self.takes).await;
            if renews {
                self.renewing.fetch_sub(1, Ordering::SeqCst);
                self.renewed.fetch_add(1, Ordering::SeqCst);
            }
            let refused = name == "claim" && self.answers_no_claim.load(Ordering::SeqCst);
            if refused || self.is_down.load(Ordering::SeqCst) { cut_off::<()>() } else { Ok::<(), StoreError>(()) }
        })
    }
}

/// hatchet-dev/hatchet PR #1003: every request to the store takes 200 ms, and a step takes three leases.
#[test]
pub(crate) fn renewals_never_overlap_and_a_slow_store_loses_no_lease() {
    with_one_worker(|at| async move {
        let at = at.short_leases();
        let line = Arc::new(Line { takes: Duration::from_millis(200), ..Line::default() });
        let world = World::default();
        world.always("book", Act::Slow(Duration::from_millis(2_700)));
        let _workers = at.clone().behind(&line).workers(&world, sagas).await;
        let client = at.client();
        let runs = crate::cell::start_all(&client, 4, |_| four(what())).await;
        for run in runs {
            assert_eq!(crate::cell::ended(&client, run).await, "completed");
            assert_eq!(row(&client, run).await.fence, 1, "no lease was lost");
        }
        assert_eq!(world.count("book"), 4);
        assert!(line.renewed.load(Ordering::SeqCst) > 5 && !line.overlapped.load(Ordering::SeqCst));
    });
}

/// oban-bg/oban#364: the store is gone for two leases, in the middle of a step.
#[test]
pub(crate) fn a_worker_without_its_store_begins_nothing_and_nothing_runs_twice_when_it_is_back() {
    everywhere(|at| async move {
        let at = at.short_leases();
        let line = Arc::new(Line::default());
        let world = World::default();
        world.script("book", &[Act::Slow(Duration::from_millis(300))]);
        let _workers = at.clone().behind(&line).workers(&world, sagas).await;
        let client = at.client();
        let run = client.start(four(what())).await.unwrap();
        until_sent(&world, "book", 1).await;
        line.is_down.store(true, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(2_000)).await;
        assert_eq!(world.sent(), ["book"], "an intent that is not durable is not acted on");
        line.is_down.store(false, Ordering::SeqCst);
        assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(7));
        for step in ["book", "pay", "ship", "close"] {
            assert_eq!(world.made(step), 1, "{step}");
        }
        assert!(world.count("book") <= 2 && world.count("pay") == 1, "{:?}", world.sent());
    });
}

/// oban-bg/oban#364: what is renewed with all the others must be worked on. The store is gone for longer than the lease, and when
/// it is back the renewal comes first: it finds the lease still in the name of this worker, which has dropped the run.
#[test]
pub(crate) fn a_run_that_its_worker_dropped_is_not_renewed_for_ever() {
    with_one_worker(|at| async move {
        let at = at.short_leases();
        let line = Arc::new(Line::default());
        let world = World::default();
        world.script("book", &[Act::Slow(Duration::from_millis(300))]);
        let _workers = at.clone().behind(&line).workers(&world, sagas).await;
        let run = at.client().start(four(what())).await.unwrap();
        until_sent(&world, "book", 1).await;
        line.is_down.store(true, Ordering::SeqCst);
        line.answers_no_claim.store(true, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(2_000)).await;
        line.is_down.store(false, Ordering::SeqCst);
        let renewed = line.renewed.load(Ordering::SeqCst);
        until("renewals", async || (line.renewed.load(Ordering::SeqCst) > renewed + 1).then_some(())).await;
        line.answers_no_claim.store(false, Ordering::SeqCst);
        assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(7));
        assert_eq!((world.made("book"), world.count("pay")), (1, 1));
    });
}
