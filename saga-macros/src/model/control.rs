//! Branches, loops and jumps of a body.

use super::body::{Scope, Walk, exit, label_all};
use super::conditional;
use super::graph::{Frontier, Kind, Outcome, label};
use super::jumps;
use super::patterns::cover;
use quote::quote;
use std::collections::HashSet;
use syn::{
    BinOp, Expr, ExprBlock, ExprBreak, ExprContinue, ExprForLoop, ExprIf, ExprLoop, ExprMatch, ExprWhile, Pat, UnOp,
};

impl Walk<'_> {
    pub(super) fn branch(&mut self, branch: &ExprIf, from: Frontier) -> Outcome {
        let known = self.graph.nodes.len();
        let leaves = jumps::in_block(&branch.then_branch, 0)
            || branch.else_branch.as_ref().is_some_and(|(_, otherwise)| jumps::in_expr(otherwise));
        let (mut yes, mut no) = self.condition(&branch.cond, from);
        if leaves {
            match &*branch.cond {
                Expr::Let(_) | Expr::Binary(_) if fresh(&self.graph.nodes, known, &yes) => {}
                _ if splits(&yes, &no) => {}
                cond => {
                    let node = self.graph.place(Kind::Branch(label(cond)), quote!(), [yes, no].concat());
                    (yes, no) = (vec![exit(node)], vec![exit(node)]);
                }
            }
            if let Expr::Let(condition) = &*branch.cond {
                label_all(&mut yes, &label(&condition.pat));
            }
            label_all(&mut no, "else");
        }
        let mut outcome = self.block(&branch.then_branch, yes);
        outcome.join(match &branch.else_branch {
            Some((_, otherwise)) => self.expr(otherwise, no),
            None => Outcome::unknown(no),
        });
        outcome
    }

    /// Where the flow stands when a condition holds, and when it does not.
    pub(super) fn condition(&mut self, cond: &Expr, from: Frontier) -> (Frontier, Frontier) {
        match cond {
            Expr::Let(condition) => {
                let value = self.expr(&condition.expr, from);
                self.divide(value, &condition.pat)
            }
            Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
                let (yes, no) = self.condition(&binary.left, from);
                let (both, second) = self.condition(&binary.right, yes);
                (both, [no, second].concat())
            }
            Expr::Binary(binary) if matches!(binary.op, BinOp::Or(_)) => {
                let (yes, no) = self.condition(&binary.left, from);
                let (second, neither) = self.condition(&binary.right, no);
                ([yes, second].concat(), neither)
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                let (yes, no) = self.condition(&unary.expr, from);
                (no, yes)
            }
            Expr::Paren(inner) => self.condition(&inner.expr, from),
            Expr::MethodCall(call) if call.args.is_empty() && (call.method == "is_ok" || call.method == "is_err") => {
                let Outcome { mut ok, mut err, other } = self.expr(&call.receiver, from);
                ok.extend(other.iter().cloned());
                err.extend(other);
                if call.method == "is_ok" { (ok, err) } else { (err, ok) }
            }
            _ => {
                let after = self.expr(cond, from).all();
                (after.clone(), after)
            }
        }
    }

    pub(super) fn choice(&mut self, choice: &ExprMatch, from: Frontier) -> Outcome {
        let known = self.graph.nodes.len();
        let mut value = self.expr(&choice.expr, from);
        let leaves = choice.arms.iter().any(|arm| jumps::in_expr(&arm.body));
        let direct = value.exits().all(|exit| exit.from >= known && self.graph.is_site(exit.from));
        if leaves && !direct && value.ok.is_empty() && value.err.is_empty() {
            let node = self.graph.place(Kind::Branch(label(&choice.expr)), quote!(), value.all());
            value = Outcome::unknown(vec![exit(node)]);
        }
        let mut outcome = Outcome::default();
        for arm in &choice.arms {
            let (pat, guard) = match &arm.pat {
                Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
                pat => (pat, None),
            };
            let (mut taken, _) = self.divide(value.clone(), pat);
            if leaves {
                label_all(&mut taken, &label(&arm.pat));
            }
            if let Some(guard) = guard {
                let (yes, no) = self.condition(guard, taken);
                taken = yes;
                // What the guard awaited has happened, whichever arm is taken in the end.
                if jumps::awaits_in_expr(guard) {
                    value.other.extend(no);
                }
            }
            let cover = cover(&arm.pat);
            let conditional = conditional::cfg(&arm.attrs).is_some();
            if cover.all_ok && !conditional {
                value.ok.clear();
            }
            if cover.all_err && !conditional {
                value.err.clear();
            }
            outcome.join(self.expr(&arm.body, taken));
        }
        outcome
    }

    pub(super) fn cycle(&mut self, cycle: &ExprLoop, from: Frontier) -> Outcome {
        if !jumps::in_block(&cycle.body, 1) {
            return self.round(cycle.label.as_ref(), &cycle.body, from);
        }
        let head = self.graph.place(Kind::Branch("loop".to_owned()), quote!(), from);
        self.enter(cycle.label.as_ref(), Some(head));
        let end = self.block(&cycle.body, vec![exit(head)]).all();
        self.graph.connect(end, head);
        self.exit_scope()
    }

    pub(super) fn while_loop(&mut self, cycle: &ExprWhile, from: Frontier) -> Outcome {
        if !jumps::in_block(&cycle.body, 1) && !jumps::in_expr(&cycle.cond) {
            let _ = self.condition(&cycle.cond, Vec::new());
            return self.round(cycle.label.as_ref(), &cycle.body, from);
        }
        let text = format!("while {}", label(&cycle.cond));
        let head = self.graph.place(Kind::Branch(text), quote!(), from);
        self.enter(cycle.label.as_ref(), Some(head));
        let (yes, no) = self.condition(&cycle.cond, vec![exit(head)]);
        let end = self.block(&cycle.body, yes).all();
        self.graph.connect(end, head);
        let mut outcome = self.exit_scope();
        outcome.other.extend(no);
        outcome
    }

    pub(super) fn for_loop(&mut self, cycle: &ExprForLoop, from: Frontier) -> Outcome {
        let from = self.expr(&cycle.expr, from).all();
        if !jumps::in_block(&cycle.body, 1) {
            return self.round(cycle.label.as_ref(), &cycle.body, from);
        }
        let text = format!("for {} in {}", label(&cycle.pat), label(&cycle.expr));
        let head = self.graph.place(Kind::Branch(text), quote!(), from);
        self.enter(cycle.label.as_ref(), Some(head));
        let end = self.block(&cycle.body, vec![exit(head)]).all();
        self.graph.connect(end, head);
        let mut outcome = self.exit_scope();
        outcome.other.push(exit(head));
        outcome
    }

    /// A loop in which nothing is awaited has no place in the machine, but the handle may be misused in it.
    fn round(&mut self, label: Option<&syn::Label>, body: &syn::Block, from: Frontier) -> Outcome {
        self.enter(label, Some(0));
        let _ = self.block(body, Vec::new());
        self.exit_scope();
        Outcome::unknown(from)
    }

    pub(super) fn labelled(&mut self, block: &ExprBlock, from: Frontier) -> Outcome {
        if block.label.is_none() {
            return self.block(&block.block, from);
        }
        self.enter(block.label.as_ref(), None);
        let mut outcome = self.block(&block.block, from);
        outcome.join(self.exit_scope());
        outcome
    }

    fn enter(&mut self, label: Option<&syn::Label>, head: Option<usize>) {
        let label = label.map(|label| label.name.ident.to_string());
        self.scopes.push(Scope { label, head, breaks: Outcome::default() });
    }

    fn exit_scope(&mut self) -> Outcome {
        self.scopes.pop().map(|scope| scope.breaks).unwrap_or_default()
    }

    fn target(&mut self, label: Option<&syn::Lifetime>) -> Option<&mut Scope> {
        let label = label.map(|label| label.ident.to_string());
        self.scopes.iter_mut().rev().find(|scope| match &label {
            Some(_) => scope.label == label,
            None => scope.head.is_some(),
        })
    }

    pub(super) fn jump_out(&mut self, jump: &ExprBreak, from: Frontier) -> Outcome {
        let value = match &jump.expr {
            Some(value) => self.expr(value, from),
            None => Outcome::unknown(from),
        };
        if let Some(scope) = self.target(jump.label.as_ref()) {
            scope.breaks.join(value);
        }
        Outcome::default()
    }

    /// Every jump that is open here: out of each loop and labelled block around, and back to the head of each loop.
    pub(super) fn jump_anywhere(&mut self, from: &Frontier) {
        for scope in &mut self.scopes {
            scope.breaks.other.extend(from.iter().cloned());
            if let Some(head) = scope.head {
                self.graph.connect(from.clone(), head);
            }
        }
    }

    pub(super) fn jump_back(&mut self, jump: &ExprContinue, from: Frontier) -> Outcome {
        if let Some(head) = self.target(jump.label.as_ref()).and_then(|scope| scope.head) {
            self.graph.connect(from, head);
        }
        Outcome::default()
    }
}

/// Whether all loose ends come from an awaited call that was placed since `known`: its arrows can carry the words themselves.
fn fresh(nodes: &[super::graph::GraphNode], known: usize, frontier: &Frontier) -> bool {
    frontier.iter().all(|exit| exit.from >= known && matches!(nodes[exit.from].kind, Kind::Site(_)))
}

/// Whether the condition has already parted the flow: no diamond is needed, and it would join what is known apart.
fn splits(yes: &Frontier, no: &Frontier) -> bool {
    let key = |frontier: &Frontier| frontier.iter().map(|exit| (exit.from, exit.on)).collect::<HashSet<_>>();
    key(yes) != key(no)
}
