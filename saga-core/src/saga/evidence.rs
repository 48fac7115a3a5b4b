//! Evidence that a step completed in this run. Only the runtime makes it: a journaled outcome is the only way to hold one.

use super::step::Step;
use crate::run::{CallNumber, RunId};
use std::fmt;
use std::ops::Deref;

/// Evidence that step `S` completed in *this* run, with its output.
///
/// A step that takes `&Done<S>` needs `S`; one that takes `Done<S>` **consumes** it: when the consuming step is confirmed,
/// the obligation to undo `S` is discharged in the same commit. There is no `Clone`, no `Serialize` and no constructor, so
/// order, branches and use after consumption are checked by the compiler as plain ownership.
pub struct Done<S: Step> {
    run: RunId,
    call: CallNumber,
    output: S::Output,
}

/// Makes evidence of a recorded output. No associated function: the compiler would suggest it to whoever tries to forge one.
pub(crate) fn recorded<S: Step>(run: RunId, call: CallNumber, output: S::Output) -> Done<S> {
    Done { run, call, output }
}

impl<S: Step> Done<S> {
    /// The output, giving up the evidence. The obligation to undo the step stays.
    pub fn into_inner(self) -> S::Output {
        self.output
    }

    pub(crate) fn run(&self) -> RunId {
        self.run
    }

    pub(crate) fn call(&self) -> CallNumber {
        self.call
    }
}

impl<S: Step> Deref for Done<S> {
    type Target = S::Output;
    fn deref(&self) -> &S::Output {
        &self.output
    }
}

impl<S: Step> fmt::Debug for Done<S> {
    /// Without the output: payloads stay out of logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Done<{}>(call {} of {})", S::CONTRACT.name, self.call, self.run)
    }
}
