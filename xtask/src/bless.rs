//! Records the goldens anew: trybuild's words of the compiler, and expansions. Decides nothing about their content.

use crate::Outcome;
use crate::stage::succeed;
use crate::tools;
use crate::workspace::Workspace;
use std::process::Command;

/// The packages whose tests own goldens: what the compiler says, and what the macros emit.
const OWNERS: &[&str] = &["saga-tests", "saga-macros"];

/// Records, then runs the same tests again without recording: a golden that does not reproduce itself is no golden.
pub(crate) fn run(workspace: &Workspace) -> Outcome<()> {
    tools::nextest(workspace)?;
    let mut arguments = vec!["nextest", "run", "--all-features"];
    arguments.extend(OWNERS.iter().flat_map(|owner| ["--package", owner]));
    let mut record = workspace.cargo(&arguments);
    record.env("TRYBUILD", "overwrite").env("UPDATE_GOLDENS", "1");
    succeed(record)?;
    let mut prove = workspace.cargo(&arguments);
    prove.env_remove("TRYBUILD").env_remove("UPDATE_GOLDENS");
    succeed(prove)?;
    println!("\nrecorded; read what changed before you commit it:");
    let mut changed = Command::new("git");
    changed.current_dir(&workspace.root).args(["status", "--short"]);
    succeed(changed)
}
