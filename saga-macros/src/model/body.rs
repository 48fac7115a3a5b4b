//! Reads the control flow of a body into a machine. Decides where the flow can go; knows nothing of what steps promise.
//!
//! The walk follows the order of evaluation. It carries the loose ends of the flow, by what is known of the value, and fails
//! closed: what cannot be read may go either way.

use super::graph::{Exit, Frontier, Graph, Kind, On, Outcome, Returned};
use super::jumps::{self, Hides};
use super::patterns::cover;
use crate::errors::Errors;
use crate::messages;
use quote::{ToTokens, quote};
use std::collections::HashMap;
use syn::{Attribute, Block, Expr, Ident, Macro, Stmt};

/// The walk over one body.
pub(super) struct Walk<'a> {
    pub(super) graph: Graph,
    pub(super) errors: &'a mut Errors,
    /// The name of the handle, the body's first parameter.
    pub(super) handle: String,
    pub(super) scopes: Vec<Scope>,
    /// Variables that hold the result of a call, by the nodes of these calls.
    pub(super) results: HashMap<String, Vec<usize>>,
    /// Names that are bound more than once: they are not followed.
    pub(super) rebound: Vec<String>,
    /// Names that the body binds to something that can be called.
    pub(super) callable: std::collections::HashSet<String>,
    /// Whether a misuse of the handle has been reported: what follows from it is not reported on top.
    pub(super) astray: bool,
    completed: Option<usize>,
    refused: Option<usize>,
}

/// A loop or a labelled block that can be left by a jump.
pub(super) struct Scope {
    pub(super) label: Option<String>,
    /// Where `continue` leads, if this is a loop.
    pub(super) head: Option<usize>,
    pub(super) breaks: Outcome,
}

impl<'a> Walk<'a> {
    /// Reads a whole body.
    pub(super) fn body(handle: String, body: &Block, errors: &'a mut Errors) -> Graph {
        let rebound = super::bindings::bound_twice(body);
        let mut walk = Walk {
            graph: Graph::default(),
            errors,
            handle,
            scopes: Vec::new(),
            results: HashMap::new(),
            rebound,
            callable: super::bindings::callable(body),
            astray: false,
            completed: None,
            refused: None,
        };
        let start = walk.graph.place(Kind::Start, quote!(), Vec::new());
        let end = walk.block(body, vec![exit(start)]);
        let at = match body.stmts.last() {
            Some(Stmt::Expr(tail, None)) => tail.to_token_stream(),
            _ => quote!(),
        };
        walk.returns(end, &at);
        walk.graph
    }

    pub(super) fn block(&mut self, block: &Block, from: Frontier) -> Outcome {
        let mut outcome = Outcome::unknown(from);
        for statement in &block.stmts {
            let before = std::mem::take(&mut outcome).all();
            let skipped = conditional(statement).map(|_| before.clone());
            outcome = self.statement(statement, before);
            if let (Some(skipped), Some(condition)) = (skipped, conditional(statement)) {
                if jumps::awaits_in(statement) {
                    self.errors.at(condition, messages::CONDITIONAL_STEP);
                }
                outcome.other.extend(skipped);
            }
        }
        outcome
    }

    fn statement(&mut self, statement: &Stmt, from: Frontier) -> Outcome {
        match statement {
            Stmt::Local(local) => {
                let Some(init) = &local.init else { return Outcome::unknown(from) };
                let value = self.expr(&init.expr, from);
                match &init.diverge {
                    Some((_, diverge)) => {
                        let (matched, mut rest) = self.divide(value, &local.pat);
                        label_all(&mut rest, "else");
                        // It must diverge, which the compiler checks: its end leads nowhere.
                        let _ = self.expr(diverge, rest);
                        Outcome::unknown(matched)
                    }
                    None => {
                        self.remember(&local.pat, &value);
                        Outcome::unknown(value.all())
                    }
                }
            }
            Stmt::Item(syn::Item::Macro(item)) => Outcome::unknown(self.macro_call(&item.mac, from)),
            Stmt::Item(_) => Outcome::unknown(from),
            Stmt::Expr(expr, None) => self.expr(expr, from),
            Stmt::Expr(expr, Some(_)) => Outcome::unknown(self.expr(expr, from).all()),
            Stmt::Macro(statement) => Outcome::unknown(self.macro_call(&statement.mac, from)),
        }
    }

    /// Follows a plain variable that holds the result of a call, so that a later `match` on it is understood.
    fn remember(&mut self, pat: &syn::Pat, value: &Outcome) {
        let syn::Pat::Ident(name) = pat else { return };
        let text = name.ident.to_string();
        let from_calls = value.other.is_empty()
            && value.ok.iter().all(|exit| exit.on == On::Done)
            && value.err.iter().all(|exit| exit.on == On::Refused)
            && value.exits().next().is_some();
        if from_calls && name.mutability.is_none() && name.subpat.is_none() && !self.rebound.contains(&text) {
            self.results.insert(text, value.exits().map(|exit| exit.from).collect());
        }
    }

