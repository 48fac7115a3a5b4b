//! Every file of the corpus, and so every crash that was ever found, runs through its target on each test run.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test, and all of what it calls")]

use saga_fuzz::TARGETS;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

fn corpus(target: &str) -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn every_file_of_the_corpus_passes() {
    let mut failed = Vec::new();
    for target in TARGETS {
        let files = corpus(target.name);
        assert!(files.len() >= 10, "the corpus of {} has only {} files", target.name, files.len());
        for file in files {
            let data = std::fs::read(&file).unwrap();
            if catch_unwind(AssertUnwindSafe(|| (target.run)(&data))).is_err() {
                failed.push(format!("{}/{}", target.name, file.file_name().unwrap().display()));
            }
        }
    }
    assert!(failed.is_empty(), "these fail; their words are above:\n{}", failed.join("\n"));
}

#[test]
fn the_corpus_stays_small() {
    let size = |file: &PathBuf| std::fs::metadata(file).unwrap().len();
    let total: u64 = TARGETS.iter().flat_map(|target| corpus(target.name)).map(|file| size(&file)).sum();
    assert!(total < 400_000, "{total} bytes: minimise it with `cargo xtask fuzz --keep`");
}

#[test]
fn every_folder_of_the_corpus_belongs_to_a_target() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for entry in std::fs::read_dir(root).unwrap() {
        let name = entry.unwrap().file_name();
        assert!(TARGETS.iter().any(|target| *target.name == *name), "{} is nobody's", name.display());
    }
}
