//! The chapter on what the compiler says is complete: it shows every case that does not compile, once, with its message.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../src")
}

fn files(folder: PathBuf) -> impl Iterator<Item = PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path())
}

fn chapter() -> String {
    files(book().join("compiler")).map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn every_case_is_shown_once_with_its_message() {
    let chapter = chapter();
    let cases: Vec<PathBuf> = files(book().join("../../tests/ui/fail"))
        .filter(|path| path.extension().is_some_and(|extension| extension == "stderr" || extension == "rs"))
        .collect();
    assert!(cases.len() >= 200, "the folder was not found");
    let wrong: BTreeMap<String, usize> = cases
        .iter()
        .map(|path| path.file_name().unwrap().to_str().unwrap().to_owned())
        .map(|name| (chapter.matches(&format!("{{{{#include ../../../tests/ui/fail/{name}}}}}")).count(), name))
        .filter(|(times, _)| *times != 1)
        .map(|(times, name)| (name, times))
        .collect();
    assert!(wrong.is_empty(), "not shown exactly once below book/src/compiler: {wrong:?}");
}

#[test]
fn every_rule_has_words_of_its_own() {
    for path in files(book().join("compiler")) {
        let text = std::fs::read_to_string(&path).unwrap();
        for section in text.split("\n## ").skip(1) {
            let title = section.lines().next().unwrap();
            let words = section.lines().skip(1).find(|line| !line.trim().is_empty()).unwrap_or("```");
            assert!(!words.starts_with("```"), "{}: `{title}` shows code before it says anything", path.display());
        }
    }
}
