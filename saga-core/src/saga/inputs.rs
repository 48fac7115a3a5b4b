//! The inputs of a call, as they stand in the journal: a JSON object by parameter name; evidence is a reference to its call.
//!
//! Decides that form and nothing else. An output that served as evidence is not copied: it is looked up where it was recorded.

use super::evidence::{Done, recorded};
use super::step::Step;
use crate::journaled::InputForm;
use crate::payload::{Payload, PayloadError, decoded, unreadable};
use crate::run::{CallNumber, RunId};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::value::RawValue;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Inputs that cannot be journaled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// serde refused one.
    #[error("input `{name}`: {source}")]
    Input {
        /// The parameter.
        name: &'static str,
        /// Why.
        source: PayloadError,
    },
    /// All inputs together are too large, or their codec refused them.
    #[error(transparent)]
    Whole(#[from] PayloadError),
    /// Evidence of a step that completed in another run.
    #[error("input `{name}` is evidence from run {other}: evidence holds only in the run that made it")]
    ForeignEvidence {
        /// The parameter.
        name: &'static str,
        /// The run that made it.
        other: RunId,
    },
}

/// Inputs that cannot be read back: the journal was written by other code, or changed by hand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// Not an object by parameter name.
    #[error("the journaled inputs are not an object: {0}")]
    NotAnObject(String),
    /// A parameter is not there.
    #[error("the journaled inputs have no `{0}`")]
    Missing(&'static str),
    /// A parameter is of another type.
    #[error("journaled input `{name}`: {source}")]
    Input {
        /// The parameter.
        name: &'static str,
        /// Why.
        source: PayloadError,
    },
    /// The evidence is not among the completed calls.
    #[error("journaled input `{name}` refers to call {call}, which has no recorded output")]
    NoEvidence {
        /// The parameter.
        name: &'static str,
        /// The call it refers to.
        call: CallNumber,
    },
}

/// How evidence stands in the inputs.
#[derive(Serialize, Deserialize)]
struct Reference {
    done: CallNumber,
}

/// Collects the inputs of one call. Used by generated code.
#[derive(Debug)]
pub struct InputWriter {
    run: RunId,
    text: Vec<u8>,
    failed: Option<EncodeError>,
    needs: Vec<CallNumber>,
    consumes: Vec<CallNumber>,
}

/// The inputs of one call, ready to be journaled.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct WrittenInputs {
    pub(crate) payload: Payload,
    pub(crate) needs: Vec<CallNumber>,
    pub(crate) consumes: Vec<CallNumber>,
}

impl InputWriter {
    pub(crate) fn new(run: RunId) -> Self {
        InputWriter { run, text: vec![b'{'], failed: None, needs: Vec::new(), consumes: Vec::new() }
    }

    /// Begins the inputs of a call in this run. Used by generated code.
    pub fn of(saga: &super::exchange::Saga) -> Self {
        InputWriter::new(saga.exchange.run())
    }

    /// Begins the inputs of a run that has not begun: no evidence is of it. Used by generated code.
    pub fn of_a_start() -> Self {
        InputWriter::new(RunId(uuid::Uuid::nil()))
    }

    /// Writes a plain input.
    pub fn value<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) {
        self.payload(name, Payload::written(value));
    }

    /// Writes an input.
    pub fn input<T>(&mut self, name: &'static str, form: &InputForm<T>, value: &T) {
        self.payload(name, (form.write)(value));
    }

    /// Writes an input that is a slice.
    pub fn items<T>(&mut self, name: &'static str, form: &InputForm<T>, values: &[T]) {
        self.payload(name, (form.write_items)(values));
    }

    fn payload(&mut self, name: &'static str, payload: Result<Payload, PayloadError>) {
        match payload {
            Ok(payload) => self.raw(name, payload.bytes()),
            Err(source) => self.fail(EncodeError::Input { name, source }),
        }
    }

    /// Writes evidence that is needed and stays.
    pub fn needs<S: Step>(&mut self, name: &'static str, done: &Done<S>) {
        self.evidence(name, done);
        self.needs.push(done.call());
    }

    /// Writes evidence that is consumed: when this call is confirmed, its undo obligation is discharged.
    pub fn consumes<S: Step>(&mut self, name: &'static str, done: &Done<S>) {
        self.evidence(name, done);
        self.consumes.push(done.call());
    }

    fn evidence<S: Step>(&mut self, name: &'static str, done: &Done<S>) {
        if done.run() != self.run {
            return self.fail(EncodeError::ForeignEvidence { name, other: done.run() });
        }
        self.value(name, &Reference { done: done.call() });
    }

    fn raw(&mut self, name: &'static str, value: &[u8]) {
        if self.text.len() > 1 {
            self.text.push(b',');
        }
        self.text.push(b'"');
        self.text.extend_from_slice(name.as_bytes()); // a Rust identifier: nothing to escape
        self.text.extend_from_slice(b"\":");
        self.text.extend_from_slice(value);
    }

    fn fail(&mut self, error: EncodeError) {
        self.failed.get_or_insert(error);
    }

    pub(crate) fn finish(mut self) -> Result<WrittenInputs, EncodeError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        self.text.push(b'}');
        Ok(WrittenInputs { payload: Payload::from_bytes(self.text), needs: self.needs, consumes: self.consumes })
    }
}

