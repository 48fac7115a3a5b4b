//! What the workspace may depend on: sources and licences. Decides from `cargo metadata` alone.

use crate::Outcome;
use crate::workspace::{Workspace, metadata, packages};
use serde_json::Value;

/// Licences that ask for no more than attribution. A choice (`OR`) needs one of these, a sum (`AND`) all.
const LICENCES: &[&str] = &[
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "BSL-1.0",
    "0BSD",
    "CC0-1.0",
    "Unlicense",
    "Unicode-3.0",
    "Apache-2.0 WITH LLVM-exception",
];

/// The one place that code may come from; no git dependencies, no other registry.
const SOURCE: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Checks every package that is built for this machine.
pub(crate) fn check(workspace: &Workspace) -> Outcome<()> {
    let host = host(workspace)?;
    let metadata = metadata(&workspace.root, &["--all-features", "--filter-platform", &host])?;
    let count = packages(&metadata).count();
    let faults: Vec<String> = packages(&metadata).filter_map(fault).collect();
    if faults.is_empty() {
        println!("  {count} packages");
        Ok(())
    } else {
        Err(format!("\n  {}", faults.join("\n  ")))
    }
}

/// What is wrong with a package.
fn fault(package: &Value) -> Option<String> {
    let name = package["name"].as_str().unwrap_or("a package without a name");
    let from_elsewhere = package["source"].as_str().filter(|source| *source != SOURCE);
    if let Some(source) = from_elsewhere {
        return Some(format!("{name} comes from {source}, not from crates.io"));
    }
    match package["license"].as_str() {
        None => Some(format!("{name} declares no licence")),
        Some(licence) if !allowed(licence) => Some(format!("{name} is under `{licence}`, which is not on the list")),
        Some(_) => None,
    }
}

/// Whether an SPDX expression leaves a choice in which every licence is on the list.
fn allowed(expression: &str) -> bool {
    // `/` is how older crates write `OR`.
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let holds = choice(&words, &mut at);
    holds && at == words.len()
}

fn choice(words: &[&str], at: &mut usize) -> bool {
    let mut holds = sum(words, at);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        holds |= sum(words, at);
    }
    holds
}

fn sum(words: &[&str], at: &mut usize) -> bool {
    let mut holds = one(words, at);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        holds &= one(words, at);
    }
    holds
}

fn one(words: &[&str], at: &mut usize) -> bool {
    let Some(word) = words.get(*at) else { return false };
    *at += 1;
    if *word == "(" {
        let holds = choice(words, at);
        let closed = words.get(*at) == Some(&")");
        *at += 1;
        return holds && closed;
    }
    if words.get(*at) == Some(&"WITH") {
        let exception = words.get(*at + 1).copied().unwrap_or_default();
        *at += 2;
        return LICENCES.contains(&format!("{word} WITH {exception}").as_str());
    }
    LICENCES.contains(word)
}

pub(crate) fn host(workspace: &Workspace) -> Outcome<String> {
    let output = workspace.cargo(&["--version", "--verbose"]).output();
    let output = output.map_err(|error| format!("cargo cannot be started: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "`cargo --version --verbose` names no host".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_choice_needs_one_allowed_licence_and_a_sum_needs_all() {
        for good in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0-only OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0-only",
        ] {
            assert!(allowed(good), "{good}");
        }
        for bad in
            ["GPL-3.0-only", "MIT AND GPL-3.0-only", "", "MIT AND", "(MIT", "MIT Apache-2.0", "MIT WITH Something"]
        {
            assert!(!allowed(bad), "{bad}");
        }
    }

    #[test]
    fn code_comes_from_crates_io_or_from_here() {
        assert_eq!(fault(&json!({"name": "ours", "source": null, "license": "MIT"})), None);
        assert_eq!(fault(&json!({"name": "theirs", "source": SOURCE, "license": "MIT"})), None);
        assert!(fault(&json!({"name": "git", "source": "git+https://example.org/x", "license": "MIT"})).is_some());
        assert!(fault(&json!({"name": "unlicensed", "source": SOURCE, "license": null})).is_some());
    }
}
