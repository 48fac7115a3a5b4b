//! The words for a fault in a machine, as the compiler prints them at the user's own tokens.
//!
//! Decides texts only; what is a fault is decided by `Flow`. Everything is a `const fn` that ends in a panic, because that is
//! how a constant speaks.

use super::flow::same_text;
use super::{Definition, Fault, Flow, NodeKind};
use crate::contract::StepName;

/// A machine with its flow, computed once while the user's crate compiles. Used by generated code.
#[derive(Debug)]
pub struct Checked {
    definition: &'static Definition,
    flow: Flow,
    /// Whether everything that is awaited exists. If not, rustc says so, and what follows from it is not reported on top.
    complete: bool,
}

impl Checked {
    /// Walks the machine; `exist` tells for each awaited name whether there is anything of that name.
    pub const fn of(definition: &'static Definition, exist: &[bool]) -> Checked {
        let mut complete = true;
        let mut name = 0;
        while name < exist.len() {
            complete &= exist[name];
            name += 1;
        }
        Checked { definition, flow: Flow::of(definition), complete }
    }

    /// Ends the compilation if node `index` is at fault; `words` are the user's own at this place.
    #[track_caller]
    #[allow(clippy::panic, reason = "it is evaluated while the user's crate compiles: a panic there is the message")]
    pub const fn at(&self, index: usize, words: &str) {
        let text = match self.flow.fault(self.definition, index) {
            Fault::None => return,
            _ if !self.complete => return,
            fault => self.text(fault, index, words),
        };
        panic!("{}", text.as_str())
    }

    /// Ends the compilation if the signal awaited at node `index` has the name of one at `others`, which are of other types: a
    /// run's inbox knows signals by name only.
    #[track_caller]
    #[allow(clippy::panic, reason = "it is evaluated while the user's crate compiles: a panic there is the message")]
    pub const fn signal_apart_from(&self, index: usize, others: &[usize]) {
        let name = self.signal(index);
        let mut other = 0;
        while other < others.len() {
            if self.complete && !name.is_empty() && same_text(name, self.signal(others[other])) {
                let text = Text::new()
                    .and("another signal of this saga is also called `")
                    .and(name)
                    .and("`: a message for one could be read as the other; rename one with `#[signal(name = \"..\")]`");
                panic!("{}", text.as_str())
            }
            other += 1;
        }
    }

    /// The signal's name; empty if it is no signal, which the body itself reports.
    const fn signal(&self, index: usize) -> &'static str {
        match self.definition.nodes[index].kind {
            NodeKind::Signal { name, .. } => name,
            _ => "",
        }
    }

    /// What [`Checked::at`] would end with; nothing where there is no fault.
    #[cfg(feature = "fuzzing")]
    pub(crate) fn words(&self, index: usize, words: &str) -> String {
        self.text(self.flow.fault(self.definition, index), index, words).as_str().to_owned()
    }

    const fn text(&self, fault: Fault, index: usize, words: &str) -> Text {
        let name = self.step(index);
        match fault {
            Fault::None => Text::new(),
            Fault::NotJournaled if self.is_saga(index) => Text::new()
                .and("`")
                .and(words)
                .and("` is a saga, and a saga is started through the engine, not awaited: put what this body needs of it into a step"),
            Fault::NotJournaled => Text::new()
                .and("`")
                .and(words)
                .and("` is not a step: declare it with `#[step(..)]`, or call it without `.await` if it has no effect outside"),
            Fault::EndlessWait => {
                Text::new().and("this wait has no end: add `.within(..)`, or say `.forever()` if that is meant")
            }
            Fault::SameName => Text::new()
                .and("another step of this saga is also called `")
                .and(name)
                .and("`: the journal could not tell them apart; rename one"),
            Fault::Missing(required) => Text::new()
                .and("`")
                .and(name)
                .and("` requires `")
                .and(self.required(index, required))
                .and("`, which has not completed on every path to here: await it first"),
            Fault::SecondPivot(pivot) => Text::new()
                .and("`")
                .and(name)
                .and("` is a second irreversible step after `")
                .and(self.step(pivot))
                .and("`: if it is refused, nothing can be undone; declare it `retriable`, or call it first"),
            Fault::RefusableAfterPivot(pivot) => Text::new()
                .and("`")
                .and(name)
                .and("` may be refused after the irreversible `")
                .and(self.step(pivot))
                .and("`, and then nothing can be undone: call it first, or declare it `retriable`"),
            Fault::ErrAfterPivot(pivot) => Text::new()
                .and("this returns an error after the irreversible `")
                .and(self.step(pivot))
                .and("`, which cannot be undone: decide before it, or return `Ok` with what happened"),
            Fault::MaybeErrAfterPivot(pivot) => Text::new()
                .and("this may return an error after the irreversible `")
                .and(self.step(pivot))
                .and("`, which cannot be undone: write `Ok(..)` where it cannot fail, and decide before it where it can"),
        }
    }

    const fn is_saga(&self, index: usize) -> bool {
        match self.definition.nodes[index].kind {
            NodeKind::NotJournaled(name) => !name.is_empty(),
            _ => false,
        }
    }

    const fn step(&self, index: usize) -> &'static str {
        match self.definition.nodes[index].kind {
            NodeKind::Step(contract) => contract.name,
            _ => "",
        }
    }

    const fn required(&self, index: usize, required: usize) -> &'static str {
        match self.definition.nodes[index].kind {
            NodeKind::Step(contract) => contract.requires[required].name,
            _ => "",
        }
    }
}

/// The step that `requires(..)` names; no name where it is none, which [`can_be_required`] reports. Used by generated code.
pub const fn required(node: NodeKind) -> StepName {
    match node {
        NodeKind::Step(contract) => contract.id(),
        _ => StepName { name: "", module: "" },
    }
}

/// Ends the compilation if what `requires(..)` names is no step; `words` are the user's own. Used by generated code.
#[track_caller]
#[allow(clippy::panic, reason = "it is evaluated while the user's crate compiles: a panic there is the message")]
pub const fn can_be_required(node: NodeKind, words: &str) {
    if !matches!(node, NodeKind::Step(_)) {
        let text = Text::new()
            .and("`")
            .and(words)
            .and("` is not a step, and only a step can be required: declare it with `#[step(..)]`, or name the step that calls it");
        panic!("{}", text.as_str())
    }
}

/// The longest message; a longer one is cut, which no name in a real program reaches.
const LONGEST: usize = 512;

/// A text that is put together in a constant.
struct Text {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Text {
    const fn new() -> Text {
        Text { bytes: [0; LONGEST], length: 0 }
    }

    const fn and(mut self, more: &str) -> Text {
        let more = more.as_bytes();
        let mut index = 0;
        while index < more.len() && self.length < LONGEST {
            self.bytes[self.length] = more[index];
            self.length += 1;
            index += 1;
        }
        self
    }

    const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => "the order rules of this saga are not met",
        }
    }
}
