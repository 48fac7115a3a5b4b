//! What every file of the workspace looks like: it says first what it is for, is short, and names no place of one machine.

use super::files_below;
use std::path::Path;

/// The longest Rust file, in lines. Most are far shorter; beyond this a file decides more than one thing.
const LONGEST: usize = 600;

/// Folders that one machine has and another has not. In pieces, so that this file does not find itself.
const PLACES: &[&[&str]] = &[&["/", "work/"], &["/", "root/"], &["/", "tmp/"], &["/", "home/"]];

/// Cases for the compiler, one mistake each, and recorded expansions: their text is the test.
fn is_case(path: &Path) -> bool {
    path.iter().any(|part| ["ui", "goldens", "expansions"].iter().any(|folder| part == *folder))
}

fn rust_fault(text: &str) -> Option<String> {
    let lines = text.lines().count();
    if !text.starts_with("//!") {
        Some("does not begin with a `//!` line that says what it decides and what it must not know".to_owned())
    } else if lines > LONGEST {
        Some(format!("has {lines} lines, more than {LONGEST}: it decides more than one thing"))
    } else {
        None
    }
}

/// Lines that name an absolute path of one machine.
fn machine_paths(text: &str) -> Vec<usize> {
    let names = |line: &str| {
        PLACES.iter().map(|place| place.concat()).any(|place| {
            line.match_indices(&place).any(|(at, _)| {
                // `target/tmp/` and `example.org/home/` go on from something: they are not absolute.
                let before = line[..at].chars().next_back();
                !before.is_some_and(|before| before.is_alphanumeric() || "_-.*})>".contains(before))
            })
        })
    };
    text.lines().enumerate().filter(|(_, line)| names(line)).map(|(index, _)| index + 1).collect()
}

#[test]
fn every_file_keeps_the_rules_of_the_house() {
    let root = crate::workspace::root().unwrap();
    let (mut wrong, mut read) = (Vec::new(), 0);
    for path in files_below(&root) {
        let inner = path.strip_prefix(&root).unwrap();
        // Pictures and databases are not text, and have no lines.
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let is_rust = path.extension().is_some_and(|extension| extension == "rs");
        read += usize::from(is_rust);
        if is_rust && !is_case(inner) {
            wrong.extend(rust_fault(&text).map(|fault| format!("{} {fault}", inner.display())));
        }
        for line in machine_paths(&text) {
            wrong.push(format!("{}:{line} names a folder of one machine", inner.display()));
        }
    }
    assert!(read > 20, "only {read} Rust files were found: the walk is broken");
    assert!(wrong.is_empty(), "rules of the house (see CONTRIBUTING.md):\n{}", wrong.join("\n"));
}

#[test]
fn a_file_that_breaks_a_rule_is_found() {
    assert_eq!(rust_fault("//! Decides.\n"), None);
    assert!(rust_fault("use std::fmt;\n").is_some());
    assert!(rust_fault("").is_some());
    assert!(rust_fault(&format!("//! Decides.\n{}", "\n".repeat(LONGEST))).is_some());
    let temporary = PLACES[2].concat();
    assert_eq!(machine_paths(&format!("fine\nopen(\"{temporary}x\")\n`{temporary}`\nfile://{temporary}x")), [2, 3, 4]);
    assert_eq!(machine_paths(&format!("target{temporary}x and https://example.org{temporary}")), [0usize; 0]);
    assert!(is_case(Path::new("tests/ui/fail/a.rs")) && !is_case(Path::new("tests/src/guide.rs")));
}
