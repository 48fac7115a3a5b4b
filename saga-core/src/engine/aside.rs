//! Decisions about a run that is set aside: made ready here, carried out by the store.
//!
//! Decides what is left when such a run is given up, also where its journal cannot be read: then every effect that was ever
//! about to be sent, and is not known to be gone, counts as left.

use super::client::{Client, ClientError};
use super::codec::{self, LoadError};
use crate::decide::{Command, Head, left};
use crate::journal::{Decision, End, Entry, SET_ASIDE};
use crate::run::{CallNumber, RunId};
use crate::store::{AsideDecision, NewEntry, Poster, Refused, RunRow, Store, StoreError, limits};
use std::collections::BTreeSet;

/// How often an abandonment is computed anew because the run moved meanwhile.
const TRIES: u32 = 5;

/// Hands a decision in and has it carried out.
pub(super) async fn decide(
    client: &Client,
    run: RunId,
    decision: Decision,
    by: &str,
    note: &str,
) -> Result<(), ClientError> {
    let mut tries = 1;
    loop {
        let row = client.store.run(run).await?.ok_or(Refused::NoSuchRun(run))?;
        let aside = match &decision {
            Decision::Retry => AsideDecision::Retry,
            Decision::Escalate { owner } => AsideDecision::Escalate { owner: owner.clone() },
            Decision::Abandon => abandon(client, &row, by, note).await?,
            other => return Err(Refused::NotOffered { run, review: SET_ASIDE, action: other.action() }.into()),
        };
        let mut command =
            Command::Decide { review: SET_ASIDE, decision: decision.clone(), by: by.to_owned(), note: note.to_owned() };
        match client.post(run, Poster::Aside(aside), &mut command, by, note, None).await {
            Ok(_) if decision == Decision::Abandon => {
                client.ends.ended(run);
                metrics::counter!("saga_runs_ended_total", "saga" => row.definition.saga, "state" => "abandoned")
                    .increment(1);
                return Ok(());
            }
            Err(ClientError::Refused(Refused::WrongLength { .. } | Refused::InboxMoved { .. })) if tries < TRIES => {
                tries += 1;
            }
            answer => return answer.map(drop),
        }
    }
}

async fn abandon(client: &Client, row: &RunRow, by: &str, note: &str) -> Result<AsideDecision, ClientError> {
    let (run, left) = match codec::load(&*client.store, &client.seal, row.run).await {
        Ok(run) => {
            let left = left(&run);
            (Some(run), left)
        }
        Err(LoadError::Store(error)) => return Err(error.into()),
        Err(_) => (None, perhaps_left(&*client.store, row.run).await?),
    };
    let mut settled = Entry::ReviewSettled {
        review: SET_ASIDE,
        request: row.inbox_last + 1,
        decision: Decision::Abandon,
        by: by.to_owned(),
        note: note.to_owned(),
    };
    let head = Head::abandoned(by, left.len(), row.past_pivot);
    let mut ended = Entry::Ended { end: End::Abandoned { by: by.to_owned(), left } };
    let encoded = |entry: &mut Entry| codec::encode(entry, run.as_ref(), &client.seal).map_err(ClientError::Journal);
    let entries: Vec<NewEntry> = vec![encoded(&mut settled)?, encoded(&mut ended)?];
    Ok(AsideDecision::Abandon { length: row.length, inbox_last: row.inbox_last, entries, head })
}

/// What may be left of a run whose entries cannot be read: their kinds and calls stand beside them.
async fn perhaps_left(store: &dyn Store, run: RunId) -> Result<Vec<CallNumber>, StoreError> {
    let (mut left, mut after) = (BTreeSet::new(), 0);
    loop {
        let page = store.journal(run, after, limits::LONGEST_BATCH).await?;
        for entry in &page {
            match (entry.kind.as_str(), entry.call) {
                ("step_intended", Some(call)) => drop(left.insert(call)),
                ("step_failed" | "undone", Some(call)) => drop(left.remove(&call)),
                _ => {}
            }
        }
        match page.last() {
            Some(last) if page.len() >= limits::LONGEST_BATCH as usize => after = last.sequence,
            _ => return Ok(left.into_iter().collect()),
        }
    }
}
