//! The book cannot drift: every Rust snippet in it is an include of a file that cargo compiles, and every include is there.
//!
//! mdbook itself only warns about a missing file, and says nothing at all of a missing anchor.

use crate::Outcome;
use crate::stage::succeed;
use crate::tools;
use crate::workspace::Workspace;
use std::path::{Path, PathBuf};

/// Folders of a package whose Rust files are compiled: by cargo, or by trybuild (`ui`).
const COMPILED: &[&str] = &["src", "tests", "examples", "benches", "ui"];

/// Builds the book.
pub(crate) fn build(workspace: &Workspace) -> Outcome<()> {
    let mut mdbook = tools::mdbook(workspace)?;
    mdbook.args(["build", "book"]);
    succeed(mdbook)
}

/// Checks every chapter; all faults are named at once.
pub(crate) fn check(workspace: &Workspace) -> Outcome<()> {
    let source = workspace.root.join("book/src");
    let summary = read(&source.join("SUMMARY.md"))?;
    let mut chapters = Vec::new();
    collect(&source, &mut chapters)?;
    let mut faults = Vec::new();
    for chapter in &chapters {
        let relative = chapter.strip_prefix(&source).unwrap_or(chapter).to_string_lossy().into_owned();
        if relative != "SUMMARY.md" && !summary.contains(&format!("({relative})")) {
            faults.push(format!("{relative} is not in SUMMARY.md: nobody would find it"));
        }
        let folder = chapter.parent().unwrap_or(&source);
        for (line, what) in chapter_faults(&read(chapter)?, |include| include_fault(workspace, folder, include)) {
            faults.push(format!("{relative}:{line}: {what}"));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(format!("\n  {}", faults.join("\n  "))) }
}

/// One include: the file, the part after its first colon, and whether it stands in a Rust block.
#[derive(Debug, PartialEq, Eq)]
struct Include<'a> {
    path: &'a str,
    part: &'a str,
    rust: bool,
}

/// What is wrong in one chapter, by line.
fn chapter_faults(text: &str, include_fault: impl Fn(&Include<'_>) -> Option<String>) -> Vec<(usize, String)> {
    let mut faults = Vec::new();
    let mut fence: Option<(String, bool)> = None;
    for (index, line) in text.lines().enumerate() {
        let mut fault = |what: String| faults.push((index + 1, what));
        let trimmed = line.trim_start();
        let marker: String = trimmed.chars().take_while(|mark| matches!(mark, '`' | '~')).collect();
        let is_fence = marker.len() >= 3;
        match &fence {
            None if is_fence => {
                let language = trimmed[marker.len()..].split([',', ' ', '{']).next().unwrap_or_default();
                if language.is_empty() {
                    // mdbook's readers see plain text, and a Rust snippet could hide from this check.
                    fault("a block without a language: name one (`text` if nothing else fits)".to_owned());
                }
                fence = Some((marker, language.eq_ignore_ascii_case("rust") || language.eq_ignore_ascii_case("rs")));
                continue;
            }
            Some((open, _)) if is_fence && marker.starts_with(open.as_str()) && trimmed.trim_end() == marker => {
                fence = None;
                continue;
            }
            _ => {}
        }
        let rust = fence.as_ref().is_some_and(|(_, rust)| *rust);
        let includes = includes(line, rust);
        if rust && includes.is_empty() && !trimmed.is_empty() {
            fault("free text in a Rust block: include a file that cargo compiles".to_owned());
        }
        includes.iter().filter_map(&include_fault).for_each(&mut fault);
    }
    if fence.is_some() {
        faults.push((text.lines().count(), "the last block is not closed".to_owned()));
    }
    faults
}

fn includes(line: &str, rust: bool) -> Vec<Include<'_>> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices("{{#") {
        if line[..at].ends_with('\\') {
            continue;
        }
        let Some((directive, _)) = line[at + 3..].split_once("}}") else { continue };
        let Some((name, target)) = directive.split_once(char::is_whitespace) else { continue };
        if matches!(name, "include" | "rustdoc_include" | "playground" | "playpen") {
            let target = target.split_whitespace().next().unwrap_or_default();
            let (path, part) = target.split_once(':').unwrap_or((target, ""));
            found.push(Include { path, part, rust });
        }
    }
    found
}

