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
///
/// Plain numbers, because the compiler checks each element of an array of anything else when it stores a constant.
#[derive(Debug, Clone, Copy)]
pub struct Flow {
    /// The node of an irreversible step that may have completed before, or one of the two marks.
    pivot: [u16; LONGEST_BODY],
}

/// The node is not reached.
const UNREACHED: u16 = u16::MAX;
/// The node is reached, and no pivot may have completed before.
const NO_PIVOT: u16 = u16::MAX - 1;

impl Flow {
    /// Walks the machine to its fixed point. Loops feed back, branches join: one path past the pivot is enough.
    ///
    /// States come in the order of the text, so that one pass is enough unless a transition leads back. The compiler takes
    /// its time over each operation of a constant: this is written for few of them.
    pub const fn of(definition: &Definition) -> Flow {
        let (nodes, edges) = (definition.nodes, definition.edges);
        assert!(nodes.len() <= LONGEST_BODY, "this saga body has more than 256 states: split it");
        let mut pivot = [UNREACHED; LONGEST_BODY];
        pivot[0] = NO_PIVOT;
        let mut again = true;
        while again {
            again = false;
            let mut index = 0;
            while index < nodes.len() {
                let before = pivot[index];
                if before != UNREACHED {
                    let node = &nodes[index];
                    let [refused, otherwise] = after(&node.kind, index as u16, before);
                    let mut edge = node.first as usize;
                    let end = edge + node.edges as usize;
                    while edge < end {
                        let to = edges[edge].to as usize;
                        let after = if matches!(edges[edge].on, On::Refused) { refused } else { otherwise };
                        // The marks are above every node: a pivot wins over none, and that over not being reached.
                        if pivot[to] >= NO_PIVOT && after < pivot[to] {
                            pivot[to] = after;
                            again |= to <= index && nodes[to].edges > 0;
                        }
                        edge += 1;
                    }
                }
                index += 1;
            }
        }
        Flow { pivot }
    }

    /// What is wrong at node `index`.
    pub const fn fault(&self, definition: &Definition, index: usize) -> Fault {
        let nodes = definition.nodes;
        if index >= nodes.len() || self.pivot[index] == UNREACHED {
            return Fault::None;
        }
        match nodes[index].kind {
            NodeKind::NotJournaled(_) => Fault::NotJournaled,
            NodeKind::Signal { bounded: false, .. } => Fault::EndlessWait,
            NodeKind::Step(contract) => self.step_fault(definition, index, contract),
            NodeKind::Return(returned) => match (returned, self.pivot_before(index)) {
                (Returned::Err, Some(pivot)) => Fault::ErrAfterPivot(pivot),
                (Returned::Either, Some(pivot)) => Fault::MaybeErrAfterPivot(pivot),
                _ => Fault::None,
            },
            _ => Fault::None,
        }
    }

    const fn pivot_before(&self, index: usize) -> Option<usize> {
        let pivot = self.pivot[index];
        if pivot < NO_PIVOT { Some(pivot as usize) } else { None }
    }

    const fn step_fault(&self, definition: &Definition, index: usize, contract: &StepContract) -> Fault {
        let nodes = definition.nodes;
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
            if named && !met_on_every_path(definition, index, contract.requires[required]) {
                return Fault::Missing(required);
            }
            required += 1;
        }
        match self.pivot_before(index) {
            Some(pivot) if !contract.retriable => {
                if contract.is_irreversible() {
                    Fault::SecondPivot(pivot)
                } else {
                    Fault::RefusableAfterPivot(pivot)
                }
            }
            _ => Fault::None,
        }
    }
}

/// What holds behind a state where `before` holds: on the way out of a refusal, and on every other.
const fn after(kind: &NodeKind, index: u16, before: u16) -> [u16; 2] {
    match kind {
        // A retriable step is never refused. The way out of a refused call carries no pivot: where there was one before, the
        // call itself is the fault.
        NodeKind::Step(contract) => [
            if contract.retriable { UNREACHED } else { NO_PIVOT },
            if before == NO_PIVOT && contract.is_irreversible() { index } else { before },
        ],
        _ => [before, before],
    }
}

/// A retriable step is never refused: the edge of its `Err` leads nowhere.
const fn can_be_taken(node: &Node, on: On) -> bool {
    match (&node.kind, on) {
        (NodeKind::Step(contract), On::Refused) => !contract.retriable,
        _ => true,
    }
}

/// Whether `target` can only be reached through a completed `required`: looks for a path around it.
const fn met_on_every_path(definition: &Definition, target: usize, required: StepName) -> bool {
    let nodes = definition.nodes;
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
                let next = definition.next(index);
                let mut edge = 0;
                while edge < next.len() {
                    let on = next[edge].on;
                    let to = next[edge].to as usize;
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
