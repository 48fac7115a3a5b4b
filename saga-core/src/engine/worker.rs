//! The loops of a worker: claims what is due, renews what it holds, stops when asked.

use super::codec::{self, LoadError};
use super::resident::{Exit, Resident};
use super::shared::Shared;
use crate::decide::{CRASH_LIMIT, Head};
use crate::journal::Reason;
use crate::run::RunId;
use crate::store::{Append, Claim, Claimed, Due, Then, Write, limits};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tracing::Instrument;

/// The most runs in one claim.
const LARGEST_CLAIM: usize = 64;

/// Claims due runs until a stop is asked for.
pub(super) async fn claim_loop<P: Send + Sync + 'static>(shared: Arc<Shared<P>>, room: Arc<Semaphore>) {
    let definitions = shared.registry.rows();
    loop {
        // The permit of the next run: no claim without room for what it brings.
        let first = tokio::select! {
            biased;
            permit = room.clone().acquire_owned() => permit,
            () = shared.stop_asked() => return,
        };
        let Ok(first) = first else { return };
        let mut permits = vec![first];
        while permits.len() < LARGEST_CLAIM
            && let Ok(permit) = room.clone().try_acquire_owned()
        {
            permits.push(permit);
        }
        if shared.is_stopping() {
            return;
        }
        let asked = Instant::now();
        let claim = Claim {
            worker: shared.worker.clone(),
            lease: shared.settings.lease,
            limit: u32::try_from(permits.len()).unwrap_or(1),
            definitions: definitions.clone(),
        };
        let claimed = shared.store.claim(claim).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "claiming failed");
            Vec::new()
        });
        let full = claimed.len() == permits.len();
        for claimed in claimed {
            let permit = permits.pop();
            tokio::spawn(work(shared.clone(), claimed, asked, permit));
        }
        drop(permits);
        if !full {
            // Jitter, so that several workers on one store do not ask in step.
            let poll = shared.settings.poll.mul_f64(0.75 + 0.5 * shared.luck());
            tokio::select! {
                biased;
                () = tokio::time::sleep(poll) => {}
                () = shared.due.notified() => {}
                () = shared.stop_asked() => return,
            }
        }
    }
}

async fn work<P: Send + Sync + 'static>(
    shared: Arc<Shared<P>>,
    claimed: Claimed,
    asked: Instant,
    permit: Option<OwnedSemaphorePermit>,
) {
    let row = claimed.row;
    shared.clock.saw(claimed.at);
    let hold = shared.holds.add(row.run, row.fence, row.inbox_last, asked, shared.settings.lease);
    hold.is_known();
    let _guard = shared.holds.guard(row.run, row.fence);
    let Some(registered) = shared.registry.get(&row.definition).cloned() else {
        let cause = format!("this worker does not have {} v{}", row.definition.saga, row.definition.version);
        return shared.set_aside(row.run, Some(row.fence), Reason::DefinitionMissing, cause).await;
    };
    let kept = shared.take_kept(row.run).filter(|kept| kept.is_current(&row));
    let looping = row.claims > CRASH_LIMIT;
    let loaded = match kept {
        _ if looping => {
            let cause = format!("claimed {} times without any progress: its workers are lost each time", row.claims);
            Err((Reason::CrashLoop, cause))
        }
        Some(kept) => Ok(kept.held_again(hold)),
        None => match Resident::load(&shared, registered, &row, hold).await {
            Err(LoadError::Store(error)) => {
                return tracing::warn!(run = %row.run, %error, "the run could not be read: its lease is given back");
            }
            loaded => loaded.map_err(|error| (Reason::JournalBroken, error.to_string())),
        },
    };
    match loaded {
        Ok(resident) => stay(&shared, resident).await,
        Err((reason, cause)) => shared.set_aside(row.run, Some(row.fence), reason, cause).await,
    }
    drop(permit);
}

