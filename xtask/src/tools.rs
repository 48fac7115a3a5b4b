//! The tools a check needs beyond cargo itself: which versions, and how a machine without them gets them.
//!
//! They are built from crates.io into the target folder: nothing outside the workspace is changed, and what is there is used.

use crate::Outcome;
use crate::stage::succeed;
use crate::workspace::Workspace;
use std::process::Command;

/// The test runner: groups, time limits and one process per test.
const NEXTEST: Tool = Tool {
    program: "cargo-nextest",
    version: "0.9.151",
    accepted: |said| said.starts_with("cargo-nextest 0.9."),
    probe: &["nextest", "--version"],
    // Without its own updater it needs no TLS stack, which is half of its build.
    features: &["default-no-update"],
};

/// The book's builder.
const MDBOOK: Tool = Tool {
    program: "mdbook",
    version: "0.5.4",
    accepted: |said| said.starts_with("mdbook v0.5."),
    probe: &["--version"],
    // Without the local web server, which brings an async stack.
    features: &["search"],
};

struct Tool {
    program: &'static str,
    version: &'static str,
    accepted: fn(&str) -> bool,
    probe: &'static [&'static str],
    features: &'static [&'static str],
}

/// Makes sure that `cargo nextest` is there.
pub(crate) fn nextest(workspace: &Workspace) -> Outcome<()> {
    NEXTEST.provide(workspace)
}

/// Makes sure that mdbook is there and gives a command for it.
pub(crate) fn mdbook(workspace: &Workspace) -> Outcome<Command> {
    MDBOOK.provide(workspace)?;
    Ok(MDBOOK.command(workspace))
}

impl Tool {
    fn command(&self, workspace: &Workspace) -> Command {
        let own = workspace.tools().join("bin").join(self.program);
        let mut command = if own.exists() { Command::new(own) } else { Command::new(self.program) };
        command.current_dir(&workspace.root);
        command
    }

    fn is_there(&self, workspace: &Workspace) -> bool {
        let output = self.command(workspace).args(self.probe).output();
        output.is_ok_and(|output| output.status.success() && (self.accepted)(&String::from_utf8_lossy(&output.stdout)))
    }

    fn provide(&self, workspace: &Workspace) -> Outcome<()> {
        if self.is_there(workspace) {
            return Ok(());
        }
        let root = workspace.tools();
        let build = root.join("build");
        println!("  {} {} is missing: building it, a few minutes, once", self.program, self.version);
        let mut install = workspace.cargo(&["install", "--locked", "--version", self.version, "--no-default-features"]);
        install.args(["--features", &self.features.join(","), self.program]);
        install.arg("--root").arg(&root).arg("--target-dir").arg(&build);
        // They wait for others most of their time: a third of the build is worth more than their own speed.
        install.arg("--debug").env("CARGO_PROFILE_DEV_DEBUG", "0");
        succeed(install)?;
        // Only the program is wanted; a leftover build folder costs space and nothing else.
        let _ = std::fs::remove_dir_all(&build);
        if self.is_there(workspace) {
            Ok(())
        } else {
            Err(format!("{} was installed into {} but does not run", self.program, root.display()))
        }
    }
}
