//! The words for a fault in a machine, as the compiler prints them at the user's own tokens.
//!
//! Decides texts only; what is a fault is decided by `Flow`. Everything is a `const fn` that ends in a panic, because that is
//! how a constant speaks.

use super::{Definition, Fault, Flow, NodeKind};

/// A machine with its flow, computed once while the user's crate compiles. Used by generated code.
#[derive(Debug)]
pub struct Checked {
    definition: &'static Definition,
    flow: Flow,
}

impl Checked {
    /// Walks the machine.
    pub const fn of(definition: &'static Definition) -> Checked {
        Checked { definition, flow: Flow::of(definition) }
    }

    /// Ends the compilation if node `index` is at fault; `words` are the user's own at this place.
    #[track_caller]
    #[allow(clippy::panic, reason = "it is evaluated while the user's crate compiles: a panic there is the message")]
    pub const fn at(&self, index: usize, words: &str) {
        let text = match self.flow.fault(self.definition, index) {
            Fault::None => return,
            fault => self.text(fault, index, words),
        };
        panic!("{}", text.as_str())
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
