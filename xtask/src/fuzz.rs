//! Builds the targets of `saga-fuzz` for libFuzzer, and lets it run for a bounded time. Decides how; what is a fault the targets say.
//!
//! Stable Rust can instrument code, it only has no short flag for it: these are the passes that `cargo fuzz` asks for, without
//! a sanitizer, which would need a nightly and finds little where `unsafe` is forbidden.

use crate::Outcome;
use crate::dependencies::host;
use crate::stage::{shown, succeed};
use crate::workspace::Workspace;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const PACKAGE: &str = "saga-fuzz";

const TARGETS: [&str; 4] = ["journal_decode", "decide", "definition", "policy"];

/// Counters and comparisons of every edge, without which a fuzzer is blind. One unit: libFuzzer wants its tables whole.
const INSTRUMENTED: &[&str] = &[
    "--cfg fuzzing",
    "-Ccodegen-units=1",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// Longer inputs only cost time: everything that a target makes of its bytes is made of fewer.
const LONGEST: u32 = 1_024;

/// The bounded run of the full check, for each target.
const CHECK_SECONDS: u32 = 8;

/// A run that tries less than this, or reaches less code, was not one.
const FEWEST: (u64, u64) = (2_000, 300);

/// How a run by hand goes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// For each target.
    pub(crate) seconds: u32,
    /// Only this target.
    pub(crate) only: Option<String>,
    /// Whether the corpus of the repository takes up what was found.
    pub(crate) keep: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { seconds: 60, only: None, keep: false }
    }
}

/// One target, built.
struct Fuzzer {
    name: &'static str,
    program: PathBuf,
    /// What the repository keeps.
    kept: PathBuf,
    /// What this machine found, run after run.
    found: PathBuf,
    /// The words of the last run.
    log: PathBuf,
}

/// All targets for a few seconds, two at a time; how many there are.
pub(crate) fn check(workspace: &Workspace) -> Outcome<u64> {
    let fuzzers = build(workspace)?;
    for two in fuzzers.chunks(2) {
        let running: Vec<(&Fuzzer, Child)> =
            two.iter().map(|fuzzer| Ok((fuzzer, fuzzer.start(CHECK_SECONDS)?))).collect::<Outcome<_>>()?;
        let ended: Vec<Outcome<()>> = running.into_iter().map(|(fuzzer, child)| fuzzer.end(child)).collect();
        ended.into_iter().collect::<Outcome<()>>()?;
    }
    Ok(fuzzers.len() as u64)
}

/// A longer run by hand.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Outcome<()> {
    let wanted = |name: &str| options.only.as_deref().is_none_or(|only| only == name);
    let fuzzers: Vec<Fuzzer> = build(workspace)?.into_iter().filter(|fuzzer| wanted(fuzzer.name)).collect();
    if fuzzers.is_empty() {
        return Err(format!("there is no such target; there are {}", TARGETS.join(", ")));
    }
    for fuzzer in &fuzzers {
        fuzzer.end(fuzzer.start(options.seconds)?)?;
        if options.keep {
            fuzzer.keep()?;
        }
    }
    Ok(())
}

fn build(workspace: &Workspace) -> Outcome<Vec<Fuzzer>> {
    let host = host(workspace)?;
    // With a target named, build scripts and macros are not instrumented, and are shared with every other stage.
    let mut build = workspace.cargo(&["build", "--locked", "--package", PACKAGE, "--bins", "--target", &host]);
    build.env("RUSTFLAGS", INSTRUMENTED.join(" ")).env("CARGO_PROFILE_DEV_OPT_LEVEL", "1");
    succeed(build)?;
    let folder = |path: PathBuf| {
        let made = std::fs::create_dir_all(&path);
        made.map(|()| path.clone()).map_err(|error| format!("{} cannot be made: {error}", path.display()))
    };
    let own = workspace.target.join("fuzz");
    let fuzzer = |name: &'static str| {
        Ok(Fuzzer {
            name,
            program: workspace.target.join(&host).join("debug").join(name),
            kept: folder(workspace.root.join("fuzz/corpus").join(name))?,
            found: folder(own.join("corpus").join(name))?,
            log: own.join(name).with_extension("log"),
        })
    };
    TARGETS.into_iter().map(fuzzer).collect()
}

impl Fuzzer {
    fn start(&self, seconds: u32) -> Outcome<Child> {
        let log = std::fs::File::create(&self.log);
        let log = log.map_err(|error| format!("{} cannot be written: {error}", self.log.display()))?;
        let mut command = Command::new(&self.program);
        command.args([
            format!("-max_total_time={seconds}"),
            format!("-max_len={LONGEST}"),
            // Definitions are never freed: they are constants in a program that is not a fuzzer.
            "-rss_limit_mb=4096".to_owned(),
            "-print_final_stats=1".to_owned(),
            format!("-artifact_prefix={}-", self.log.with_extension("").display()),
        ]);
        command.arg(&self.found).arg(&self.kept).stdin(Stdio::null()).stderr(log).stdout(Stdio::null());
        println!("  $ {} for {seconds} s", self.name);
        command.spawn().map_err(|error| format!("`{}` cannot be started: {error}", shown(&command)))
    }

