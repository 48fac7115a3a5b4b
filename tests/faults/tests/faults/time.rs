//! Kinds 17 and 18: backoff and bursts; deadlines and durable waits.
#![allow(missing_docs, reason = "a step's name and its properties say all there is")]

use crate::cell::{by_manual_clock, ended, everywhere, row, start_all, stop_all, until, until_sent, until_state};
use crate::registry::{Fault, elsewhere, here};
use crate::steps::*;
use saga_core::contract::Retry;
use saga_core::store::Due;
use saga_core::time::{LONGEST, parse, seconds};
use saga_core::{EngineBuilder, RunOutcome, Saga, Signal, StepCx, Timestamp, saga, signal, sleep, step};
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        number: 33,
        source: "aws/aws-sdk-java#874; yigit/android-priority-jobqueue#419; onosproject/onos-lib-go PR #127",
        seen: "After some thirty failures the computed delay is negative: again at once, or a panic.",
        right: "A delay saturates at its cap; it is never zero, never negative, and never panics.",
        tests: &[
            here![no_delay_is_ever_too_short_too_long_or_a_panic],
            elsewhere!["saga-core/src/contract/policy.rs": delay_grows_and_stays_between_base_and_cap],
        ],
        waits: None,
    },
    Fault {
        number: 34,
        source: "apache/hertzbeat PR #4328; paperclipai/paperclip PR #10796",
        seen: "After a restart every job fires in the same second, and everything is slow.",
        right: "What is worked on at once is bounded; the rest waits its turn, the oldest first, and what is new is not starved.",
        tests: &[here![what_came_due_in_one_moment_is_worked_off_within_the_limit]],
        waits: None,
    },
    Fault {
        number: 35,
        source: "dbos-inc/dbos-transact-ts#451; dbos-transact-py PR #346",
        seen: "A wait with a limit begins anew after each restart, and may never end.",
        right: "Every wait counts from when it was first reached: signals, retries, the saga's deadline.",
        tests: &[here![no_restart_begins_a_wait_a_delay_or_a_deadline_anew]],
        waits: None,
    },
    Fault {
        number: 36,
        source: "camunda/camunda#2108; temporalio/temporal PR #4775 and #6124",
        seen: "A date far in the future overflows; the processor stops, or a timer never fires.",
        right: "Spans are bounded where they are said; arithmetic saturates; one bad timer stops no other.",
        tests: &[here![a_span_beyond_all_bounds_is_shortened_and_stops_nobody]],
        waits: None,
    },
];

/// aws/aws-sdk-java#874.
#[test]
pub(crate) fn no_delay_is_ever_too_short_too_long_or_a_panic() {
    let days = |days: u64| Duration::from_secs(days * 86_400);
    for base in [Duration::from_nanos(1), Duration::from_millis(200), days(1)] {
        for factor in [1.0, 1.5, 2.0, 10.0] {
            for cap in [base, Duration::from_secs(30), days(36_500)] {
                let retry = Retry { times: u32::MAX, base, factor, cap, jitter: false };
                let mut before = Duration::ZERO;
                for made in (1..10_000).chain([u32::MAX]) {
                    let delay = retry.delay(made, 1.0);
                    assert!(delay >= before && delay >= base && delay <= cap.max(base), "{retry:?} {made}: {delay:?}");
                    let shortened = Retry { jitter: true, ..retry }.delay(made, 1.0);
                    assert!(shortened >= base / 2 && shortened <= delay, "{retry:?} {made}: {shortened:?}");
                    before = delay;
                }
            }
        }
    }
}

#[step(compensable(undo = unburst), idempotent(key), retry(times = 3, base = "10s"), timeout = "20s")]
pub async fn burst(cx: &StepCx<World>) -> Result<u64, WorldError> {
    cx.env().act("burst", cx.key(), 1).await
}
pub async fn unburst(cx: &StepCx<World>, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().act("unburst", cx.key(), -1).await.map(drop)
}

#[saga(version = 1, owner = "desk")]
pub async fn bursting(cx: &mut Saga, _number: u32) -> Result<u64, Failed> {
    Ok(burst(cx).await?.into_inner())
}

/// apache/hertzbeat PR #4328. The recipe spreads the first attempts over a window; here each worker has so many runs at once
/// and no more, and takes those that are due longest first, so there is no burst to spread.
#[test]
pub(crate) fn what_came_due_in_one_moment_is_worked_off_within_the_limit() {
    by_manual_clock(|mut at| async move {
        at.settings.concurrency = 20;
        let world = World::default();
        world.always("burst", Act::Busy);
        let workers = at.workers(&world, sagas).await;
        let client = at.client();
        let runs = start_all(&client, 200, |_| bursting(0)).await;
        until_sent(&world, "burst", 200).await;
        stop_all(workers).await;
        assert_eq!(world.count("burst"), 200);
        world.always("burst", Act::Slow(Duration::from_millis(10)));
        at.manual().advance(Duration::from_secs(3_600));
        let _workers = at.workers(&world, sagas).await;
        let (began, control) = (Instant::now(), client.start(bursting(1)).await.unwrap());
        assert_eq!(control.outcome().await.unwrap(), RunOutcome::Completed(7));
        assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
        for run in runs {
            assert_eq!(ended(&client, run).await, "completed");
        }
        let sent = world.requests().split_off(200);
        let at_once =
            |moment: Instant| sent.iter().filter(|one| one.began <= moment && one.ended.unwrap() > moment).count();
        let most = sent.iter().map(|one| at_once(one.began)).max().unwrap();
        assert!(most <= 20 * at.workers, "{most} at once");
        assert_eq!(sent.len(), 201);
    });
}

