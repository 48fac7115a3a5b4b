//! Reads of the clock, of chance and of the surroundings in a body: a replay would see something else. Each has a journaled
//! substitute, which the message names. Decides by the written path; what is hidden behind other names is not seen.

use crate::errors::Errors;
use crate::messages;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprCall, Path};

const TIME: &str = "take the time from the journal: `saga_core::now(cx).await`";
const CHANCE: &str = "draw from the journal: `saga_core::new_uuid(cx).await`";
const SURROUNDINGS: &str = "read it before the saga starts and pass it as an input, or read it in a step";
const PAUSE: &str = "let time pass by the journal: `saga_core::sleep(cx, ..).await`";
const WORK: &str = "work outside belongs in a step";

/// The end of the path, and what to write instead. `*` stands for any last segment.
const FORBIDDEN: &[(&[&str], &str)] = &[
    (&["SystemTime", "now"], TIME),
    (&["Instant", "now"], TIME),
    (&["Utc", "now"], TIME),
    (&["Local", "now"], TIME),
    (&["OffsetDateTime", "now_utc"], TIME),
    (&["OffsetDateTime", "now_local"], TIME),
    (&["Timestamp", "now"], TIME),
    (&["Zoned", "now"], TIME),
    (&["Uuid", "new_v4"], CHANCE),
    (&["Uuid", "now_v7"], CHANCE),
    (&["Uuid", "now_v6"], CHANCE),
    (&["Uuid", "now_v1"], CHANCE),
    (&["rand", "*"], CHANCE),
    (&["fastrand", "*"], CHANCE),
    (&["getrandom", "*"], CHANCE),
    (&["thread_rng"], CHANCE),
    (&["env", "var"], SURROUNDINGS),
    (&["env", "var_os"], SURROUNDINGS),
    (&["env", "vars"], SURROUNDINGS),
    (&["env", "args"], SURROUNDINGS),
    (&["env", "current_dir"], SURROUNDINGS),
    (&["fs", "*"], WORK),
    (&["File", "open"], WORK),
    (&["File", "create"], WORK),
    (&["thread", "sleep"], PAUSE),
    (&["time", "sleep"], PAUSE),
    (&["time", "sleep_until"], PAUSE),
    (
        &["time", "timeout"],
        "say how long a step may take in its declaration (`timeout = \"..\"`), and a wait with `.within(..)`",
    ),
    (&["thread", "spawn"], WORK),
    (&["tokio", "spawn"], WORK),
    (&["task", "spawn"], WORK),
    (&["task", "spawn_blocking"], WORK),
    (&["process", "id"], SURROUNDINGS),
    (&["Command", "new"], WORK),
];

/// What to write instead, if this call is forbidden.
pub(crate) fn called(call: &ExprCall) -> Option<&'static str> {
    match &*call.func {
        Expr::Path(path) => substitute(&path.path),
        _ => None,
    }
}

fn substitute(path: &Path) -> Option<&'static str> {
    let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    FORBIDDEN.iter().find_map(|(end, substitute)| {
        let rest = segments.len().checked_sub(end.len())?;
        let same = end.iter().zip(&segments[rest..]).all(|(wanted, given)| *wanted == "*" || wanted == given);
        same.then_some(*substitute)
    })
}

/// Reports every such read in a body, closures included.
pub(crate) fn check(body: &Block, errors: &mut Errors) {
    struct Finder<'a>(&'a mut Errors);
    impl Visit<'_> for Finder<'_> {
        fn visit_expr_call(&mut self, call: &ExprCall) {
            if let Some(substitute) = called(call) {
                self.0.at(&call.func, messages::forbidden(&call.func, substitute));
            }
            visit::visit_expr_call(self, call);
        }
        fn visit_item(&mut self, _: &syn::Item) {}
    }
    Finder(errors).visit_block(body);
}
