//! Decisions about a run that is set aside: the store carries them out, since there may be no worker that could.

use super::append::push;
use super::{exactly_one, review, whole};
use crate::fault::Fault;
use rusqlite::{Connection, params};
use saga_core::decide::Head;
use saga_core::store::{AsideDecision, NewEntry, ReviewChange, rules};
use saga_core::{RunId, Timestamp};

/// Does what was decided, after the item that asks for it was written: that has made a free run due already.
pub(super) fn carry_out(
    connection: &Connection,
    run: RunId,
    decision: &AsideDecision,
    by: &str,
    at: Timestamp,
) -> Result<(), Fault> {
    let how = decision.action().name();
    match decision {
        AsideDecision::Escalate { owner } => {
            let escalated = ReviewChange::Escalate { review: rules::SET_ASIDE, owner: owner.clone() };
            review::change(connection, run, "", escalated, at)
        }
        AsideDecision::Retry => {
            let changed = connection
                .prepare_cached(
                    "UPDATE saga_runs SET claims = 0, quarantined = NULL, quarantined_as = NULL WHERE run = ?1",
                )?
                .execute([run.to_string()])?;
            exactly_one(changed)?;
            review::settle(connection, run, Some(rules::SET_ASIDE), how, by, at)
        }
        AsideDecision::Abandon { entries, head, .. } => {
            end(connection, run, entries, head, at)?;
            review::settle(connection, run, None, how, by, at)
        }
    }
}

/// Ends a run behind whatever its journal has: what is broken may reach beyond the length that its row tells.
fn end(connection: &Connection, run: RunId, entries: &[NewEntry], head: &Head, at: Timestamp) -> Result<(), Fault> {
    let sql = "SELECT max(length, coalesce((SELECT max(sequence) FROM saga_journal WHERE run = ?1), 0))
               FROM saga_runs WHERE run = ?1";
    let reach: i64 = connection.prepare_cached(sql)?.query_row([run.to_string()], |row| row.get(0))?;
    let reach = u64::try_from(reach).unwrap_or(0);
    push(connection, run, reach, entries, at)?;
    let changed = connection
        .prepare_cached(
            "UPDATE saga_runs SET state = ?2, step = ?3, why = ?4, error = ?5, past_pivot = ?6, length = ?7, updated = ?8,
                    worker = NULL, due = NULL, quarantined = NULL, quarantined_as = NULL
             WHERE run = ?1",
        )?
        .execute(params![
            run.to_string(),
            head.state.name(),
            head.step,
            head.why,
            head.error,
            head.past_pivot,
            whole(reach + entries.len() as u64),
            at.0,
        ])?;
    exactly_one(changed)
}
