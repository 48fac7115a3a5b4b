//! Records the goldens anew: trybuild's words of the compiler, and expansions. Decides nothing about their content.

use crate::Outcome;
use crate::stage::succeed;
use crate::tools;
use crate::workspace::Workspace;
use std::process::Command;

/// The tests that own goldens: what the compiler says, what the macros emit, and the book's list of faults.
const OWNERS: &str = "package(saga-tests) | package(saga-macros) | test(the_book_shows_this_list)";

/// Records, then runs the same tests again without recording: a golden that does not reproduce itself is no golden.
pub(crate) fn run(workspace: &Workspace) -> Outcome<()> {
    tools::nextest(workspace)?;
    let arguments = ["nextest", "run", "--workspace", "--all-features", "-E", OWNERS];
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
