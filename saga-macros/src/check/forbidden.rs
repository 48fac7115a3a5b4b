//! Reads of the clock, of chance and of the surroundings in a body: a replay would see something else. Each has a journaled
//! substitute, which the message names.
//!
//! Decides by the written path, called or only named, also between the parentheses of a macro. What is hidden behind other names
//! is not seen, and a method is the user's own: `clock.now()` may be anything.

use crate::errors::Errors;
use crate::messages;
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprCall, ExprPath, Macro, Type};

const TIME: &str = "take the time from the journal: `saga_core::now(cx).await`";
const CHANCE: &str = "draw from the journal: `saga_core::new_uuid(cx).await`";
const SURROUNDINGS: &str = "read it before the saga starts and pass it as an input, or read it in a step";
const PAUSE: &str = "let time pass by the journal: `saga_core::sleep(cx, ..).await`";
const WORK: &str = "work outside belongs in a step";

/// The end of the path, and what to write instead. `*` stands for any function: a last segment in small letters.
const FORBIDDEN: &[(&[&str], &str)] = &[
    (&["SystemTime", "now"], TIME),
    (&["SystemTime", "elapsed"], TIME),
    (&["Instant", "now"], TIME),
    (&["Instant", "elapsed"], TIME),
    (&["Utc", "now"], TIME),
    (&["Utc", "today"], TIME),
    (&["Local", "now"], TIME),
    (&["Local", "today"], TIME),
    (&["OffsetDateTime", "now_utc"], TIME),
    (&["OffsetDateTime", "now_local"], TIME),
    (&["UtcDateTime", "now"], TIME),
    (&["Timestamp", "now"], TIME),
    (&["Zoned", "now"], TIME),
    (&["Uuid", "new_v4"], CHANCE),
    (&["Uuid", "now_v7"], CHANCE),
    (&["Uuid", "now_v6"], CHANCE),
    (&["Uuid", "now_v1"], CHANCE),
    (&["Ulid", "new"], CHANCE),
    (&["rand", "*"], CHANCE),
    (&["fastrand", "*"], CHANCE),
    (&["fastrand", "Rng", "new"], CHANCE),
    (&["getrandom", "*"], CHANCE),
    (&["getrandom"], CHANCE),
    (&["thread_rng"], CHANCE),
    (&["from_entropy"], CHANCE),
    (&["from_os_rng"], CHANCE),
    (&["ThreadRng", "default"], CHANCE),
    (&["OsRng"], CHANCE),
    (&["RandomState", "new"], CHANCE),
    (&["RandomState", "default"], CHANCE),
    (&["env", "var"], SURROUNDINGS),
    (&["env", "var_os"], SURROUNDINGS),
    (&["env", "vars"], SURROUNDINGS),
    (&["env", "vars_os"], SURROUNDINGS),
    (&["env", "args"], SURROUNDINGS),
    (&["env", "args_os"], SURROUNDINGS),
    (&["env", "current_dir"], SURROUNDINGS),
    (&["env", "current_exe"], SURROUNDINGS),
    (&["env", "home_dir"], SURROUNDINGS),
    (&["env", "temp_dir"], SURROUNDINGS),
    (&["env", "set_var"], SURROUNDINGS),
    (&["env", "remove_var"], SURROUNDINGS),
    (&["io", "stdin"], SURROUNDINGS),
    (&["process", "id"], SURROUNDINGS),
    (&["thread", "current"], SURROUNDINGS),
    (&["thread", "available_parallelism"], SURROUNDINGS),
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
    (&["Command", "new"], WORK),
];

/// What to write instead, if this call is forbidden.
pub(crate) fn called(call: &ExprCall) -> Option<&'static str> {
    match &*call.func {
        Expr::Path(path) => substitute(&segments(path)),
        _ => None,
    }
}

/// The names of a path; `<Instant>::now` and `<Instant as Clock>::now` are `Instant::now`.
fn segments(path: &ExprPath) -> Vec<String> {
    let names = |path: &syn::Path| path.segments.iter().map(|segment| segment.ident.to_string()).collect::<Vec<_>>();
    match &path.qself {
        Some(of) => {
            let mut all = match &*of.ty {
                Type::Path(ty) => names(&ty.path),
                _ => Vec::new(),
            };
            all.extend(names(&path.path).into_iter().skip(of.position));
            all
        }
        None => names(&path.path),
    }
}

fn substitute(segments: &[String]) -> Option<&'static str> {
    FORBIDDEN.iter().find_map(|(end, substitute)| {
        let rest = segments.len().checked_sub(end.len())?;
        let is = |(wanted, given): (&&str, &String)| match *wanted {
            "*" => given.starts_with(|first: char| first.is_lowercase() || first == '_'),
            wanted => wanted == given,
        };
        end.iter().zip(&segments[rest..]).all(is).then_some(*substitute)
    })
}

/// Reports every such read in a body, closures included.
pub(crate) fn check(body: &Block, errors: &mut Errors) {
    struct Finder<'a>(&'a mut Errors);
    impl Visit<'_> for Finder<'_> {
        fn visit_expr_path(&mut self, path: &ExprPath) {
            if let Some(substitute) = substitute(&segments(path)) {
                self.0.at(path, messages::forbidden(path, substitute));
            }
            visit::visit_expr_path(self, path);
        }
        fn visit_macro(&mut self, mac: &Macro) {
            in_tokens(mac.tokens.clone(), self.0);
        }
        fn visit_item(&mut self, _: &syn::Item) {}
    }
    Finder(errors).visit_block(body);
}

/// The paths among the tokens of a macro. What follows a dot is a field or a method.
fn in_tokens(tokens: TokenStream, errors: &mut Errors) {
    let mut path = WrittenPath::default();
    for tree in tokens {
        match &tree {
            TokenTree::Punct(colon) if colon.as_char() == ':' && !path.names.is_empty() => path.colons.push(tree),
            TokenTree::Ident(name) if path.continues() => {
                let name = name.to_string();
                path.push(name, tree);
            }
            // The end of `<SystemTime>::now`, or of nothing.
            TokenTree::Punct(angle) if angle.as_char() == '>' => {}
            _ => {
                path.report(errors);
                let behind_a_dot = std::mem::take(&mut path).behind_a_dot;
                match &tree {
                    TokenTree::Ident(name) => {
                        path.behind_a_dot = behind_a_dot;
                        path.push(name.to_string(), tree);
                    }
                    // Two dots are a range.
                    TokenTree::Punct(dot) => path.behind_a_dot = dot.as_char() == '.' && !behind_a_dot,
                    TokenTree::Group(group) => in_tokens(group.stream(), errors),
                    TokenTree::Literal(_) => {}
                }
            }
        }
    }
    path.report(errors);
}

/// A path that is being read.
#[derive(Default)]
struct WrittenPath {
    behind_a_dot: bool,
    names: Vec<String>,
    tokens: TokenStream,
    colons: Vec<TokenTree>,
}

impl WrittenPath {
    fn continues(&self) -> bool {
        self.colons.len() == 2
    }

    fn push(&mut self, name: String, tree: TokenTree) {
        self.names.push(name);
        self.tokens.extend(self.colons.drain(..).chain([tree]));
    }

    fn report(&self, errors: &mut Errors) {
        if let Some(substitute) = substitute(&self.names).filter(|_| !self.behind_a_dot) {
            errors.at(&self.tokens, messages::forbidden(&self.tokens, substitute));
        }
    }
}
