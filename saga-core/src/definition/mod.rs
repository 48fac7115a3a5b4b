//! The checked machine of a saga as a value: its states, transitions, waits and the class of every step.
//!
//! Decides what the shape of a saga is and what its fingerprint covers. Knows contracts; knows no journal and no run.
//! `#[saga]` reads the control flow of the body and writes this as a constant; the compile-time rules, the console's
//! picture and the guard of running instances all read the same value.

mod checked;
mod draw;
mod fingerprint;
mod flow;
#[doc(hidden)]
pub mod outline;

pub use checked::{Checked, can_be_required, required};
pub use fingerprint::Fingerprint;
pub use flow::{Fault, Flow, LONGEST_BODY};

use crate::contract::StepContract;
use core::time::Duration;

/// A saga's machine. `#[saga]` writes it; `SagaType::DEFINITION` is where it is found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Definition {
    /// The saga's name in the journal: the name of the function.
    pub name: &'static str,
    /// Raised by its author whenever the body changes in a way that running instances cannot follow.
    pub version: u32,
    /// Who is asked when evidence runs out and the step names nobody.
    pub owner: &'static str,
    /// How long forward work may go on, counted from the start.
    pub deadline: Option<Duration>,
    /// The states; the first is the start.
    pub nodes: &'static [Node],
    /// The transitions, those of each state together.
    pub edges: &'static [Edge],
}

/// One state of the machine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// What happens here.
    pub kind: NodeKind,
    /// Its first transition among those of the definition.
    pub first: u16,
    /// How many leave it.
    pub edges: u16,
}

/// What happens in a state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NodeKind {
    /// The beginning; always node 0.
    Start,
    /// A step is called.
    Step(&'static StepContract),
    /// A signal is awaited.
    Signal {
        /// The signal type's name.
        name: &'static str,
        /// Whether the wait ends by itself (`within`) or was declared endless (`forever`).
        bounded: bool,
    },
    /// Time passes.
    Sleep,
    /// A journaled value is drawn: `now` or `new_uuid`.
    Value(&'static str),
    /// The flow divides or meets: `if`, `match`, the head or the end of a loop.
    Branch(&'static str),
    /// The body returns.
    Return(Returned),
    /// Something that the macro let through but that is neither a step nor a wait: the name of a saga, or nothing. Always a fault.
    NotJournaled(&'static str),
}

impl NodeKind {
    /// The same wait without an end. Used by generated code where neither `within` nor `forever` is said.
    pub const fn endless(self) -> NodeKind {
        match self {
            NodeKind::Signal { name, .. } => NodeKind::Signal { name, bounded: false },
            other => other,
        }
    }
}

/// What a body returns at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Returned {
    /// `Ok(..)`.
    Ok,
    /// `Err(..)`, or `?`.
    Err,
    /// An expression that does not say: the check assumes that it may be an error.
    Either,
}

/// A transition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The node it leads to.
    pub to: u16,
    /// When it is taken.
    pub on: On,
    /// The words on the arrow: an arm's pattern, `else`, or nothing.
    pub label: &'static str,
}

/// When a transition is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum On {
    /// Always, or by a condition that only the running body knows.
    Any,
    /// The step completed.
    Done,
    /// The step is known not to be applied: `Err`.
    Refused,
}

impl Definition {
    /// The transitions that leave a state; none where there is no such state.
    pub const fn next(&self, node: usize) -> &'static [Edge] {
        if node >= self.nodes.len() {
            return &[];
        }
        let Node { first, edges, .. } = self.nodes[node];
        self.edges.split_at(first as usize).1.split_at(edges as usize).0
    }

    /// The contracts of all steps, each once, in the order in which they first appear.
    pub fn steps(&self) -> Vec<&'static StepContract> {
        let mut steps: Vec<&'static StepContract> = Vec::new();
        for node in self.nodes {
            if let NodeKind::Step(contract) = node.kind
                && !steps.iter().any(|known| known.id() == contract.id())
            {
                steps.push(contract);
            }
        }
        steps
    }

    /// The contract of the step with this journal name.
    pub fn step(&self, name: &str) -> Option<&'static StepContract> {
        self.nodes.iter().find_map(|node| match node.kind {
            NodeKind::Step(contract) if contract.name == name => Some(contract),
            _ => None,
        })
    }

    /// The names of the signals that it waits for, each once.
    pub fn signals(&self) -> Vec<&'static str> {
        let mut names: Vec<&'static str> = Vec::new();
        for node in self.nodes {
            if let NodeKind::Signal { name, .. } = node.kind
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
        names
    }
}
