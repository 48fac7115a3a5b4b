//! Death around commits. Everything else is the store's own.

use crate::deaths::{Deaths, Place};
use saga_core::store::{NewEntry, Refused, Store, StoreFuture, Write, Written};
use saga_faults::before::Before;

/// Stands before a store whose process may die before or after a commit that contains an entry of a given kind.
#[derive(Debug)]
pub struct Killing(
    /// When.
    pub Deaths,
);

/// What a commit contains, as deaths name it: `kind` and `kind:step`, once for each entry.
fn contents(writes: &[Write]) -> Vec<String> {
    let entries = writes.iter().flat_map(|write| match write {
        Write::Create(new) => new.entries.iter(),
        Write::Append(append) => append.entries.iter(),
        Write::Post(_) => [].iter(),
    });
    entries.flat_map(names).collect()
}

fn names(entry: &NewEntry) -> Vec<String> {
    let kind = entry.kind.to_owned();
    match &entry.step {
        Some(step) => vec![format!("{kind}:{step}"), kind],
        None => vec![kind],
    }
}

impl Before for Killing {
    fn commit<'a>(
        &'a self,
        store: &'a dyn Store,
        writes: Vec<Write>,
    ) -> StoreFuture<'a, Vec<Result<Written, Refused>>> {
        Box::pin(async move {
            let contents = contents(&writes);
            for what in &contents {
                self.0.at(Place::BeforeCommit, what);
            }
            let answers = store.commit(writes).await;
            for what in &contents {
                self.0.at(Place::AfterCommit, what);
            }
            answers
        })
    }
}
