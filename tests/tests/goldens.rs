//! The goldens stand for something: each belongs to a case, says its mistake once, and in the words that we claim.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;

/// Cases where rustc's own words are the better ones; the macro stays silent.
const BY_RUSTC: &[&str] = &[
    "awaits_another_saga",
    "check_of_wrong_shape",
    "evidence_already_consumed",
    "evidence_forged",
    "evidence_missing",
    "evidence_of_another_step",
    "evidence_of_one_branch_only",
    "requires_what_does_not_exist",
    "step_does_not_exist",
    "step_does_not_exist_in_a_module",
    "undo_does_not_exist",
    "undo_not_async",
    "undo_of_wrong_shape",
];

/// What our traits say through `#[diagnostic::on_unimplemented]`.
const OUR_TRAITS: &[&str] = &[
    "cannot be journaled",
    "does not say what its failures prove",
    "is not a step",
    "is not a signal",
    "never waits for",
    "does not provide",
    "cannot move to another thread",
];

fn files(extension: &str) -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/fail");
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect()
}

fn golden(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/fail").join(name).with_extension("stderr");
    std::fs::read_to_string(path).unwrap()
}

fn errors(golden: &str) -> Vec<&str> {
    golden.lines().filter(|line| line.starts_with("error")).collect()
}

fn is_ours(error: &str) -> bool {
    error.starts_with("error: ")
        || error.starts_with("error[E0080]: evaluation panicked: ")
        || (error.starts_with("error[E0277]: ") && OUR_TRAITS.iter().any(|words| error.contains(words)))
}

#[test]
fn every_case_has_a_golden_and_every_golden_a_case() {
    assert_eq!(files("rs"), files("stderr"));
    assert!(files("rs").len() >= 45, "the folder was not found");
}

#[test]
fn the_first_error_is_ours_unless_the_case_says_otherwise() {
    for name in files("stderr") {
        let golden = golden(&name);
        let errors = errors(&golden);
        let by_rustc = BY_RUSTC.contains(&name.as_str());
        assert!(by_rustc || is_ours(errors[0]), "{name}: not our words: {}", errors[0]);
    }
    for name in BY_RUSTC {
        assert!(files("stderr").contains(*name), "{name} is listed and does not exist");
    }
}

#[test]
fn one_mistake_is_one_error() {
    const MORE: &[&str] = &[
        // The import by which the macro asks what a path is fails beside the call itself; rustc prints both.
        "step_does_not_exist_in_a_module",
        // That the path is a saga is known when types are; by then rustc has read the call and its `.await` as well.
        "awaits_another_saga",
    ];
    for name in files("stderr").iter().filter(|name| !MORE.contains(&name.as_str())) {
        let golden = golden(name);
        assert_eq!(errors(&golden).len(), 1, "{name}:\n{golden}");
    }
}

#[test]
fn no_golden_points_into_std_or_warns() {
    for name in files("stderr") {
        let golden = golden(&name);
        for words in ["$RUST", "/library/", "rustlib", "\nwarning"] {
            assert!(!golden.contains(words), "{name} contains {words}");
        }
        assert!(!golden.starts_with("warning"), "{name} begins with a warning");
    }
}

#[test]
fn cases_are_short() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui/fail");
    for name in files("rs") {
        let text = std::fs::read_to_string(folder.join(&name).with_extension("rs")).unwrap();
        assert!(text.lines().count() <= 25, "{name} shows more than one mistake needs");
    }
}
