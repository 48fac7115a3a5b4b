//! Group commit: one writer gathers what all runs have to write and commits it at once. It adds no delay: it commits whatever
//! has arrived while the last commit ran.

use crate::store::{Refused, Store, StoreError, Write, Written};
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// The most writes in one commit: beyond it latency grows and nothing is gained.
const LARGEST_GROUP: usize = 512;

type Reply = oneshot::Sender<Result<Result<Written, Refused>, StoreError>>;

#[derive(Debug, Clone)]
pub(crate) struct Writer {
    queue: mpsc::UnboundedSender<(Write, Reply)>,
}

impl Writer {
    /// Starts the writer; it ends when the last handle is dropped.
    pub(crate) fn start(store: Arc<dyn Store>) -> Writer {
        let (queue, mut requests) = mpsc::unbounded_channel::<(Write, Reply)>();
        tokio::spawn(async move {
            while let Some(first) = requests.recv().await {
                let mut writes = vec![first.0];
                let mut replies = vec![first.1];
                while writes.len() < LARGEST_GROUP
                    && let Ok((write, reply)) = requests.try_recv()
                {
                    writes.push(write);
                    replies.push(reply);
                }
                metrics::counter!("saga_commits_total").increment(1);
                metrics::histogram!("saga_commit_writes").record(writes.len() as f64);
                match store.commit(writes).await {
                    Ok(answers) => {
                        for (reply, answer) in replies.into_iter().zip(answers) {
                            // Whoever asked may be gone: then nobody needs the answer.
                            let _ = reply.send(Ok(answer));
                        }
                    }
                    Err(error) => {
                        tracing::warn!(%error, writes = replies.len(), "commit failed");
                        for reply in replies {
                            let _ = reply.send(Err(error.clone()));
                        }
                    }
                }
            }
        });
        Writer { queue }
    }

    /// Writes and waits until it is durable or refused.
    pub(crate) async fn write(&self, write: Write) -> Result<Result<Written, Refused>, StoreError> {
        let gone = || StoreError::Unavailable("the writer has stopped".to_owned());
        let (reply, answer) = oneshot::channel();
        self.queue.send((write, reply)).map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }
}
