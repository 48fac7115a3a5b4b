//! What the numbers say: totals, marginal costs, ratios, and the goals. Decides from medians alone.

use super::Kind;
use super::generate::Crate;
use super::measure::Cost;
use std::collections::BTreeMap;
use std::fmt;

/// `#[saga]` reads control flow and asserts order rules; that may cost a tenth on top of the steps.
const SAGAS_TO_STEPS: f64 = 1.10;
/// A whole saga with its three steps, in milliseconds of `cargo check`.
const WHOLE_SAGA: f64 = 15.0;

/// One line of the table.
#[derive(Debug, PartialEq)]
struct Row {
    kind: Kind,
    small: f64,
    large: f64,
    wall: f64,
    marginal: f64,
}

/// The table and the goals.
#[derive(Debug, PartialEq)]
pub(super) struct Report {
    sagas: usize,
    rows: Vec<Row>,
}

impl Report {
    /// Reads the medians of a small (1 saga) and a large crate of each kind.
    pub(super) fn of(medians: &BTreeMap<Crate, Cost>, sagas: usize) -> Report {
        let row = |kind| {
            let small = medians.get(&Crate { kind, sagas: 1 })?;
            let large = medians.get(&Crate { kind, sagas })?;
            // A `usize` in this range is exact as a float.
            let marginal = (large.work - small.work) * 1_000.0 / (sagas - 1) as f64;
            Some(Row { kind, small: small.work, large: large.work, wall: large.wall, marginal })
        };
        Report { sagas, rows: Kind::ALL.into_iter().filter_map(row).collect() }
    }

    fn row(&self, kind: Kind) -> Option<&Row> {
        self.rows.iter().find(|row| row.kind == kind)
    }

    /// The large crate with `#[saga]` against the one with `#[step]` only.
    fn sagas_to_steps(&self) -> Option<f64> {
        Some(self.row(Kind::Sagas)?.large / self.row(Kind::Steps)?.large)
    }

    /// Which goals were missed, in words.
    pub(super) fn missed(&self) -> Vec<String> {
        let ratio = self.sagas_to_steps().filter(|ratio| *ratio > SAGAS_TO_STEPS);
        let whole = self.row(Kind::Sagas).map(|row| row.marginal).filter(|marginal| *marginal > WHOLE_SAGA);
        let ratio = ratio.map(|ratio| format!("sagas/steps is {ratio:.2}, not <= {SAGAS_TO_STEPS:.2}"));
        let whole = whole.map(|whole| format!("a whole saga costs {whole:.1} ms, not <= {WHOLE_SAGA:.1} ms"));
        ratio.into_iter().chain(whole).collect()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "`cargo check` of the crate alone, dependencies done, not incremental; medians, processor time")?;
        writeln!(f, "| crate | 1 saga, s | {} sagas, s | (wall, s) | ms per further saga |", self.sagas)?;
        writeln!(f, "| --- | --- | --- | --- | --- |")?;
        for row in &self.rows {
            let Row { kind, small, large, wall, marginal } = row;
            writeln!(f, "| {kind} | {small:.2} | {large:.2} | {wall:.2} | {marginal:.1} |")?;
        }
        if let Some(ratio) = self.sagas_to_steps() {
            writeln!(f, "\nsagas/steps: {ratio:.2} (goal <= {SAGAS_TO_STEPS:.2})")?;
        }
        if let (Some(plain), Some(steps)) = (self.row(Kind::Plain), self.row(Kind::Steps)) {
            writeln!(f, "steps/plain: {:.2}", steps.large / plain.large)?;
        }
        if let Some(sagas) = self.row(Kind::Sagas) {
            writeln!(f, "whole saga with its steps: {:.1} ms (goal <= {WHOLE_SAGA:.1} ms)", sagas.marginal)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(steps: f64, sagas: f64) -> Report {
        let cost = |work| Cost { wall: work, work };
        let medians = [(Kind::Plain, 0.5), (Kind::Steps, steps), (Kind::Sagas, sagas)]
            .into_iter()
            .flat_map(|(kind, large)| {
                [(Crate { kind, sagas: 1 }, cost(0.1)), (Crate { kind, sagas: 101 }, cost(large))]
            })
            .collect();
        Report::of(&medians, 101)
    }

    #[test]
    fn goals_are_judged_from_the_ratio_and_the_marginal_cost() {
        assert_eq!(report(1.0, 1.05).missed(), [""; 0]);
        assert_eq!(report(1.0, 1.2).missed(), ["sagas/steps is 1.20, not <= 1.10"]);
        assert_eq!(report(1.6, 1.7).missed(), ["a whole saga costs 16.0 ms, not <= 15.0 ms"]);
    }

    #[test]
    fn the_table_shows_what_was_measured() {
        let text = report(1.0, 1.05).to_string();
        assert!(text.contains("| sagas | 0.10 | 1.05 | 1.05 | 9.5 |"), "{text}");
        assert!(text.contains("sagas/steps: 1.05"), "{text}");
        let part = Report { sagas: 101, rows: vec![] };
        assert_eq!(part.missed(), [""; 0]);
    }
}