/// One input, and the value that was read from it and is lent out: the step's functions take references.
#[derive(Debug)]
struct Member<'a> {
    text: &'a RawValue,
    lent: OnceLock<Box<dyn Any + Send + Sync>>,
}

/// Reads the journaled inputs of one call back. Used by generated code.
#[derive(Debug)]
pub struct InputReader<'a> {
    run: RunId,
    members: BTreeMap<String, Member<'a>>,
    evidence: &'a [(CallNumber, Payload)],
}

impl<'a> InputReader<'a> {
    pub(crate) fn new(
        run: RunId,
        payload: &'a Payload,
        evidence: &'a [(CallNumber, Payload)],
    ) -> Result<Self, DecodeError> {
        let text = payload.plain().map_err(|source| DecodeError::Input { name: "the inputs", source })?;
        let members: BTreeMap<String, &'a RawValue> =
            serde_json::from_slice(text).map_err(|error| DecodeError::NotAnObject(unreadable(&error)))?;
        let members = members.into_iter().map(|(name, text)| (name, Member { text, lent: OnceLock::new() })).collect();
        Ok(InputReader { run, members, evidence })
    }

    fn member(&self, name: &'static str) -> Result<&Member<'a>, DecodeError> {
        self.members.get(name).ok_or(DecodeError::Missing(name))
    }

    fn lend<T: Send + Sync + 'static>(&self, name: &'static str, value: T) -> Result<&T, DecodeError> {
        let lent = self.member(name)?.lent.get_or_init(|| Box::new(value));
        // Parameters have distinct names: nobody has lent another type under this one.
        lent.downcast_ref().ok_or(DecodeError::Missing(name))
    }

    fn recalled<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&[u8]) -> Result<T, PayloadError>,
    ) -> Result<T, DecodeError> {
        read(self.member(name)?.text.get().as_bytes()).map_err(|source| DecodeError::Input { name, source })
    }

    /// Lends a text.
    ///
    /// # Errors
    /// When it is missing or of another type.
    pub fn lent_text(&self, name: &'static str) -> Result<&str, DecodeError> {
        self.lend(name, self.value::<String>(name)?).map(String::as_str)
    }

    /// Lends an input.
    ///
    /// # Errors
    /// When it is missing or of another type.
    pub fn lent<T: Send + Sync + 'static>(&self, name: &'static str, form: &InputForm<T>) -> Result<&T, DecodeError> {
        self.lend(name, self.input(name, form)?)
    }

    /// Lends an input that is a slice.
    ///
    /// # Errors
    /// When it is missing or of another type.
    pub fn lent_items<T: Send + Sync + 'static>(
        &self,
        name: &'static str,
        form: &InputForm<T>,
    ) -> Result<&[T], DecodeError> {
        self.lend(name, self.recalled(name, form.read_items)?).map(Vec::as_slice)
    }

    /// Lends evidence.
    ///
    /// # Errors
    /// When it is missing, or refers to a call that has no recorded output.
    pub fn lent_done<S: Step>(&self, name: &'static str) -> Result<&Done<S>, DecodeError> {
        self.lend(name, self.done::<S>(name)?)
    }

    fn value<T: DeserializeOwned>(&self, name: &'static str) -> Result<T, DecodeError> {
        self.recalled(name, decoded)
    }

    /// Reads an input.
    ///
    /// # Errors
    /// When it is missing or of another type.
    pub fn input<T>(&self, name: &'static str, form: &InputForm<T>) -> Result<T, DecodeError> {
        self.recalled(name, form.read)
    }

    /// Reads evidence.
    ///
    /// # Errors
    /// When it is missing, or refers to a call that has no recorded output.
    pub fn done<S: Step>(&self, name: &'static str) -> Result<Done<S>, DecodeError> {
        let Reference { done: call } = self.value(name)?;
        let (_, payload) =
            self.evidence.iter().find(|(known, _)| *known == call).ok_or(DecodeError::NoEvidence { name, call })?;
        let output = payload.read::<S::Output>().map_err(|source| DecodeError::Input { name, source })?;
        Ok(recorded(self.run, call, output))
    }
}
