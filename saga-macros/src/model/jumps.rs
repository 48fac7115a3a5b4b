//! Whether a piece of a body can leave it or await: only such pieces get states of their own.

use super::macros::{self, Hides};
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

/// Whether anything in an arm awaits, its guard included.
pub(super) fn awaits_in_arm(arm: &syn::Arm) -> bool {
    let mut finder = Awaits(false);
    finder.visit_arm(arm);
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
        self.found |= macros::hides(mac) != Hides::Nothing;
    }

    fn visit_item(&mut self, _: &syn::Item) {}
}

/// Whether a word stands anywhere in the tokens.
pub(super) fn mentions(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|tree| match tree {
        TokenTree::Group(group) => mentions(group.stream(), word),
        TokenTree::Ident(ident) => ident == word,
        _ => false,
    })
}