    /// Waits, and reads what it says of itself: a fuzzer that sees no code or tries nothing must not pass.
    fn end(&self, mut child: Child) -> Outcome<()> {
        let status = child.wait().map_err(|error| format!("{} is lost: {error}", self.name))?;
        let words = std::fs::read(&self.log).map_err(|error| format!("{}: {error}", self.log.display()))?;
        let words = String::from_utf8_lossy(&words);
        if !status.success() {
            return Err(format!("{}\n{}", self.name, failure(&words, self.name)));
        }
        match (tried(&words), covered(&words)) {
            (Some(tried), Some(covered)) if tried >= FEWEST.0 && covered >= FEWEST.1 => {
                println!("    {}: {tried} inputs, {covered} edges", self.name);
                Ok(())
            }
            (tried, covered) => Err(format!("{} tried {tried:?} inputs and saw {covered:?} edges", self.name)),
        }
    }

    /// The smallest corpus that reaches what the one of the repository and that of this machine reach together.
    fn keep(&self) -> Outcome<()> {
        let merged = self.found.with_extension("merged");
        let cannot = |error: std::io::Error| format!("the corpus of {} cannot be written: {error}", self.name);
        if merged.exists() {
            std::fs::remove_dir_all(&merged).map_err(cannot)?;
        }
        std::fs::create_dir_all(&merged).map_err(cannot)?;
        let mut merge = Command::new(&self.program);
        // The fewest files that reach every edge; how often an edge is taken would keep thousands.
        merge.args(["-set_cover_merge=1", "-use_counters=0"]).arg(format!("-max_len={LONGEST}"));
        merge.args([&merged, &self.kept, &self.found]);
        merge.stdout(Stdio::null()).stderr(Stdio::null());
        succeed(merge)?;
        for file in files(&self.kept).map_err(cannot)? {
            // What was a crash once stays, whether or not it reaches anything that others do not.
            if !name(&file).starts_with("crash-") {
                std::fs::remove_file(file).map_err(cannot)?;
            }
        }
        for file in files(&merged).map_err(cannot)? {
            std::fs::copy(&file, self.kept.join(name(&file))).map_err(cannot)?;
        }
        Ok(())
    }
}

fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// What libFuzzer and the target say of a failure, and how to see it again.
fn failure(words: &str, target: &str) -> String {
    let panic = words.lines().skip_while(|line| !line.contains("panicked at")).take(3);
    let mut said: Vec<String> = panic.map(str::to_owned).collect();
    let file = words.lines().find_map(|line| line.split_once("Test unit written to ")).map(|(_, file)| file.trim());
    match file {
        Some(file) => said.push(format!("  cargo run -p {PACKAGE} --bin {target} -- {file}")),
        None => said.extend(words.lines().rev().take(5).map(str::to_owned)),
    }
    said.join("\n")
}

/// `stat::number_of_executed_units: 158466`
fn tried(words: &str) -> Option<u64> {
    let line = words.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"))?;
    line.trim().parse().ok()
}

/// `#158466 DONE   cov: 4027 ft: 16459 ..`, of the last such line.
fn covered(words: &str) -> Option<u64> {
    let (_, after) = words.lines().filter_map(|line| line.split_once(" cov: ")).next_back()?;
    after.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: &str = "INFO: Loaded 1 modules\n#12\tNEW    cov: 7 ft: 9 corp: 2\n#158466\tDONE   cov: 4027 ft: 16459 corp: 1839/39Kb\nstat::number_of_executed_units: 158466\n";

    #[test]
    fn what_a_fuzzer_says_of_itself_is_read() {
        assert_eq!((tried(WORDS), covered(WORDS)), (Some(158_466), Some(4_027)));
        assert_eq!((tried(""), covered("")), (None, None));
    }

    #[test]
    fn a_failure_names_the_promise_and_how_to_see_it_again() {
        let words =
            "#1 cov: 5\nthread '<unnamed>' panicked at a.rs:1:2:\nit is wrong\nTest unit written to dir/crash-1\n";
        let said = failure(words, "decide");
        assert!(said.contains("it is wrong") && said.contains("cargo run -p saga-fuzz --bin decide -- dir/crash-1"));
    }

    #[test]
    fn every_target_is_built_and_has_a_corpus() {
        let root = crate::workspace::root().unwrap();
        let manifest = std::fs::read_to_string(root.join("fuzz/Cargo.toml")).unwrap();
        let named = manifest.lines().filter(|line| line.starts_with("path = \"targets/")).count();
        assert_eq!(named, TARGETS.len());
        for target in TARGETS {
            assert!(manifest.contains(&format!("targets/{target}.rs")), "{target} is not built");
            assert!(root.join("fuzz/corpus").join(target).is_dir(), "{target} has no corpus");
        }
    }
}
