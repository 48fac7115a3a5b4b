//! The reckoning: every run beside what the gateway's ledger has of it, and whether they agree.
//!
//! Decides what agreement is: a completed run has exactly one publication, and its reservation was consumed; a run that was
//! undone has none, and holds no slot; no key was applied twice; nothing in the ledger belongs to no run.

use super::scenario::Scenario;
use crate::desk::DeskResult;
use crate::gateway::wire::{Effect, Ledger, Operation, Outcome, ReservationState};
use crate::workflow::approval;
use saga_core::Handle;
use saga_core::decide::State;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

pub(super) struct Reckoning {
    pub(super) table: String,
    pub(super) verdict: String,
    pub(super) agrees: bool,
}

pub(super) async fn reckon(runs: &[(&Scenario, Handle<approval>)], ledger: &Ledger) -> DeskResult<Reckoning> {
    let mut problems = Vec::new();
    let mut rows = vec![["submission", "run ended", "slot", "published", "sent (applied)", ""].map(str::to_owned)];
    for (scenario, run) in runs {
        let status = run.status().await?;
        let prefix = format!("{}:", run.run());
        let published = ledger.publications.iter().filter(|publication| publication.key.starts_with(&prefix)).count();
        let slots: Vec<ReservationState> = ledger
            .reservations
            .iter()
            .filter(|reservation| reservation.key.starts_with(&prefix))
            .map(|reservation| reservation.state)
            .collect();
        let found = disagreement(scenario, status.state, published, &slots);
        rows.push([
            run.key().to_owned(),
            status.state.to_string(),
            slots.first().map_or("never taken", |state| word(*state)).to_owned(),
            published.to_string(),
            sent(ledger.effects.iter().filter(|effect| effect.key.starts_with(&prefix))),
            found.clone().map_or("agrees".to_owned(), |problem| format!("DIFFERS: {problem}")),
        ]);
        problems.extend(found.map(|problem| format!("{}: {problem}", run.key())));
    }
    problems.extend(unaccounted(runs, ledger));
    let verdict = if problems.is_empty() {
        format!("{} runs and the ledger agree: no effect twice, none unaccounted for", runs.len())
    } else {
        format!("runs and ledger DO NOT AGREE:\n  {}", problems.join("\n  "))
    };
    Ok(Reckoning { table: aligned(&rows), verdict, agrees: problems.is_empty() })
}

fn disagreement(scenario: &Scenario, state: State, published: usize, slots: &[ReservationState]) -> Option<String> {
    if state != scenario.ends {
        return Some(format!("it should have ended {}", scenario.ends));
    }
    if slots.contains(&ReservationState::Held) {
        return Some("its slot is still held".to_owned());
    }
    let wanted = usize::from(state == State::Completed);
    if published != wanted {
        return Some(format!("{published} publications, not {wanted}"));
    }
    if state == State::Completed && slots != [ReservationState::Consumed] {
        return Some("its publication did not consume exactly one slot".to_owned());
    }
    None
}

/// Keys that were applied twice, and effects of no run.
fn unaccounted(runs: &[(&Scenario, Handle<approval>)], ledger: &Ledger) -> Vec<String> {
    let known: BTreeSet<String> = runs.iter().map(|(_, run)| run.run().to_string()).collect();
    let mut applied: BTreeMap<&str, usize> = BTreeMap::new();
    let mut problems = Vec::new();
    for effect in &ledger.effects {
        let run = effect.key.split(':').next().unwrap_or_default();
        if !known.contains(run) {
            problems.push(format!("effect {} of the ledger belongs to no run", effect.number));
        }
        if effect.outcome == Outcome::Applied {
            *applied.entry(&effect.key).or_default() += 1;
        }
    }
    problems.extend(
        applied.iter().filter(|(_, times)| **times > 1).map(|(key, times)| format!("{key} was applied {times} times")),
    );
    problems
}

/// How often each operation reached the ledger, and how often it changed something.
fn sent<'a>(effects: impl Iterator<Item = &'a Effect>) -> String {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for effect in effects {
        let (all, applied) = counts.entry(effect.kind.name()).or_default();
        *all += 1;
        *applied += usize::from(effect.outcome == Outcome::Applied);
    }
    let order = [Operation::Reserve, Operation::Publish, Operation::Release];
    let words: Vec<String> = order
        .iter()
        .filter_map(|kind| counts.get(kind.name()).map(|(all, applied)| format!("{} {all} ({applied})", kind.name())))
        .collect();
    words.join(", ")
}

fn word(state: ReservationState) -> &'static str {
    match state {
        ReservationState::Held => "held",
        ReservationState::Consumed => "consumed",
        ReservationState::Released => "released",
        ReservationState::Barred => "barred",
    }
}

fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let widths: Vec<usize> =
        (0..N).map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            // Writing to a String cannot fail.
            let _ = write!(line, "{cell:width$}  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
