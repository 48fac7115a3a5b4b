//! Answers in words that are the same for every store: no identities, no absolute times.

use crate::run::Timestamp;
use crate::store::{Refused, ReviewRow, RunRow, Written};

pub(super) fn written(outcome: &Result<Written, Refused>) -> String {
    match outcome {
        Ok(Written::Created { .. }) => "created".to_owned(),
        Ok(Written::Existing(row)) => format!("existing {}", row.key),
        Ok(Written::Appended { .. }) => "appended".to_owned(),
        Ok(Written::Posted { number, .. }) => format!("posted {number}"),
        Err(refused) => refusal(refused),
    }
}

pub(super) fn refusal(refused: &Refused) -> String {
    match refused {
        Refused::StaleFence { fence, .. } => format!("stale fence {fence}"),
        Refused::WrongLength { expected, found, .. } => format!("wrong length {expected}, found {found}"),
        Refused::InboxMoved { last, .. } => format!("inbox moved to {last}"),
        Refused::NoSuchRun(_) => "no such run".to_owned(),
        Refused::KeyTaken { other, .. } => format!("key taken, other {other}"),
        Refused::AlreadyEnded { state, .. } => format!("already {state}"),
        Refused::AlreadyUnwinding(_) => "already unwinding".to_owned(),
        Refused::PastPivot(_) => "past the pivot".to_owned(),
        Refused::ReviewNotOpen { review, .. } => format!("review {review} not open"),
        Refused::AlreadyRequested { review, by, .. } => format!("review {review} already requested by {by}"),
        Refused::NotOffered { review, action, .. } => format!("review {review} does not offer {action}"),
        Refused::NoEvidence { review, .. } => format!("review {review} needs evidence"),
        Refused::TooLarge { what, size, limit } => format!("{what}: {size} over {limit}"),
        Refused::BadText { what, .. } => format!("{what}: bad text"),
        Refused::Rejected(_) => "rejected".to_owned(),
    }
}

/// A head at an instant.
pub(super) fn head(row: &RunRow, now: Timestamp) -> String {
    let due = match row.due {
        None => "never due",
        Some(due) if due <= now => "due",
        Some(_) => "due later",
    };
    let owner = if row.worker.is_some() { "leased" } else { "free" };
    let mut words =
        format!("{} length {} fence {} {owner} {due} claims {}", row.state, row.length, row.fence, row.claims);
    if row.inbox_last > 0 {
        words.push_str(&format!(" inbox {} signals {}", row.inbox_last, row.unconsumed_signals));
    }
    for (flag, name) in
        [(row.cancel_requested, " cancel"), (row.past_pivot, " pivot"), (row.quarantined.is_some(), " aside")]
    {
        words.push_str(if flag { name } else { "" });
    }
    words
}

pub(super) fn review(row: &ReviewRow) -> String {
    let requested = row.requested.as_ref().map_or_else(String::new, |(by, _)| format!(" requested by {by}"));
    let settled = row.settled.as_ref().map_or_else(String::new, |(how, by, _)| format!(" settled: {how} by {by}"));
    format!("{} {} of {} for {}{requested}{settled}", row.review, row.reason.name(), row.saga, row.owner)
}
