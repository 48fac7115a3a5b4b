//! Whether a piece of a body can leave it or await: only such pieces get states of their own. And what a macro may hide.

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Expr, Macro};

/// Whether anything in it awaits, returns, breaks, continues or may hide one of these.
pub(super) fn in_expr(expr: &Expr) -> bool {
    let mut finder = Finder::default();
    finder.visit_expr(expr);
    finder.found
}

/// The same for a block; `loops` is 1 for the body of a loop, whose own jumps stay inside.
pub(super) fn in_block(block: &syn::Block, loops: usize) -> bool {
    let mut finder = Finder { loops, ..Finder::default() };
    finder.visit_block(block);
    finder.found
}

/// Whether anything in an expression awaits.
pub(super) fn awaits_in_expr(expr: &Expr) -> bool {
    let mut finder = Awaits(false);
    finder.visit_expr(expr);
    finder.0
}

/// Whether anything in a statement awaits.
pub(super) fn awaits_in(statement: &syn::Stmt) -> bool {
    let mut finder = Awaits(false);
    finder.visit_stmt(statement);
    finder.0
}

struct Awaits(bool);

impl Visit<'_> for Awaits {
    fn visit_expr_await(&mut self, _: &syn::ExprAwait) {
        self.0 = true;
    }
    fn visit_expr_closure(&mut self, _: &syn::ExprClosure) {}
    fn visit_item(&mut self, _: &syn::Item) {}
}

#[derive(Default)]
struct Finder {
    loops: usize,
    found: bool,
}

impl Visit<'_> for Finder {
    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Await(_) | Expr::Try(_) | Expr::Return(_) | Expr::Yield(_) | Expr::Verbatim(_) => self.found = true,
            Expr::Break(jump) if jump.label.is_some() || self.loops == 0 => self.found = true,
            Expr::Continue(jump) if jump.label.is_some() || self.loops == 0 => self.found = true,
            Expr::Closure(_) | Expr::Async(_) => {}
            Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => {
                self.loops += 1;
                visit::visit_expr(self, expr);
                self.loops -= 1;
            }
            _ => visit::visit_expr(self, expr),
        }
    }

    fn visit_macro(&mut self, mac: &Macro) {
        self.found |= hides(mac) != Hides::Nothing;
    }

    fn visit_item(&mut self, _: &syn::Item) {}
}

/// What a macro invocation may do to the flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hides {
    /// Nothing: known, and no jump among its arguments.
    Nothing,
    /// It panics.
    End,
    /// It may return an error, for all that can be read.
    Error,
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

pub(super) fn hides(mac: &Macro) -> Hides {
    let name = mac.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    if ["panic", "unreachable", "todo", "unimplemented"].contains(&name.as_str()) && !jumps(mac.tokens.clone()) {
        Hides::End
    } else if PLAIN.contains(&name.as_str()) && !jumps(mac.tokens.clone()) {
        Hides::Nothing
    } else {
        Hides::Error
    }
}

fn jumps(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Group(group) => jumps(group.stream()),
        TokenTree::Ident(ident) => ident == "return" || ident == "break" || ident == "continue",
        TokenTree::Punct(punct) => punct.as_char() == '?',
        TokenTree::Literal(_) => false,
    })
}

/// Whether a word stands anywhere in the tokens.
pub(super) fn mentions(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Group(group) => mentions(group.stream(), word),
        TokenTree::Ident(ident) => ident == word,
        _ => false,
    })
}