    fn variable(&self, name: &Ident, from: Frontier) -> Outcome {
        let mut outcome = Outcome::default();
        let calls = self.results.get(&name.to_string());
        for exit in from {
            let known = calls.is_some_and(|calls| calls.contains(&exit.from));
            match exit.on {
                On::Done if known => outcome.ok.push(exit),
                On::Refused if known => outcome.err.push(exit),
                _ => outcome.other.push(exit),
            }
        }
        outcome
    }

    pub(super) fn expr(&mut self, expr: &Expr, from: Frontier) -> Outcome {
        match expr {
            Expr::Await(wait) => self.awaited(wait, from),
            Expr::Try(attempt) => self.question(attempt, from),
            Expr::Return(jump) => {
                let value = match &jump.expr {
                    Some(value) => self.expr(value, from),
                    None => Outcome::unknown(from),
                };
                self.returns(value, &jump.to_token_stream());
                Outcome::default()
            }
            Expr::Break(jump) => self.jump_out(jump, from),
            Expr::Continue(jump) => self.jump_back(jump, from),
            Expr::If(branch) => self.branch(branch, from),
            Expr::Match(choice) => self.choice(choice, from),
            Expr::Loop(cycle) => self.cycle(cycle, from),
            Expr::While(cycle) => self.while_loop(cycle, from),
            Expr::ForLoop(cycle) => self.for_loop(cycle, from),
            Expr::Block(block) => self.labelled(block, from),
            Expr::Unsafe(block) => self.block(&block.block, from),
            Expr::Paren(inner) => self.expr(&inner.expr, from),
            Expr::Group(inner) => self.expr(&inner.expr, from),
            Expr::Reference(inner) => self.expr(&inner.expr, from),
            Expr::Path(path) => match path.path.get_ident() {
                Some(name) if *name == self.handle => {
                    self.errors.at(name, messages::handle_used(&self.handle));
                    self.astray = true;
                    Outcome::unknown(from)
                }
                Some(name) => self.variable(name, from),
                None => Outcome::unknown(from),
            },
            Expr::Call(call) => self.call(call, from),
            Expr::MethodCall(call) => self.method(call, from),
            Expr::Macro(call) => Outcome::unknown(self.macro_call(&call.mac, from)),
            Expr::Closure(closure) => {
                if jumps::mentions(closure.to_token_stream(), &self.handle) {
                    self.errors.at(closure.inputs_begin, messages::handle_in_closure(&self.handle));
                    self.astray = true;
                }
                Outcome::unknown(from)
            }
            Expr::Async(block) => {
                let tokens = block.block.to_token_stream();
                if jumps::mentions(tokens.clone(), "await") || jumps::mentions(tokens, &self.handle) {
                    self.errors.at(block.async_token, messages::ASYNC_BLOCK);
                }
                Outcome::unknown(from)
            }
            Expr::Yield(_) | Expr::TryBlock(_) | Expr::Verbatim(_) => {
                self.errors.at(expr, messages::UNREADABLE);
                Outcome::unknown(from)
            }
            Expr::Binary(binary) if matches!(binary.op, syn::BinOp::And(_) | syn::BinOp::Or(_)) => {
                let (yes, no) = self.condition(expr, from);
                Outcome::unknown([yes, no].concat())
            }
            _ => Outcome::unknown(self.parts(expr, from)),
        }
    }

    /// Everything else: its parts in the order in which they are evaluated.
    fn parts(&mut self, expr: &Expr, from: Frontier) -> Frontier {
        let parts: Vec<&Expr> = match expr {
            Expr::Array(array) => array.elems.iter().collect(),
            Expr::Assign(assign) => vec![&*assign.right, &*assign.left],
            Expr::Binary(binary) => vec![&*binary.left, &*binary.right],
            Expr::Cast(cast) => vec![&*cast.expr],
            Expr::Field(field) => vec![&*field.base],
            Expr::Index(index) => vec![&*index.expr, &*index.index],
            Expr::Let(condition) => vec![&*condition.expr],
            Expr::Range(range) => range.start.iter().chain(&range.end).map(|part| &**part).collect(),
            Expr::RawAddr(address) => vec![&*address.expr],
            Expr::Repeat(repeat) => vec![&*repeat.expr],
            Expr::Struct(literal) => {
                literal.fields.iter().map(|field| &field.expr).chain(literal.rest.as_deref()).collect()
            }
            Expr::Tuple(tuple) => tuple.elems.iter().collect(),
            Expr::Unary(unary) => vec![&*unary.expr],
            _ => Vec::new(),
        };
        parts.into_iter().fold(from, |from, part| self.expr(part, from).all())
    }

