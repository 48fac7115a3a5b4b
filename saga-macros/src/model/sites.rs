//! Awaited calls: the only places where a body may wait, and what counts as one.

use super::body::Walk;
use super::graph::{Exit, Frontier, Kind, On, Outcome, Site};
use super::jumps;
use crate::check::forbidden;
use crate::messages;
use quote::ToTokens;
use syn::{Expr, ExprAwait, ExprCall, ExprMethodCall, PathArguments};

/// Waits whose value is no `Result`. A user's step of the same name is treated with more caution than it needs, no less.
const WAITS: &[&str] = &["signal", "sleep", "now", "new_uuid"];

impl Walk<'_> {
    pub(super) fn awaited(&mut self, wait: &ExprAwait, mut from: Frontier) -> Outcome {
        let mut base = plain(&wait.base);
        let mut chained = Vec::new();
        while let Expr::MethodCall(call) = base {
            if !takes_handle(base_of(base), &self.handle) {
                break;
            }
            chained.push(call);
            base = plain(&call.receiver);
        }
        let Expr::Call(call) = base else { return self.not_journaled(wait, from) };
        if !is_handle(call.args.first(), &self.handle) {
            return self.not_journaled(wait, from);
        }
        let Expr::Path(function) = plain(&call.func) else {
            self.errors.at(&call.func, messages::CALLED_BY_VALUE);
            return Outcome::unknown(from);
        };
        if let Some(name) = function.path.get_ident().filter(|name| self.callable.contains(&name.to_string())) {
            self.errors.at(name, messages::bound_inside(name));
            return Outcome::unknown(from);
        }
        if let Some(unknown) = chained.iter().find(|call| call.method != "within" && call.method != "forever") {
            self.placed.at(call, &unknown.method, messages::chained_before_await(&unknown.method));
            return Outcome::unknown(from);
        }
        if function.qself.is_some() || function.path.segments.iter().rev().skip(1).any(|part| !part.arguments.is_none())
        {
            self.errors.at(function, messages::CALLED_BY_VALUE);
            return Outcome::unknown(from);
        }
        for argument in call.args.iter().skip(1).chain(chained.iter().rev().flat_map(|call| &call.args)) {
            from = self.expr(argument, from).all();
        }
        let mut path = function.path.clone();
        let generics = path.segments.last_mut().and_then(|last| match std::mem::take(&mut last.arguments) {
            PathArguments::AngleBracketed(generics) => Some(generics),
            _ => None,
        });
        let is = |names: &[&str]| path.segments.last().is_some_and(|last| names.iter().any(|name| last.ident == name));
        if generics.is_none() && is(&["signal"]) {
            self.errors.at(function, messages::SIGNAL_WITHOUT_TYPE);
            return Outcome::unknown(from);
        }
        let value_is_plain = generics.is_some() || !chained.is_empty() || is(WAITS);
        let site = Site { path: self.graph.path(&path), bounded: generics.is_none() || !chained.is_empty(), generics };
        let node = self.graph.place(Kind::Site(site), function.to_token_stream(), from);
        let end = |on| vec![Exit { from: node, on, label: String::new() }];
        if value_is_plain {
            return Outcome::unknown(end(On::Any));
        }
        Outcome { ok: end(On::Done), err: end(On::Refused), other: Vec::new() }
    }

    /// An awaited thing that is no call with the handle.
    fn not_journaled(&mut self, wait: &ExprAwait, from: Frontier) -> Outcome {
        match plain(&wait.base) {
            // Already reported, with its substitute.
            Expr::Call(call) if forbidden::called(call).is_some() => {}
            Expr::Async(block) => self.errors.at(block.async_token, messages::ASYNC_BLOCK),
            // What follows from a misuse that has been reported.
            _ if self.astray => {}
            base => self.placed.at(base, base, messages::not_journaled(&self.handle)),
        }
        Outcome::unknown(from)
    }

    pub(super) fn call(&mut self, call: &ExprCall, from: Frontier) -> Outcome {
        if is_handle(call.args.first(), &self.handle) {
            self.placed.at(call, &call.func, messages::not_awaited(&self.handle));
            self.astray = true;
            return Outcome::unknown(from);
        }
        let mut after = self.expr(&call.func, from).all();
        for argument in &call.args {
            after = self.expr(argument, after).all();
        }
        match result_variant(&call.func) {
            Some(true) => Outcome { ok: after, ..Outcome::default() },
            Some(false) => Outcome { err: after, ..Outcome::default() },
            None => Outcome::unknown(after),
        }
    }

    pub(super) fn method(&mut self, call: &ExprMethodCall, from: Frontier) -> Outcome {
        if takes_handle(base_of(&call.receiver), &self.handle) {
            let base = base_of(&call.receiver);
            self.placed.at(base, base, messages::not_awaited(&self.handle));
            return Outcome::unknown(from);
        }
        let value = self.expr(&call.receiver, from);
        if call.args.iter().any(jumps::in_expr) {
            let after = call.args.iter().fold(value.all(), |from, argument| self.expr(argument, from).all());
            return Outcome::unknown(after);
        }
        for argument in &call.args {
            // No jumps in them, but the handle may be misused there.
            let _ = self.expr(argument, Vec::new());
        }
        let Outcome { ok, err, mut other } = value;
        match call.method.to_string().as_str() {
            "map" | "map_err" | "inspect" | "inspect_err" | "as_ref" | "as_mut" | "as_deref" | "copied" | "cloned" => {
                Outcome { ok, err, other }
            }
            "and_then" => {
                other.extend(ok);
                Outcome { ok: Vec::new(), err, other }
            }
            "or_else" => {
                other.extend(err);
                Outcome { ok, err: Vec::new(), other }
            }
            _ => Outcome::unknown(Outcome { ok, err, other }.all()),
        }
    }
}

/// Without parentheses and invisible groups.
fn plain(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(inner) => plain(&inner.expr),
        Expr::Group(inner) => plain(&inner.expr),
        _ => expr,
    }
}

/// What a chain of methods is called on.
fn base_of(expr: &Expr) -> &Expr {
    match plain(expr) {
        Expr::MethodCall(call) => base_of(&call.receiver),
        base => base,
    }
}

fn takes_handle(expr: &Expr, handle: &str) -> bool {
    matches!(expr, Expr::Call(call) if is_handle(call.args.first(), handle))
}

fn is_handle(argument: Option<&Expr>, handle: &str) -> bool {
    match argument.map(plain) {
        Some(Expr::Path(path)) => path.path.is_ident(handle),
        // `&mut *cx`, as it is written where a reborrow must be spelled out.
        Some(Expr::Reference(reference)) => match plain(&reference.expr) {
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => is_handle(Some(&unary.expr), handle),
            _ => false,
        },
        _ => false,
    }
}

/// `Some(true)` for `Ok`, `Some(false)` for `Err`.
fn result_variant(function: &Expr) -> Option<bool> {
    let Expr::Path(path) = plain(function) else { return None };
    let mut last = path.path.segments.iter().rev();
    let variant = last.next()?;
    if last.next().is_some_and(|parent| parent.ident != "Result") {
        return None;
    }
    if variant.ident == "Ok" {
        Some(true)
    } else if variant.ident == "Err" {
        Some(false)
    } else {
        None
    }
}
