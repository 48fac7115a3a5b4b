//! What the macros cost the compiler: generated crates, checked in turn, compared within one run.
//!
//! Decides the goals and the report. The goals are ratios and marginal costs of one run on one machine: this is no test, and
//! a slow machine is no failure.

mod generate;
mod measure;
mod report;

use crate::Outcome;
use crate::workspace::Workspace;
use std::fmt;
use std::str::FromStr;

/// What to measure.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// Rounds over all crates.
    pub(crate) rounds: usize,
    /// Sagas in the large crates.
    pub(crate) sagas: usize,
    /// Kinds of crate.
    pub(crate) kinds: Vec<Kind>,
    /// Whether a missed goal is a failure.
    pub(crate) assert: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { rounds: 5, sagas: 100, kinds: Kind::ALL.to_vec(), assert: false }
    }
}

/// How the same sagas are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Plain async fns, no macro but serde's and thiserror's.
    Plain,
    /// `#[step]` on every step; bodies are plain async fns.
    Steps,
    /// `#[step]` and `#[saga]`.
    Sagas,
}

impl Kind {
    /// All of them, each adding to the one before.
    pub(crate) const ALL: [Kind; 3] = [Kind::Plain, Kind::Steps, Kind::Sagas];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::Plain => "plain",
            Kind::Steps => "steps",
            Kind::Sagas => "sagas",
        })
    }
}

impl FromStr for Kind {
    type Err = String;
    fn from_str(text: &str) -> Result<Kind, String> {
        let known = Kind::ALL.into_iter().find(|kind| kind.to_string() == text);
        known.ok_or_else(|| format!("`{text}` is not one of plain, steps, sagas"))
    }
}

/// Generates, measures, reports.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Outcome<()> {
    let folder = workspace.target.join("bench-compile");
    let crates = generate::write(workspace, &folder, options)?;
    let medians = measure::medians(workspace, &folder, &crates, options.rounds)?;
    let report = report::Report::of(&medians, options.sagas);
    println!("\n{report}");
    let missed = report.missed();
    for goal in &missed {
        println!("goal missed: {goal}");
    }
    if options.assert && !missed.is_empty() {
        Err("a goal of the compile-time benchmark was missed".into())
    } else {
        Ok(())
    }
}
