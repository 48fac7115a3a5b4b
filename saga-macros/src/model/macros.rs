//! What a macro in a body may hide, and where the flow may go because of it.
//!
//! Decides by the macro's name and by the tokens between its parentheses, which is all that can be seen: the well-known ones only
//! evaluate their arguments, and every other may leave by any way that is open where it stands.

use super::body::Walk;
use super::graph::{Frontier, Returned};
use super::jumps;
use crate::messages;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::Macro;

/// What a macro invocation may do to the flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hides {
    /// Nothing: known, and no jump among its arguments.
    Nothing,
    /// It panics.
    End,
    /// It may return, by what is written between its parentheses.
    Return,
    /// It may jump in any way, for all that can be read.
    Jump,
}

/// Macros that do nothing to the flow but evaluate their arguments.
const PLAIN: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "column",
    "concat",
    "dbg",
    "debug",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "debug_span",
    "env",
    "eprint",
    "eprintln",
    "error",
    "error_span",
    "event",
    "file",
    "format",
    "format_args",
    "include_str",
    "info",
    "info_span",
    "json",
    "line",
    "log",
    "matches",
    "module_path",
    "option_env",
    "print",
    "println",
    "span",
    "stringify",
    "trace",
    "trace_span",
    "vec",
    "warn",
    "warn_span",
    "write",
    "writeln",
];

/// Macros that panic.
const ENDS: &[&str] = &["panic", "unreachable", "todo", "unimplemented"];

fn is_named(mac: &Macro, names: &[&str]) -> bool {
    mac.path.segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name))
}

/// What this invocation may do.
pub(super) fn hides(mac: &Macro) -> Hides {
    let known = is_named(mac, PLAIN) || is_named(mac, ENDS);
    let loops = || ["break", "continue"].iter().any(|word| jumps::mentions(mac.tokens.clone(), word));
    if !known || loops() {
        Hides::Jump
    } else if returns(mac.tokens.clone()) {
        Hides::Return
    } else if is_named(mac, ENDS) {
        Hides::End
    } else {
        Hides::Nothing
    }
}

/// Whether a `return` or a `?` is written between the parentheses. A `?` before a value is the mark of `info!(?id)`, and jumps nowhere.
fn returns(tokens: TokenStream) -> bool {
    let mut behind_a_value = false;
    for tree in tokens {
        let found = match &tree {
            TokenTree::Group(group) => returns(group.stream()),
            TokenTree::Ident(ident) => ident == "return",
            TokenTree::Punct(punct) => punct.as_char() == '?' && behind_a_value,
            TokenTree::Literal(_) => false,
        };
        if found {
            return true;
        }
        behind_a_value = !matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == ',' || punct.as_char() == '=');
    }
    false
}

/// The names that stand in macros which may bind them anew.
pub(super) fn bound_by(mac: &Macro) -> Vec<String> {
    fn names(tokens: TokenStream, into: &mut Vec<String>) {
        for tree in tokens {
            match tree {
                TokenTree::Group(group) => names(group.stream(), into),
                TokenTree::Ident(ident) => into.push(ident.to_string()),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    if !is_named(mac, PLAIN) {
        names(mac.tokens.clone(), &mut found);
    }
    found
}

impl Walk<'_> {
    pub(super) fn macro_call(&mut self, mac: &Macro, from: Frontier) -> Frontier {
        if jumps::mentions(mac.tokens.clone(), "await") || jumps::mentions(mac.tokens.clone(), &self.handle) {
            self.errors.at(&mac.path, messages::await_in_macro(&mac.path));
            return from;
        }
        match hides(mac) {
            Hides::Nothing => from,
            Hides::End => Vec::new(),
            found @ (Hides::Return | Hides::Jump) => {
                self.leave(Returned::Either, mac.path.to_token_stream(), from.clone());
                if found == Hides::Jump {
                    self.jump_anywhere(&from);
                }
                from
            }
        }
    }
}
