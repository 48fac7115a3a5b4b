//! That no fault is forgotten, that its tests are there, and that the book shows the same list.
//!
//! `UPDATE_GOLDENS=1` (which `cargo xtask bless` sets) writes the chapter.

use crate::registry::{Fault, Test};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn faults() -> Vec<&'static Fault> {
    let lists = [
        crate::cancel::FAULTS,
        crate::unseen::FAULTS,
        crate::outcomes::FAULTS,
        crate::undo::FAULTS,
        crate::order::FAULTS,
        crate::recovery::FAULTS,
        crate::leases::FAULTS,
        crate::again::FAULTS,
        crate::time::FAULTS,
        crate::signals::FAULTS,
        crate::payloads::FAULTS,
        crate::contention::FAULTS,
        crate::versions::FAULTS,
        crate::ends::FAULTS,
        crate::operators::FAULTS,
    ];
    let mut faults: Vec<_> = lists.into_iter().flatten().collect();
    faults.sort_by_key(|fault| fault.number);
    faults
}

fn tests(fault: &Fault) -> impl Iterator<Item = &'static Test> {
    fault.tests.iter().flat_map(|tests| tests.iter())
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn each_of_the_sixty_has_a_test_or_a_reason() {
    let numbers: Vec<u32> = faults().iter().map(|fault| fault.number).collect();
    assert_eq!(numbers, (1..=60).collect::<Vec<_>>());
    for fault in faults() {
        assert!(tests(fault).next().is_some() || fault.waits.is_some(), "{} has neither", fault.number);
        for words in [fault.source, fault.seen, fault.right] {
            assert!(!words.is_empty() && !words.contains('|'), "{}: {words}", fault.number);
        }
    }
}

/// A test that is only named has gone; one that is ignored holds nothing.
#[test]
fn every_test_that_is_named_is_there_and_runs() {
    for fault in faults() {
        for test in tests(fault) {
            let text = std::fs::read_to_string(root().join(test.file)).unwrap();
            let head = text.split(&format!("fn {}(", test.name)).next().filter(|head| head.len() < text.len());
            match head {
                Some(head) => {
                    let last = head.rfind("\n}").unwrap_or(0);
                    let above = &head[last..];
                    let attribute = above.contains("test]") || above.contains("test(") || above.contains("proptest!");
                    assert!(attribute && !above.contains("#[ignore"), "{} in {} is no test", test.name, test.file);
                }
                // The tables of the crash tests name theirs in a macro.
                None => assert!(text.contains(&format!("\n    {}: ", test.name)), "no {} in {}", test.name, test.file),
            }
        }
    }
}

/// A test here is no test of the list unless the list names it; and its words say where its fault was met.
#[test]
fn every_test_here_is_named_by_a_fault_and_says_where_it_was_met() {
    let named: BTreeSet<&str> = faults().into_iter().flat_map(tests).map(|test| test.name).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/faults");
    for file in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let text = std::fs::read_to_string(&file).unwrap();
        for rest in text.split("#[test]\npub(crate) fn ").skip(1) {
            let name = rest.split('(').next().unwrap();
            assert!(named.contains(name), "{name} is in no list");
        }
    }
    for fault in faults() {
        for test in tests(fault).filter(|test| test.here.is_some()) {
            let text = std::fs::read_to_string(root().join(test.file)).unwrap();
            let head = text.split(&format!("pub(crate) fn {}(", test.name)).next().unwrap();
            let words = &head[head.rfind("\n\n").unwrap()..];
            // The first that reported it, or another of the same fault.
            let met = fault.source.split([';', ',']).map(str::trim).any(|source| {
                let source = source.split(" and ").next().unwrap().split(" (").next().unwrap();
                words.contains(source)
            });
            assert!(met, "{} does not say that it is about {}", test.name, fault.source);
        }
    }
}

/// Where a test is to be found: here by its name, elsewhere by its file too.
fn place(test: &Test) -> String {
    let Test { name, file, here } = test;
    if here.is_some() { format!("`{name}`") } else { format!("`{name}` in `{file}`") }
}

fn chapter() -> String {
    let mut text = "# Sixty faults\n\n\
        What people met in production with engines of this kind, what is right, and the test that holds it: each is played on every\n\
        store, with one worker and with three where workers share something. The tests below `tests/faults` say in their comments\n\
        where this engine's answer is another one than the report asked for. This page is written by those tests: see `table.rs`.\n\n"
        .to_owned();
    let waiting = faults().iter().filter(|fault| fault.waits.is_some()).count();
    let held = faults().into_iter().filter(|fault| tests(fault).next().is_some()).count();
    writeln!(text, "Of the sixty, {held} have tests; {waiting} wait, as a whole or in a part, for something that is not there yet.\n").unwrap();
    text.push_str("| | fault | right | test |\n| --- | --- | --- | --- |\n");
    for fault in faults() {
        let mut held: Vec<String> = tests(fault).map(place).collect();
        held.extend(fault.waits.map(|waits| format!("*waits for* {waits}")));
        let Fault { number, source, seen, right, .. } = fault;
        writeln!(text, "| {number} | {seen} ({source}) | {right} | {} |", held.join("<br>")).unwrap();
    }
    text
}

#[test]
fn the_book_shows_this_list() {
    let path = root().join("book/src/faults.md");
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        std::fs::write(&path, chapter()).unwrap();
    }
    let shown = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(shown, chapter(), "record it anew: UPDATE_GOLDENS=1 cargo test -p saga-faults --test faults the_book");
}