fn include_fault(workspace: &Workspace, folder: &Path, include: &Include<'_>) -> Option<String> {
    let Ok(file) = folder.join(include.path).canonicalize() else {
        return Some(format!("`{}` does not exist", include.path));
    };
    let Ok(text) = std::fs::read_to_string(&file) else {
        return Some(format!("`{}` cannot be read as text", include.path));
    };
    let is_anchor =
        !include.part.is_empty() && !include.part.starts_with(|first: char| first.is_ascii_digit() || first == ':');
    if is_anchor && !has_anchor(&text, include.part) {
        return Some(format!("`{}` has no `ANCHOR: {}` with its `ANCHOR_END`", include.path, include.part));
    }
    (include.rust && !is_compiled(&workspace.members, &file))
        .then(|| format!("`{}` is in no package of the workspace: cargo does not compile it", include.path))
}

fn has_anchor(text: &str, name: &str) -> bool {
    let marked =
        |mark: &str| text.lines().any(|line| line.split_once(mark).is_some_and(|(_, rest)| rest.trim() == name));
    marked("ANCHOR: ") && marked("ANCHOR_END: ")
}

/// Whether the innermost package around a Rust file has it in a folder that is compiled.
fn is_compiled(members: &[(String, PathBuf)], file: &Path) -> bool {
    let package = members
        .iter()
        .filter_map(|(_, folder)| folder.canonicalize().ok())
        .filter(|folder| file.starts_with(folder))
        .max_by_key(|folder| folder.components().count());
    let inner = package.as_deref().and_then(|folder| file.strip_prefix(folder).ok());
    let first = inner.and_then(|inner| inner.components().next());
    file.extension().is_some_and(|extension| extension == "rs")
        && first.is_some_and(|first| COMPILED.iter().any(|folder| first.as_os_str() == *folder))
}

fn collect(folder: &Path, chapters: &mut Vec<PathBuf>) -> Outcome<()> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, chapters)?;
        } else if path.extension().is_some_and(|extension| extension == "md") {
            chapters.push(path);
        }
    }
    Ok(())
}

fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        chapter_faults(text, |include| include.path.contains("gone").then(String::new))
            .into_iter()
            .map(|(line, _)| line)
            .collect()
    }

    #[test]
    fn only_includes_may_stand_in_a_rust_block() {
        assert_eq!(lines("```rust\n{{#include a.rs}}\n\n```\nwords\n"), [0usize; 0]);
        assert_eq!(lines("```rust,ignore\nfn free() {}\n```\n"), [2]);
        assert_eq!(lines("````rust\n```\n````\n"), [2]);
        assert_eq!(lines("```text\nfn free() {}\n```\n"), [0usize; 0]);
        assert_eq!(lines("```\nfn hidden() {}\n```\n"), [1]);
        assert_eq!(lines("```rust\n{{#include a.rs}}\n"), [2]);
        assert_eq!(
            lines("```rust\n{{#include gone.rs:1:3}}\n```\n{{#include gone.md}}\n\\{{#include gone.md}}\n"),
            [2, 4]
        );
    }

    #[test]
    fn an_anchor_needs_both_its_ends() {
        assert!(has_anchor("// ANCHOR: one\nx\n// ANCHOR_END: one\n", "one"));
        assert!(!has_anchor("// ANCHOR: one\n", "one"));
        assert!(!has_anchor("// ANCHOR: one_two\n// ANCHOR_END: one_two\n", "one"));
    }

    #[test]
    fn only_files_of_a_package_are_compiled() -> Outcome<()> {
        let root = crate::workspace::root()?.canonicalize().map_err(|error| error.to_string())?;
        let members = [("xtask".to_owned(), root.join("xtask"))];
        assert!(is_compiled(&members, &root.join("xtask/src/main.rs")));
        assert!(!is_compiled(&members, &root.join("xtask/Cargo.toml")));
        assert!(!is_compiled(&members, &root.join("xtask/notes/main.rs")));
        assert!(!is_compiled(&members, &root.join("book/src/main.rs")));
        Ok(())
    }

    #[test]
    fn this_book_holds_what_it_promises() -> Outcome<()> {
        check(&Workspace::find()?)
    }
}
