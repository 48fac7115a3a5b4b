//! The order rules of a saga, decided from its machine alone: `compensable* pivot? retriable*`, and `requires` on every path.
//!
//! Source of the rule: Mehrotra, Rastogi, Korth, Silberschatz, "A transaction model for multidatabase systems", ICDCS 1992.
//! Everything here is a `const fn`, so that `#[saga]` can ask it while the user's crate compiles; it is also plain code that
//! tests call. It must not know where the nodes came from.

use super::{Definition, Node, NodeKind, On, Returned};
use crate::contract::{StepContract, StepName};

/// The largest number of states in one saga body. Larger bodies do not compile: split them.
pub const LONGEST_BODY: usize = 256;

/// What is wrong at one node. One node has at most one fault: the first that applies, in the order of the variants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// Awaited, but neither a step nor a wait.
    NotJournaled,
    /// A wait with no end that was not declared `forever()`.
    EndlessWait,
    /// Two different steps of this saga have the same journal name.
    SameName,
    /// `requires(..)` is not met on every path; the index into the step's `requires`.
    Missing(usize),
    /// A second pivot that can be refused after the first, whose node is named.
    SecondPivot(usize),
    /// A step that can be refused after the pivot, whose node is named.
    RefusableAfterPivot(usize),
    /// An `Err` returned after the pivot, whose node is named.
    ErrAfterPivot(usize),
    /// A returned expression after the pivot, whose node is named, that may be an `Err` for all that can be read.
    MaybeErrAfterPivot(usize),
}

/// What holds when a node is reached, for every node of a body.
#[derive(Debug, Clone, Copy)]
pub struct Flow {
    /// The node of an irreversible step that may have completed before; `None` before any pivot.
    pivot: [Option<u16>; LONGEST_BODY],
    reached: [bool; LONGEST_BODY],
    count: usize,
}

impl Flow {
    /// Walks the machine to its fixed point. Loops feed back, branches join: one path past the pivot is enough.
    pub const fn of(definition: &Definition) -> Flow {
        let nodes = definition.nodes;
        assert!(nodes.len() <= LONGEST_BODY, "this saga body has more than 256 states: split it");
        let mut flow = Flow { pivot: [None; LONGEST_BODY], reached: [false; LONGEST_BODY], count: nodes.len() };
        if nodes.is_empty() {
            return flow;
        }
        flow.reached[0] = true;
        let mut changed = true;
        while changed {
            changed = false;
            let mut index = 0;
            while index < nodes.len() {
                if flow.reached[index] {
                    let node = &nodes[index];
                    let mut edge = 0;
                    while edge < node.next.len() {
                        let to = node.next[edge].to as usize;
                        if can_be_taken(node, node.next[edge].on) {
                            if !flow.reached[to] {
                                flow.reached[to] = true;
                                changed = true;
                            }
                            let after = pivot_after(node, index, node.next[edge].on, flow.pivot[index]);
                            if flow.pivot[to].is_none() && after.is_some() {
                                flow.pivot[to] = after;
                                changed = true;
                            }
                        }
                        edge += 1;
                    }
                }
                index += 1;
            }
        }
        flow
    }

    /// What is wrong at node `index`.
    pub const fn fault(&self, definition: &Definition, index: usize) -> Fault {
        let nodes = definition.nodes;
        if index >= self.count || !self.reached[index] {
            return Fault::None;
        }
        match nodes[index].kind {
            NodeKind::NotJournaled(_) => Fault::NotJournaled,
            NodeKind::Signal { bounded: false, .. } => Fault::EndlessWait,
            NodeKind::Step(contract) => self.step_fault(nodes, index, contract),
            NodeKind::Return(returned) => match (returned, self.pivot[index]) {
                (Returned::Err, Some(pivot)) => Fault::ErrAfterPivot(pivot as usize),
                (Returned::Either, Some(pivot)) => Fault::MaybeErrAfterPivot(pivot as usize),
                _ => Fault::None,
            },
            _ => Fault::None,
        }
    }

    const fn step_fault(&self, nodes: &[Node], index: usize, contract: &StepContract) -> Fault {
        let mut other = 0;
        while other < index {
            if let NodeKind::Step(earlier) = nodes[other].kind
                && same_text(earlier.name, contract.name)
                && !same_text(earlier.module, contract.module)
            {
                return Fault::SameName;
            }
            other += 1;
        }
        let mut required = 0;
        while required < contract.requires.len() {
            // What is no step has no name, and has been reported where it is required.
            let named = !contract.requires[required].name.is_empty();
            if named && !met_on_every_path(nodes, index, contract.requires[required]) {
                return Fault::Missing(required);
            }
            required += 1;
        }
        match self.pivot[index] {
            Some(pivot) if !contract.retriable => {
                if contract.is_irreversible() {
                    Fault::SecondPivot(pivot as usize)
                } else {
                    Fault::RefusableAfterPivot(pivot as usize)
                }
            }
            _ => Fault::None,
        }
    }
}

/// A retriable step is never refused: the edge of its `Err` leads nowhere.
const fn can_be_taken(node: &Node, on: On) -> bool {
    match (node.kind, on) {
        (NodeKind::Step(contract), On::Refused) => !contract.retriable,
        _ => true,
    }
}

/// The way out of a refused call carries no pivot: where there was one before, the call itself is the fault.
const fn pivot_after(node: &Node, index: usize, on: On, before: Option<u16>) -> Option<u16> {
    if matches!((node.kind, on), (NodeKind::Step(_), On::Refused)) {
        return None;
    }
    if before.is_some() {
        return before;
    }
    match (node.kind, on) {
        (NodeKind::Step(contract), On::Done | On::Any) if contract.is_irreversible() => Some(index as u16),
        _ => None,
    }
}

/// Whether `target` can only be reached through a completed `required`: looks for a path around it.
const fn met_on_every_path(nodes: &[Node], target: usize, required: StepName) -> bool {
    let mut around = [false; LONGEST_BODY];
    around[0] = true;
    let mut changed = true;
    while changed {
        changed = false;
        let mut index = 0;
        while index < nodes.len() {
            if around[index] {
                let node = &nodes[index];
                let completes = match node.kind {
                    NodeKind::Step(contract) => {
                        same_text(contract.name, required.name) && same_text(contract.module, required.module)
                    }
                    _ => false,
                };
                let mut edge = 0;
                while edge < node.next.len() {
                    let on = node.next[edge].on;
                    let to = node.next[edge].to as usize;
                    let goes_around = !completes || !matches!(on, On::Done);
                    if goes_around && can_be_taken(node, on) && !around[to] {
                        around[to] = true;
                        changed = true;
                    }
                    edge += 1;
                }
            }
            index += 1;
        }
    }
    !around[target]
}

/// `==` on texts is not yet available in constants.
pub(crate) const fn same_text(left: &str, right: &str) -> bool {
    let (left, right) = (left.as_bytes(), right.as_bytes());
    if left.len() != right.len() {
        return false;
    }
    let mut index = 0;
    while index < left.len() {
        if left[index] != right[index] {
            return false;
        }
        index += 1;
    }
    true
}
