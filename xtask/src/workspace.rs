//! Where the workspace lies and what cargo knows of it. The only place that reads `cargo metadata`.

use crate::Outcome;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The workspace, as cargo describes it.
#[derive(Debug)]
pub(crate) struct Workspace {
    /// The folder of the workspace's own Cargo.toml.
    pub(crate) root: PathBuf,
    /// The one target folder that all stages share.
    pub(crate) target: PathBuf,
    /// The names and folders of the members.
    pub(crate) members: Vec<(String, PathBuf)>,
}

impl Workspace {
    /// Asks cargo.
    pub(crate) fn find() -> Outcome<Workspace> {
        let root = root()?;
        let metadata = metadata(&root, &["--no-deps"])?;
        let target = metadata["target_directory"].as_str().ok_or("cargo metadata names no target directory")?;
        let members = packages(&metadata)
            .filter_map(|package| {
                let folder = Path::new(package["manifest_path"].as_str()?).parent()?;
                Some((package["name"].as_str()?.to_owned(), folder.to_owned()))
            })
            .collect();
        Ok(Workspace { target: target.into(), root, members })
    }

    /// Whether a member has this name.
    pub(crate) fn has(&self, package: &str) -> bool {
        self.members.iter().any(|(name, _)| name == package)
    }

    /// A cargo command in the workspace, which also finds the tools that [`crate::tools`] installs.
    pub(crate) fn cargo(&self, arguments: &[&str]) -> Command {
        let mut command = cargo(&self.root);
        command.args(arguments).env("PATH", self.path_with_tools());
        command
    }

    /// Where this workspace installs tools that the machine lacks.
    pub(crate) fn tools(&self) -> PathBuf {
        self.target.join("tools")
    }

    /// `PATH` with the workspace's own tools in front.
    pub(crate) fn path_with_tools(&self) -> OsString {
        let existing = std::env::var_os("PATH").unwrap_or_default();
        let all = std::iter::once(self.tools().join("bin")).chain(std::env::split_paths(&existing));
        // Joining fails only on a folder with the separator in its name; then the tools go unfound and are named as missing.
        std::env::join_paths(all).unwrap_or(existing)
    }
}

/// The packages in cargo's answer.
pub(crate) fn packages(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten()
}

/// The folder above xtask's own.
pub(crate) fn root() -> Outcome<PathBuf> {
    // Cargo says where xtask lies now; the path from its compilation is for when the program is started by hand.
    let own = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&own).parent().map(Path::to_owned).ok_or_else(|| "xtask lies in no folder".to_owned())
}

/// What `cargo metadata` says.
pub(crate) fn metadata(root: &Path, arguments: &[&str]) -> Outcome<Value> {
    let mut command = cargo(root);
    command.args(["metadata", "--format-version=1", "--locked"]).args(arguments).stderr(Stdio::inherit());
    let output = command.output().map_err(|error| format!("cargo cannot be started: {error}"))?;
    if !output.status.success() {
        return Err("`cargo metadata` failed; its words are above".into());
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata is not JSON: {error}"))
}

fn cargo(root: &Path) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root);
    command
}
