//! Connections that only read. Decides how many there are; a database in memory has one connection, and it reads too.

use crate::connection::{Purpose, connect};
use crate::fault::Fault;
use crate::options::{Patience, Place};
use crate::watch::Watch;
use crate::writer::{Urgency, Writer};
use rusqlite::Connection;
use saga_core::store::StoreError;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Semaphore;

/// Where reads are done.
#[derive(Clone)]
pub(crate) enum Readers {
    /// On connections of their own.
    Pool(Arc<Pool>),
    /// On the writer's connection.
    Writer(Writer),
}

pub(crate) struct Pool {
    place: Place,
    watch: Watch,
    patience: Patience,
    idle: Mutex<Vec<Connection>>,
    room: Arc<Semaphore>,
}

impl Readers {
    pub(crate) fn new(place: Place, watch: Watch, patience: Patience, most: usize, writer: &Writer) -> Readers {
        match place {
            Place::Memory => Readers::Writer(writer.clone()),
            Place::File(_) => {
                let room = Arc::new(Semaphore::new(most));
                Readers::Pool(Arc::new(Pool { place, watch, patience, idle: Mutex::default(), room }))
            }
        }
    }

    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StoreError> {
        let pool = match self {
            Readers::Writer(writer) => return writer.perform(Urgency::Next, work).await,
            Readers::Pool(pool) => Arc::clone(pool),
        };
        let closed = |error: &dyn std::fmt::Display| StoreError::Unavailable(format!("the read was given up: {error}"));
        let permit = Arc::clone(&pool.room).acquire_owned().await.map_err(|error| closed(&error))?;
        let task = move || {
            let answer = pool.with(work);
            drop(permit);
            answer
        };
        tokio::task::spawn_blocking(task).await.map_err(|error| closed(&error))?
    }
}

impl Pool {
    fn with<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Fault>) -> Result<T, StoreError> {
        // What a file says that nobody can find any more is no answer.
        self.watch.check()?;
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => connect(&self.place, Purpose::Read, &self.patience)?,
        };
        // One transaction: what is read belongs together.
        let answer = connection
            .prepare_cached("BEGIN")
            .and_then(|mut begin| begin.execute([]))
            .map_err(Fault::Sql)
            .and_then(|_| work(&connection))
            .and_then(|value| {
                connection.prepare_cached("COMMIT")?.execute([])?;
                Ok(value)
            });
        // A connection that failed is not used again.
        if answer.is_ok() {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
        answer.map_err(Fault::store)
    }
}
