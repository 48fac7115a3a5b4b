//! Telling the owner of a question, at least once, through whatever the user's trait reaches.
//!
//! Decides that a notifier blocks nothing: it runs beside the runs, is given a limited time, and a failure, a panic or a lost
//! worker mean only that some worker tries again later. Who is still to be told stands in the store.

use super::body::caught;
use super::shared::Shared;
use crate::store::Notice;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// Why a notifier did not reach anybody. Its words go into the log.
pub type NotifyError = Box<dyn std::error::Error + Send + Sync>;

/// Tells people that they are asked. Give one to [`EngineBuilder::notify`](crate::EngineBuilder::notify).
///
/// Called at least once for each question that is opened, and again when it goes to somebody else, as long as it is open: a
/// crash after the call, or an answer later than [`Settings::notify_within`](crate::Settings), repeats it. A question that is
/// settled before anybody could be told is not told.
///
/// ```
/// use saga_core::{Notice, Notifier, NotifyError};
///
/// struct Pager;
/// impl Notifier for Pager {
///     async fn notify(&self, notice: &Notice) -> Result<(), NotifyError> {
///         let text = format!("{}: {} of {} asks you", notice.owner, notice.reason.name(), notice.saga);
///         // .. send it; `notice.run` and `notice.review` together are a key to drop a second one by.
///         # drop(text);
///         Ok(())
///     }
/// }
/// ```
pub trait Notifier: Send + Sync + 'static {
    /// Tells `notice.owner`.
    ///
    /// # Errors
    /// When nobody was told. It is tried again, after a time that doubles with each try.
    fn notify(&self, notice: &Notice) -> impl Future<Output = Result<(), NotifyError>> + Send;
}

type Notifying<'a> = Pin<Box<dyn Future<Output = Result<(), NotifyError>> + Send + 'a>>;

/// A notifier whose type is hidden.
pub(super) trait AnyNotifier: Send + Sync {
    fn notify<'a>(&'a self, notice: &'a Notice) -> Notifying<'a>;
}

impl<N: Notifier> AnyNotifier for N {
    fn notify<'a>(&'a self, notice: &'a Notice) -> Notifying<'a> {
        // Called within the future: a notifier that panics before its first await does so there.
        Box::pin(async move { Notifier::notify(self, notice).await })
    }
}

/// How many are told at the same time: a notifier that hangs holds up only those beyond it.
const AT_ONCE: usize = 16;

/// The longest time between two looks for who is to be told.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// Tells owners until a stop was asked for.
pub(super) async fn notify_loop<P: Send + Sync + 'static>(shared: Arc<Shared<P>>, notifier: Arc<dyn AnyNotifier>) {
    let within = shared.settings.notify_within;
    let room = Arc::new(Semaphore::new(AT_ONCE));
    loop {
        let first = tokio::select! {
            biased;
            permit = room.clone().acquire_owned() => permit,
            () = shared.stop_asked() => return,
        };
        let Ok(first) = first else { return };
        let mut permits = vec![first];
        while let Ok(permit) = room.clone().try_acquire_owned() {
            permits.push(permit);
        }
        let limit = permits.len();
        let notices = shared.store.notices(within, u32::try_from(limit).unwrap_or(1)).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "looking for who is to be told failed");
            Vec::new()
        });
        let full = notices.len() == limit;
        for notice in notices {
            let (shared, notifier, permit) = (shared.clone(), notifier.clone(), permits.pop());
            tokio::spawn(async move {
                tell(&shared, &*notifier, &notice).await;
                drop(permit);
            });
        }
        drop(permits);
        if !full {
            let pause = (within / 2).min(LONGEST_PAUSE).mul_f64(0.75 + 0.5 * shared.luck());
            tokio::select! {
                biased;
                () = tokio::time::sleep(pause) => {}
                () = shared.asked.notified() => {}
                () = shared.stop_asked() => return,
            }
        }
    }
}

async fn tell<P: Send + Sync + 'static>(shared: &Shared<P>, notifier: &dyn AnyNotifier, notice: &Notice) {
    let telling = caught(notifier.notify(notice));
    let failed = match tokio::time::timeout(shared.settings.notify_within, telling).await {
        Ok(Ok(Ok(()))) => None,
        Ok(Ok(Err(error))) => Some(error.to_string()),
        Ok(Err(panicked)) => Some(format!("the notifier panicked: {panicked}")),
        Err(_) => Some("the notifier took too long".to_owned()),
    };
    let outcome = if failed.is_none() { "told" } else { "failed" };
    metrics::counter!("saga_notifications_total", "outcome" => outcome).increment(1);
    let (run, review, owner, attempt) = (notice.run, notice.review, &notice.owner, notice.attempt);
    match failed {
        Some(error) => {
            tracing::warn!(%run, review, owner, attempt, error, "the owner could not be told; it is tried again");
        }
        None => {
            if let Err(error) = shared.store.notified(notice).await {
                tracing::warn!(%run, review, owner, %error, "that the owner was told could not be kept: it is told again");
            }
        }
    }
}
