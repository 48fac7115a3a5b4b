//! A check that consists of stages: runs them in order, stops at the first failure, says what to do, counts.
//!
//! Decides how progress and results are shown. Knows no stage by name.

use crate::Outcome;
use crate::workspace::Workspace;
use std::fmt;
use std::process::Command;
use std::time::{Duration, Instant};

/// One stage of a check.
pub(crate) struct Stage {
    /// Its name: one word where possible.
    pub(crate) name: &'static str,
    /// What it makes sure of.
    pub(crate) about: &'static str,
    /// What to do when it fails.
    pub(crate) remedy: &'static str,
    /// Does the work.
    pub(crate) run: fn(&Workspace) -> Result<Count, Failed>,
}

/// How many checks of a stage passed and failed. A stage that is no test run counts as one check.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Count {
    /// Passed.
    pub(crate) passed: u64,
    /// Failed.
    pub(crate) failed: u64,
}

impl Count {
    /// A stage that passed as a whole.
    pub(crate) const ONE: Count = Count { passed: 1, failed: 0 };

    /// Both together.
    pub(crate) fn plus(self, other: Count) -> Count {
        Count { passed: self.passed + other.passed, failed: self.failed + other.failed }
    }
}

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// A stage that failed: why, and how many of its checks did what.
#[derive(Debug)]
pub(crate) struct Failed {
    /// For the person at the terminal.
    pub(crate) why: String,
    /// Counts; a failure with none counts as one.
    pub(crate) count: Count,
}

impl From<String> for Failed {
    fn from(why: String) -> Failed {
        Failed { why, count: Count { passed: 0, failed: 1 } }
    }
}

/// Runs the stages in order. The last line that is printed is `N passed, N failed`.
pub(crate) fn run_all(workspace: &Workspace, stages: &[Stage], left_out: &[&str]) -> Outcome<()> {
    let mut total = Count::default();
    let mut summary = Vec::new();
    let mut failure = None;
    for (index, stage) in stages.iter().enumerate() {
        println!("\n[{}/{}] {}: {}", index + 1, stages.len(), stage.name, stage.about);
        let started = Instant::now();
        let result = (stage.run)(workspace);
        let took = seconds(started.elapsed());
        match result {
            Ok(count) => {
                total = total.plus(count);
                summary.push(format!("  ok      {:<14} {took:>7}  {count}", stage.name));
            }
            Err(mut failed) => {
                failed.count.failed = failed.count.failed.max(1);
                total = total.plus(failed.count);
                summary.push(format!("  FAILED  {:<14} {took:>7}  {}", stage.name, failed.count));
                summary.extend(stages[index + 1..].iter().map(|later| format!("  not run {}", later.name)));
                failure = Some((stage, failed.why));
                break;
            }
        }
    }
    println!("\nstages (one that is no test run counts as one check):");
    for line in &summary {
        println!("{line}");
    }
    for name in left_out {
        println!("  left out {name} (run `cargo xtask test` for it)");
    }
    if let Some((stage, why)) = &failure {
        println!("\n{} failed: {why}\nwhat to do: {}", stage.name, stage.remedy);
    }
    println!("\n{total}");
    match failure {
        None => Ok(()),
        Some((stage, _)) => Err(format!("stage `{}` failed", stage.name)),
    }
}

/// Runs a command with its output on the terminal; its failure is an error that names it.
pub(crate) fn succeed(mut command: Command) -> Outcome<()> {
    let shown = shown(&command);
    println!("  $ {shown}");
    let status = command.status().map_err(|error| format!("`{shown}` cannot be started: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("`{shown}` ended with {status}")) }
}

/// A command as one would type it.
pub(crate) fn shown(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>().join(" ")
}

fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> Workspace {
        Workspace { root: "root".into(), target: "target".into(), members: Vec::new() }
    }

    fn stage(run: fn(&Workspace) -> Result<Count, Failed>) -> Stage {
        Stage { name: "a stage", about: "about", remedy: "remedy", run }
    }

    #[test]
    fn the_first_failure_ends_the_check() {
        let fails = stage(|_| Err(String::from("why").into()));
        let must_not_run = stage(|_| unreachable!("a stage after the failed one ran"));
        assert!(run_all(&workspace(), &[stage(|_| Ok(Count::ONE)), fails, must_not_run], &[]).is_err());
        assert!(run_all(&workspace(), &[stage(|_| Ok(Count::ONE))], &[]).is_ok());
    }

    #[test]
    fn counts_add_up_and_print_plainly() {
        let count = Count { passed: 3, failed: 0 }.plus(Count { passed: 4, failed: 1 });
        assert_eq!(count.to_string(), "7 passed, 1 failed");
    }
}