/// The longest time between two looks for runs whose saga no worker has, unless their owners are asked much later.
const LONGEST_SWEEP: Duration = Duration::from_secs(30);

/// Has the owners of runs asked whose saga no worker has. The store opens each question once, whoever looks.
pub(super) async fn sweep_loop<P: Send + Sync + 'static>(shared: Arc<Shared<P>>) {
    let grace = shared.settings.missing_after;
    loop {
        let pause = (grace / 2).min(LONGEST_SWEEP.max(grace / 16)).mul_f64(0.75 + 0.5 * shared.luck());
        tokio::select! {
            biased;
            () = tokio::time::sleep(pause) => {}
            () = shared.stop_asked() => return,
        }
        match shared.store.sweep(grace, limits::LONGEST_BATCH).await {
            Ok(missing) => missing.into_iter().for_each(|run| shared.asked_aside(run, Reason::DefinitionMissing)),
            Err(error) => tracing::warn!(%error, "looking for runs without a worker failed"),
        }
    }
}

/// Drives a run for as long as it stays in memory.
pub(super) async fn stay<P: Send + Sync + 'static>(shared: &Shared<P>, resident: Resident<P>) {
    let span = resident.span();
    if let Exit::Parked(resident) = resident.drive(shared).instrument(span).await {
        shared.keep(*resident);
    }
}

/// Renews all leases, one renewal at a time, until nothing is held and a stop was asked for.
pub(super) async fn renew_loop<P: Send + Sync + 'static>(shared: Arc<Shared<P>>) {
    let mut unheld_before = BTreeSet::new();
    loop {
        let asked = Instant::now();
        match shared.store.renew(&shared.worker, shared.settings.lease).await {
            Ok(leases) => {
                shared.holds.renewed(&leases, asked, shared.settings.lease);
                // What is unheld once may have been claimed a moment ago; twice, nobody will ever take it up here.
                let unheld = shared.holds.unheld(&leases);
                for (run, fence) in unheld.intersection(&unheld_before) {
                    tokio::spawn(give_back(shared.clone(), *run, *fence));
                }
                unheld_before = unheld;
            }
            // The leases run out by themselves, and with them the right to act.
            Err(error) => tracing::warn!(%error, "renewing failed"),
        }
        if shared.is_stopping() && shared.holds.count() == 0 {
            return;
        }
        tokio::time::sleep(shared.settings.renew).await;
    }
}

/// Gives up a lease of a run on which this worker no longer works: it lost it here while the store did not answer. Renewed
/// with all the others, that lease would never end.
async fn give_back<P: Send + Sync + 'static>(shared: Arc<Shared<P>>, id: RunId, fence: u64) {
    let run = match codec::load(&*shared.store, &shared.seal, id).await {
        Ok(run) => run,
        Err(LoadError::Store(error)) => {
            return tracing::warn!(run = %id, %error, "a lease could not be given back; it is tried again");
        }
        Err(broken) => return shared.set_aside(id, Some(fence), Reason::JournalBroken, broken.to_string()).await,
    };
    let append = Append {
        run: id,
        fence,
        length: run.length,
        entries: Vec::new(),
        head: Head::of(&run),
        inbox_seen: None,
        inbox_taken: Vec::new(),
        reviews: Vec::new(),
        then: Then::Release(Due::Now),
    };
    match shared.writer.write(Write::Append(append)).await {
        Ok(Ok(_)) => shared.due.notify_one(),
        // Somebody has it already.
        Ok(Err(refused)) => tracing::debug!(run = %id, %refused, "a lease was not given back"),
        Err(error) => tracing::warn!(run = %id, %error, "a lease could not be given back; it is tried again"),
    }
}

/// Waits until nothing is held any more, at most until `until`.
pub(super) async fn drained<P: Send + Sync + 'static>(shared: &Shared<P>, until: Instant) -> bool {
    while shared.holds.count() > 0 {
        if Instant::now() >= until {
            return false;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    true
}
