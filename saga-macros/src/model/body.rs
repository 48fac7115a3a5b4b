//! Reads the control flow of a body into a machine. Decides where the flow can go; knows nothing of what steps promise.
//!
//! The walk follows the order of evaluation. It carries the loose ends of the flow, by what is known of the value, and fails
//! closed: what cannot be read may go either way.

use super::conditional;
use super::graph::{Exit, Frontier, Graph, Kind, On, Outcome};
use super::jumps;
use super::placed::Placed;
use crate::errors::Errors;
use crate::messages;
use quote::{ToTokens, quote};
use std::collections::HashMap;
use syn::{Block, Expr, Stmt};

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
    /// Mistakes that are reported in the place of what they spoil.
    pub(super) placed: Placed,
    /// The state in which it is completed.
    pub(super) completed: Option<usize>,
    /// The state in which a refused call leads out.
    pub(super) refused: Option<usize>,
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
    pub(super) fn body(handle: String, body: &Block, errors: &'a mut Errors) -> (Graph, Placed) {
        let rebound = super::bindings::bound_twice(body);
        conditional::refuse(body, errors);
        let mut walk = Walk {
            graph: Graph::default(),
            errors,
            handle,
            scopes: Vec::new(),
            results: HashMap::new(),
            rebound,
            callable: super::bindings::callable(body),
            astray: false,
            placed: Placed::default(),
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
        (walk.graph, walk.placed)
    }

    pub(super) fn block(&mut self, block: &Block, from: Frontier) -> Outcome {
        let mut outcome = Outcome::unknown(from);
        for statement in &block.stmts {
            let before = std::mem::take(&mut outcome).all();
            let skipped = conditional::of_statement(statement).map(|_| before.clone());
            outcome = self.statement(statement, before);
            outcome.other.extend(skipped.into_iter().flatten());
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

    pub(super) fn expr(&mut self, expr: &Expr, from: Frontier) -> Outcome {
        let skipped = conditional::of_expr(expr).map(|_| from.clone());
        let mut outcome = self.evaluated(expr, from);
        outcome.other.extend(skipped.into_iter().flatten());
        outcome
    }

    fn evaluated(&mut self, expr: &Expr, from: Frontier) -> Outcome {
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
                let fields = literal.fields.iter().fold(from, |from, field| {
                    let skipped = conditional::cfg(&field.attrs).map(|_| from.clone());
                    let mut after = self.expr(&field.expr, from).all();
                    after.extend(skipped.into_iter().flatten());
                    after
                });
                return literal.rest.iter().fold(fields, |from, rest| self.expr(rest, from).all());
            }
            Expr::Tuple(tuple) => tuple.elems.iter().collect(),
            Expr::Unary(unary) => vec![&*unary.expr],
            _ => Vec::new(),
        };
        parts.into_iter().fold(from, |from, part| self.expr(part, from).all())
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