#[derive(Debug, Clone, Serialize, Deserialize, Signal)]
pub struct Go;

#[saga(version = 1, owner = "desk")]
pub async fn waiting_a_minute(cx: &mut Saga, _what: String) -> Result<u64, Failed> {
    Ok(signal::<Go>(cx).within(seconds(60)).await.map_or(0, |Go| 1))
}

#[step(compensable(undo = undelay), idempotent(key), retry(times = 2, base = "60s", cap = "60s", jitter = false), timeout = "20s")]
pub async fn delayed(cx: &StepCx<World>) -> Result<u64, WorldError> {
    cx.env().act("delayed", cx.key(), 1).await
}
pub async fn undelay(cx: &StepCx<World>, _made: Option<&u64>) -> Result<(), WorldError> {
    cx.env().act("undelayed", cx.key(), -1).await.map(drop)
}

#[saga(version = 1, owner = "desk")]
pub async fn trying_again_in_a_minute(cx: &mut Saga, _what: String) -> Result<u64, Failed> {
    Ok(delayed(cx).await?.into_inner())
}

#[saga(version = 1, owner = "desk", deadline = "60s")]
pub async fn due_in_a_minute(cx: &mut Saga, what: String) -> Result<u64, Failed> {
    book(cx, &what).await?;
    let Go = signal::<Go>(cx).forever().await;
    Ok(1)
}

/// dbos-inc/dbos-transact-ts#451. A saga's deadline counts from its start, also while it is queued.
#[test]
pub(crate) fn no_restart_begins_a_wait_a_delay_or_a_deadline_anew() {
    by_manual_clock(|at| async move {
        let world = World::default();
        world.script("delayed", &[Act::Busy]);
        let client = at.client();
        let waits = client.start(waiting_a_minute(what())).await.unwrap().run();
        let tries = client.start(trying_again_in_a_minute(what())).await.unwrap().run();
        let deadline = client.start(due_in_a_minute(what())).await.unwrap().run();
        for passed in [0, 20, 40] {
            let workers = at.workers(&world, sagas).await;
            until_state(&client, waits, "waiting").await;
            until_state(&client, deadline, "waiting").await;
            until_sent(&world, "delayed", 1).await;
            tokio::time::sleep(Duration::from_millis(150)).await;
            for run in [waits, tries, deadline] {
                assert!(!row(&client, run).await.state.is_terminal(), "{passed} s");
            }
            stop_all(workers).await;
            at.manual().advance(Duration::from_secs(20));
        }
        at.manual().advance(Duration::from_secs(1));
        let _workers = at.workers(&world, sagas).await;
        assert_eq!(ended(&client, waits).await, "completed");
        assert_eq!(ended(&client, tries).await, "completed");
        assert_eq!(ended(&client, deadline).await, "cancelled");
        assert_eq!((world.count("delayed"), world.standing("book")), (2, 0));
    });
}

#[saga(version = 1, owner = "desk")]
pub async fn sleeping(cx: &mut Saga, span: u64) -> Result<u64, Failed> {
    sleep(cx, Duration::from_secs(span)).await;
    Ok(span)
}

#[saga(version = 1, owner = "desk")]
pub async fn listening(cx: &mut Saga, span: u64) -> Result<u64, Failed> {
    Ok(signal::<Go>(cx).within(Duration::from_secs(span)).await.map_or(0, |Go| 1))
}

/// camunda/camunda#2108. A saga says spans, never instants, so that no date can be out of range: a span beyond 36,500 days is
/// shortened to that in a body, and refused where it is text.
#[test]
pub(crate) fn a_span_beyond_all_bounds_is_shortened_and_stops_nobody() {
    for text in ["36501d", "18446744073709551615s", "292277026596d"] {
        assert!(parse(text).unwrap_err().to_string().contains("36500d"), "{text}");
    }
    everywhere(|at| async move {
        let world = World::default();
        let _workers = at.workers(&world, sagas).await;
        let client = at.client();
        let mut far = Vec::new();
        for span in [u64::MAX, 1 << 40, 36_501 * 86_400] {
            far.push(client.start(sleeping(span)).await.unwrap().run());
            far.push(client.start(listening(span)).await.unwrap().run());
        }
        let near = start_all(&client, 10, |_| sleeping(0)).await;
        for run in near {
            assert_eq!(ended(&client, run).await, "completed");
        }
        for run in far {
            let due = until("its rest", async || {
                let row = row(&client, run).await;
                row.due.filter(|_| row.worker.is_none() && row.state.name() == "waiting").map(|due| (due, row.updated))
            });
            let (due, since) = due.await;
            // A wait counts from when the engine asked for it, by the store's clock; its entry is stamped a moment later.
            let expected = since.plus(LONGEST);
            assert!(due <= expected && expected.since(due) < Duration::from_secs(2), "{due}, not {expected}");
            assert!(due < Timestamp::LATEST);
        }
    });
    assert_eq!(saga_core::store::rules::instant(Due::After(Duration::MAX), Timestamp(0)), Some(Timestamp::LATEST));
}

fn sagas(builder: EngineBuilder<World>) -> EngineBuilder<World> {
    let builder = builder.saga::<bursting>().saga::<waiting_a_minute>().saga::<trying_again_in_a_minute>();
    builder.saga::<due_in_a_minute>().saga::<sleeping>().saga::<listening>()
}
