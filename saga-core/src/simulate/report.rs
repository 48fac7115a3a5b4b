//! What a walk found, for people: how much was walked, or the shortest way to something that must not be.

use super::choice::Schedule;
use super::director::Visited;
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// What was walked. Assert that it was something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Schedules that were played.
    pub schedules: usize,
    /// Those of them that came to a state from which all had been walked.
    pub pruned: usize,
    /// Different states.
    pub states: usize,
    /// Different ends, and how often each was come to.
    pub ends: BTreeMap<String, usize>,
    /// How long it took.
    pub took: Duration,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = self.schedules as f64 / self.took.as_secs_f64().max(1e-9);
        writeln!(
            f,
            "{} schedules, {} of them pruned, {} states, {} ends; {rate:.0} schedules/s",
            self.schedules,
            self.pruned,
            self.states,
            self.ends.len()
        )?;
        for (end, times) in &self.ends {
            writeln!(f, "  {times:>6}  {end}")?;
        }
        Ok(())
    }
}

/// A schedule after which something is as it must not be.
#[derive(Debug)]
#[non_exhaustive]
pub struct Counterexample {
    /// What is wrong.
    pub fault: String,
    /// The schedule, for [`super::Explore::replay`].
    pub schedule: String,
    table: Vec<Visited>,
}

impl Counterexample {
    pub(crate) fn new(fault: String, schedule: &Schedule, table: Vec<Visited>) -> Counterexample {
        Counterexample { fault, schedule: schedule.to_string(), table }
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}\n", self.fault)?;
        let width = self.table.iter().map(|visited| visited.place.chars().count()).max().unwrap_or(0);
        for (number, visited) in self.table.iter().enumerate() {
            let mark = if visited.options.first() == Some(&visited.taken) { ' ' } else { '>' };
            writeln!(f, "{mark} {number:>3}  {:<width$}  {}", visited.place, visited.taken)?;
        }
        write!(f, "\nto see it again: .replay(\"{}\")", self.schedule)
    }
}

impl std::error::Error for Counterexample {}