    fn macro_call(&mut self, mac: &Macro, from: Frontier) -> Frontier {
        if jumps::mentions(mac.tokens.clone(), "await") || jumps::mentions(mac.tokens.clone(), &self.handle) {
            self.errors.at(&mac.path, messages::await_in_macro(&mac.path));
            return from;
        }
        match jumps::hides(mac) {
            Hides::Nothing => from,
            Hides::End => Vec::new(),
            Hides::Error => {
                self.leave(Returned::Either, mac.path.to_token_stream(), from.clone());
                from
            }
        }
    }

    fn question(&mut self, attempt: &syn::ExprTry, from: Frontier) -> Outcome {
        let Outcome { ok, mut err, other } = self.expr(&attempt.expr, from);
        err.extend(other.iter().cloned());
        self.leave(Returned::Err, attempt.question_token.to_token_stream(), err);
        Outcome::unknown([ok, other].concat())
    }

    /// The body returns this value.
    pub(super) fn returns(&mut self, value: Outcome, at: &proc_macro2::TokenStream) {
        let Outcome { ok, err, other } = value;
        self.leave(Returned::Ok, at.clone(), ok);
        self.leave(Returned::Err, at.clone(), err);
        self.leave(Returned::Either, at.clone(), other);
    }

    /// What cannot be a fault shares one state: completion, and the way out of a call that was refused.
    fn leave(&mut self, returned: Returned, at: proc_macro2::TokenStream, from: Frontier) {
        if from.is_empty() {
            return;
        }
        let shared = match returned {
            Returned::Ok => &mut self.completed,
            Returned::Err if from.iter().all(|exit| exit.on == On::Refused) => &mut self.refused,
            _ => {
                self.graph.place(Kind::Return(returned), at, from);
                return;
            }
        };
        match *shared {
            Some(node) => self.graph.connect(from, node),
            None => *shared = Some(self.graph.place(Kind::Return(returned), quote!(), from)),
        }
    }

    /// The part of a value that a pattern may match, and the part that it may not.
    pub(super) fn divide(&mut self, value: Outcome, pat: &syn::Pat) -> (Frontier, Frontier) {
        let cover = cover(pat);
        let Outcome { ok, err, other } = value;
        let (mut matched, mut rest) = (other.clone(), other);
        if cover.ok {
            matched.extend(ok.iter().cloned());
        }
        if cover.err {
            matched.extend(err.iter().cloned());
        }
        if !cover.all_ok {
            rest.extend(ok);
        }
        if !cover.all_err {
            rest.extend(err);
        }
        (matched, rest)
    }
}

pub(super) fn exit(from: usize) -> Exit {
    Exit { from, on: On::Any, label: String::new() }
}

/// Names the loose ends that have no name yet.
pub(super) fn label_all(frontier: &mut Frontier, label: &str) {
    for exit in frontier {
        if exit.label.is_empty() {
            exit.label = label.to_owned();
        }
    }
}

/// The `#[cfg]` of a statement.
fn conditional(statement: &Stmt) -> Option<&Attribute> {
    let attributes = match statement {
        Stmt::Local(local) => &local.attrs,
        Stmt::Macro(statement) => &statement.attrs,
        Stmt::Expr(expr, _) => attributes(expr)?,
        Stmt::Item(_) => return None,
    };
    cfg(attributes)
}

/// The `#[cfg]` among attributes.
pub(super) fn cfg(attributes: &[Attribute]) -> Option<&Attribute> {
    attributes.iter().find(|attribute| attribute.path().is_ident("cfg"))
}

fn attributes(expr: &Expr) -> Option<&[Attribute]> {
    Some(match expr {
        Expr::Await(inner) => &inner.attrs,
        Expr::Try(inner) => &inner.attrs,
        Expr::Return(inner) => &inner.attrs,
        Expr::Break(inner) => &inner.attrs,
        Expr::Continue(inner) => &inner.attrs,
        Expr::If(inner) => &inner.attrs,
        Expr::Match(inner) => &inner.attrs,
        Expr::Loop(inner) => &inner.attrs,
        Expr::While(inner) => &inner.attrs,
        Expr::ForLoop(inner) => &inner.attrs,
        Expr::Block(inner) => &inner.attrs,
        Expr::Call(inner) => &inner.attrs,
        Expr::MethodCall(inner) => &inner.attrs,
        Expr::Assign(inner) => &inner.attrs,
        _ => return None,
    })
}
