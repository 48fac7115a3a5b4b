//! The full check, as CI runs it: which stages, in which order, and what each failure asks for.
//!
//! The cheap stages come first. All share one target folder, so what one stage built the next does not build again.

use crate::Outcome;
use crate::book;
use crate::dependencies;
use crate::fuzz;
use crate::junit;
use crate::stage::{Count, Failed, Stage, run_all, shown, succeed};
use crate::tools;
use crate::workspace::Workspace;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

/// Tests that compile or kill processes take minutes: the quick check leaves them out.
const SLOW_NAMES: &str = "test(/(^|::)ui/)";

/// The packages of the tests that cross packages: compile-fail, crash, faults, end to end.
const SLOW_PACKAGES: &[&str] = &["saga-tests", "saga-crash", "saga-faults"];

/// The README's main job: what a newcomer runs first.
const MAIN_JOB: &str = "approval";

const FORMAT: Stage = Stage {
    name: "format",
    about: "every file is as rustfmt writes it",
    remedy: "run `cargo fmt --all`",
    run: |workspace| one(succeed(workspace.cargo(&["fmt", "--all", "--check"]))),
};

const DEPENDENCIES: Stage = Stage {
    name: "dependencies",
    about: "sources and licences are those that CONTRIBUTING.md allows",
    remedy: "take another crate, or bring the case for this one under \"Dependencies\" in CONTRIBUTING.md",
    run: |workspace| one(dependencies::check(workspace)),
};

const LINTS: Stage = Stage {
    name: "lints",
    about: "every target, every feature, no warning",
    remedy: "mend what clippy names; an `#[allow]` needs its reason beside it",
    run: |workspace| {
        let arguments = ["clippy", "--workspace", "--all-targets", "--all-features", "--", "-D", "warnings"];
        one(succeed(workspace.cargo(&arguments)))
    },
};

const DOCUMENTATION: Stage = Stage {
    name: "documentation",
    about: "every public item is documented and every link leads somewhere",
    remedy: "mend the doc comment that rustdoc names",
    run: |workspace| {
        let mut doc = workspace.cargo(&["doc", "--workspace", "--all-features", "--no-deps"]);
        doc.env("RUSTDOCFLAGS", "-D warnings");
        one(succeed(doc))
    },
};

const TESTS: Stage = Stage {
    name: "tests",
    about: "unit, compile-fail, crash and end-to-end tests",
    remedy: "run one alone: `cargo nextest run -E 'test(its_name)'`; if a golden changed on purpose: `cargo xtask bless`",
    run: |workspace| tests(workspace, &[]),
};

const QUICK_TESTS: Stage = Stage {
    name: "tests",
    about: "all but the compile-fail, crash and end-to-end tests",
    remedy: "run one alone: `cargo nextest run -E 'test(its_name)'`",
    run: |workspace| tests(workspace, &["-E", &quick_filter(workspace)]),
};

const DOCTESTS: Stage = Stage {
    name: "doctests",
    about: "the examples in the documentation compile and run",
    remedy: "run one crate alone: `cargo test --doc -p <crate>`",
    run: doctests,
};

const FUZZ: Stage = Stage {
    name: "fuzz",
    about: "libFuzzer finds no bytes that break a promise, within a few seconds for each target",
    remedy: "replay what it found with the command that it names; mend it, and put the file into fuzz/corpus",
    run: |workspace| fuzz::check(workspace).map(|passed| Count { passed, failed: 0 }).map_err(Failed::from),
};

const BOOK: Stage = Stage {
    name: "book",
    about: "the book builds, and every Rust snippet in it is a file that cargo compiles",
    remedy: "include a compiled file: see \"The book\" in CONTRIBUTING.md",
    run: |workspace| one(book::check(workspace).and_then(|()| book::build(workspace))),
};

const MAIN: Stage = Stage {
    name: "main job",
    about: "what the README promises first",
    remedy: "run `cargo run -p approval` and mend what it says",
    run: |workspace| one(main_job(workspace)),
};

/// Runs the check.
pub(crate) fn run(workspace: &Workspace, quick: bool) -> Outcome<()> {
    if quick {
        let left_out = [DEPENDENCIES, DOCUMENTATION, DOCTESTS, FUZZ, BOOK, MAIN].map(|stage| stage.name);
        let left_out: Vec<&str> = left_out.into_iter().chain(["the slow tests"]).collect();
        run_all(workspace, &[FORMAT, LINTS, QUICK_TESTS], &left_out)
    } else {
        run_all(workspace, &[FORMAT, DEPENDENCIES, LINTS, DOCUMENTATION, TESTS, DOCTESTS, FUZZ, BOOK, MAIN], &[])
    }
}

fn one(result: Outcome<()>) -> Result<Count, Failed> {
    result.map(|()| Count::ONE).map_err(Failed::from)
}

fn tests(workspace: &Workspace, filter: &[&str]) -> Result<Count, Failed> {
    tools::nextest(workspace)?;
    let report = workspace.target.join("nextest/default/junit.xml");
    // A report of an earlier run must not speak for this one, should this one not even compile.
    if report.exists() {
        std::fs::remove_file(&report).map_err(|error| format!("{} cannot be removed: {error}", report.display()))?;
    }
    let mut arguments = vec!["nextest", "run", "--workspace", "--all-features"];
    arguments.extend(filter);
    let result = succeed(workspace.cargo(&arguments));
    let count = std::fs::read_to_string(&report).ok().and_then(|report| junit::of_report(&report));
    match (result, count) {
        (Ok(()), Some(count)) if count.failed == 0 && count.passed > 0 => Ok(count),
        (Ok(()), count) => Err(format!("nextest succeeded, but its report says {count:?}").into()),
        (Err(why), count) => Err(Failed { why, count: count.unwrap_or_default() }),
    }
}

fn quick_filter(workspace: &Workspace) -> String {
    // nextest refuses a filter that names a package it does not know.
    let slow = SLOW_PACKAGES.iter().filter(|package| workspace.has(package));
    let slow: String = slow.map(|package| format!(" and not package({package})")).collect();
    format!("not {SLOW_NAMES}{slow}")
}

fn doctests(workspace: &Workspace) -> Result<Count, Failed> {
    let mut command = workspace.cargo(&["test", "--doc", "--workspace", "--all-features", "--no-fail-fast"]);
    let shown = shown(&command);
    println!("  $ {shown}");
    let cannot = |error: std::io::Error| format!("`{shown}` cannot be run: {error}");
    let mut child = command.stdout(Stdio::piped()).spawn().map_err(cannot)?;
    let mut count = Count::default();
    for line in child.stdout.take().into_iter().flat_map(|output| BufReader::new(output).lines()) {
        let line = line.map_err(cannot)?;
        count = count.plus(junit::of_line(&line).unwrap_or_default());
        println!("{line}");
    }
    let status = child.wait().map_err(cannot)?;
    if status.success() { Ok(count) } else { Err(Failed { why: format!("`{shown}` ended with {status}"), count }) }
}

fn main_job(workspace: &Workspace) -> Outcome<()> {
    if !workspace.has(MAIN_JOB) {
        return Err(format!("the workspace has no member `{MAIN_JOB}`, but the README's main job is to run it"));
    }
    let mut job = workspace.cargo(&["run", "--package", MAIN_JOB]);
    // It must work unattended.
    job.stdin(Stdio::null());
    succeed(job)
}
