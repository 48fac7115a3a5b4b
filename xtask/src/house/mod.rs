//! The rules of the house that no compiler checks, as tests: which way the arrows go, and what every file looks like.

mod arrows;
mod files;
mod paths;

use std::path::{Path, PathBuf};

/// All files below a folder, sorted; build output and git's own folder are left out.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let (path, kind, name) = (entry.path(), entry.file_type().unwrap(), entry.file_name());
            // In a worktree `.git` is a file.
            if name == "target" || name == ".git" || path.ends_with("book/book") {
                continue;
            }
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
