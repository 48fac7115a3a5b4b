//! Mistakes that are reported where an expression stands, in its place: it then has the type of an error, and whatever is done with
//! its value is not reported on top. The expression is kept beside it, so that an editor still understands it.
//!
//! Decides how; which expression is a mistake is decided by the walk.

use crate::errors::Errors;
use quote::ToTokens;
use std::ptr;
use syn::visit_mut::{self, VisitMut};
use syn::{Block, Expr, parse_quote};

/// The mistakes of a body, each with the expression that it takes the place of.
#[derive(Default)]
pub(super) struct Placed(Vec<(usize, syn::Error)>);

impl Placed {
    /// A mistake at `tokens` that spoils `expression`, which is part of the body.
    pub(super) fn at<T>(&mut self, expression: &T, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.0.push((ptr::from_ref(expression).addr(), syn::Error::new_spanned(tokens, message)));
    }

    /// Puts all of them into the body. Returns whether there were any.
    pub(super) fn put_into(mut self, body: &mut Block, errors: &mut Errors) -> bool {
        let any = !self.0.is_empty();
        for (_, error) in &self.0 {
            errors.placed(error);
        }
        self.visit_block_mut(body);
        // None is left, unless the body is another one than that which was read.
        for (_, error) in self.0 {
            errors.push(error);
        }
        any
    }

    fn take(&mut self, expression: &Expr) -> Option<syn::Error> {
        let mut addresses = vec![ptr::from_ref(expression).addr()];
        if let Expr::Call(call) = expression {
            addresses.push(ptr::from_ref(call).addr());
        }
        let index = self.0.iter().position(|(address, _)| addresses.contains(address))?;
        Some(self.0.swap_remove(index).1)
    }
}

impl VisitMut for Placed {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        let error = self.take(expression);
        visit_mut::visit_expr_mut(self, expression);
        if let Some(error) = error {
            let report = error.to_compile_error();
            *expression = parse_quote!((match #expression { _ => #report }));
        }
    }
}
