//! `#[cfg]` inside a body. Decides what is conditional, whatever form it has, and refuses it where it holds something awaited:
//! two builds would have two machines for one journal. What is conditional and awaits nothing may be there or not.

use super::jumps;
use crate::errors::Errors;
use crate::messages;
use syn::visit::{self, Visit};
use syn::{Arm, Attribute, Block, Expr, FieldValue, Meta, Pat, Stmt};

/// The `#[cfg]` among attributes, also as what `#[cfg_attr(..)]` may become.
pub(super) fn cfg(attributes: &[Attribute]) -> Option<&Attribute> {
    attributes.iter().find(|attribute| match &attribute.meta {
        meta if meta.path().is_ident("cfg") => true,
        Meta::List(list) => list.path.is_ident("cfg_attr") && jumps::mentions(list.tokens.clone(), "cfg"),
        _ => false,
    })
}

/// The `#[cfg]` of a statement.
pub(super) fn of_statement(statement: &Stmt) -> Option<&Attribute> {
    match statement {
        Stmt::Local(local) => cfg(&local.attrs),
        Stmt::Macro(statement) => cfg(&statement.attrs),
        Stmt::Expr(expr, _) => of_expr(expr),
        Stmt::Item(_) => None,
    }
}

/// The `#[cfg]` of an expression. Before `a = b`, `a + b` and `a as b` it belongs to the whole, but is parsed as that of `a`.
pub(super) fn of_expr(expr: &Expr) -> Option<&Attribute> {
    let mut own = Own { entered: false, found: None };
    own.visit_expr(expr);
    own.found.or_else(|| match expr {
        Expr::Assign(assign) => of_expr(&assign.left),
        Expr::Binary(binary) => of_expr(&binary.left),
        Expr::Cast(cast) => of_expr(&cast.expr),
        _ => None,
    })
}

/// The attributes of one expression and nothing below it. A visitor, because it knows every form of expression.
struct Own<'a> {
    entered: bool,
    found: Option<&'a Attribute>,
}

impl<'a> Visit<'a> for Own<'a> {
    fn visit_attribute(&mut self, attribute: &'a Attribute) {
        self.found = self.found.or(cfg(std::slice::from_ref(attribute)));
    }
    fn visit_expr(&mut self, expr: &'a Expr) {
        if !std::mem::replace(&mut self.entered, true) {
            visit::visit_expr(self, expr);
        }
    }
    fn visit_arm(&mut self, _: &'a Arm) {}
    fn visit_block(&mut self, _: &'a Block) {}
    fn visit_field_value(&mut self, _: &'a FieldValue) {}
    fn visit_pat(&mut self, _: &'a Pat) {}
}

/// Reports every `#[cfg]` on something that awaits.
pub(super) fn refuse(body: &Block, errors: &mut Errors) {
    Conditions(errors).visit_block(body);
}

struct Conditions<'a>(&'a mut Errors);

impl Conditions<'_> {
    /// Whether it goes on below: what stands under a condition that was reported is not reported again.
    fn reports(&mut self, condition: Option<&Attribute>, awaits: impl FnOnce() -> bool) -> bool {
        match condition {
            Some(condition) if awaits() => {
                self.0.at(condition, messages::CONDITIONAL_STEP);
                true
            }
            _ => false,
        }
    }
}

impl<'a> Visit<'a> for Conditions<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if !self.reports(of_statement(statement), || jumps::awaits_in(statement)) {
            visit::visit_stmt(self, statement);
        }
    }
    fn visit_expr(&mut self, expr: &'a Expr) {
        if !self.reports(of_expr(expr), || jumps::awaits_in_expr(expr)) {
            visit::visit_expr(self, expr);
        }
    }
    fn visit_arm(&mut self, arm: &'a Arm) {
        if !self.reports(cfg(&arm.attrs), || jumps::awaits_in_arm(arm)) {
            visit::visit_arm(self, arm);
        }
    }
    fn visit_field_value(&mut self, field: &'a FieldValue) {
        if !self.reports(cfg(&field.attrs), || jumps::awaits_in_expr(&field.expr)) {
            visit::visit_field_value(self, field);
        }
    }
    fn visit_item(&mut self, _: &'a syn::Item) {}
}
