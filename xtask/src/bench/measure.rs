//! Times `cargo check` of one crate at a time, dependencies done: interleaved, in another order each round, medians.
//!
//! Decides how a number comes about; knows nothing of goals.

use super::generate::Crate;
use crate::Outcome;
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::BuildHasher;
use std::path::Path;
use std::process::Command;
use std::time::{Instant, SystemTime};

/// The cost of one check, in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Cost {
    /// By the clock on the wall: on a machine that others use, it measures them too.
    pub(super) wall: f64,
    /// Of the processors, where the system tells; the clock's otherwise.
    pub(super) work: f64,
}

/// The medians over all rounds.
pub(super) fn medians(
    workspace: &Workspace,
    folder: &Path,
    crates: &[Crate],
    rounds: usize,
) -> Outcome<BTreeMap<Crate, Cost>> {
    for one in crates {
        eprintln!("preparing {}", one.name());
        check(workspace, folder, *one, false)?;
    }
    let mut costs: BTreeMap<Crate, Vec<Cost>> = BTreeMap::new();
    for round in 1..=rounds {
        eprintln!("round {round} of {rounds}");
        for one in shuffled(crates) {
            touch(&folder.join(one.name()).join("src/lib.rs"))?;
            costs.entry(one).or_default().push(check(workspace, folder, one, true)?);
        }
    }
    Ok(costs
        .into_iter()
        .map(|(one, costs)| {
            let wall = median(costs.iter().map(|cost| cost.wall).collect());
            let work = median(costs.iter().map(|cost| cost.work).collect());
            (one, Cost { wall, work })
        })
        .collect())
}

fn check(workspace: &Workspace, folder: &Path, one: Crate, offline: bool) -> Outcome<Cost> {
    let name = one.name();
    let mut command: Command = workspace.cargo(&["check", "--quiet", "--package", &name]);
    command.current_dir(folder).env("CARGO_INCREMENTAL", "0").env("CARGO_TARGET_DIR", folder.join("target"));
    if offline {
        command.arg("--offline");
    }
    let (work, started) = (children(), Instant::now());
    let output = command.output().map_err(|error| format!("cargo cannot be started: {error}"))?;
    let wall = started.elapsed().as_secs_f64();
    if !output.status.success() {
        let words = String::from_utf8_lossy(&output.stderr).into_owned();
        let first: Vec<&str> = words.lines().take(40).collect();
        return Err(format!("the generated crate {name} does not compile:\n{}", first.join("\n")));
    }
    let work = work.zip(children()).map_or(wall, |(before, after)| after - before);
    Ok(Cost { wall, work })
}

/// Processor seconds of all children that ended so far. Linux tells, in hundredths of a second.
fn children() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The program's name, in parentheses, may hold spaces; the fields after it are numbered from 3.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |number: usize| fields.get(number - 3)?.parse::<f64>().ok();
    Some((ticks(16)? + ticks(17)?) / 100.0)
}

fn touch(path: &Path) -> Outcome<()> {
    let touched = File::options().append(true).open(path).and_then(|file| file.set_modified(SystemTime::now()));
    touched.map_err(|error| format!("{} cannot be touched: {error}", path.display()))
}

/// In an order that no crate can profit from: std seeds its hasher at random.
fn shuffled(crates: &[Crate]) -> Vec<Crate> {
    let random = RandomState::new();
    let mut order = crates.to_vec();
    order.sort_by_cached_key(|one| random.hash_one(one.name()));
    order
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Kind;

    #[test]
    fn a_median_is_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
    }

    #[test]
    fn a_shuffle_loses_nothing_and_changes_the_order() {
        let crates: Vec<Crate> = (0..20).map(|sagas| Crate { kind: Kind::Plain, sagas }).collect();
        let mut orders: Vec<Vec<Crate>> = (0..5).map(|_| shuffled(&crates)).collect();
        orders.dedup();
        assert!(orders.len() > 1, "five shuffles of twenty crates were all the same");
        orders.iter_mut().for_each(|order| order.sort());
        assert!(orders.iter().all(|order| *order == crates));
    }
}
