//! The typed client: starts runs, sends signals, cancels, asks. It needs a store and nothing else, so it can live in another
//! process than the workers.

use super::codec::{self, LoadError};
use super::live::Holds;
use super::over::Ends;
use super::registry::{definition_of, row_of};
use super::seal::{PayloadCodec, Seal};
use super::status::Status;
use super::view::StepView;
use super::writer::Writer;
use crate::decide::{Command, Head, State};
use crate::journal::{Broken, Decision, End, Entry, Run, SET_ASIDE};
use crate::payload::{Payload, PayloadError};
use crate::run::{CallNumber, RunId};
use crate::saga::{Awaits, DecodeError, EncodeError, InputReader, SagaType, Signal, Start};
use crate::store::{
    Due, InboxPost, NewRun, Page, Poster, Refused, ReviewRow, RunRow, Store, StoreError, Then, Write, Written,
};
use std::fmt;
use std::future::IntoFuture;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// Why a request to a run failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// The store does not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store refuses: a key conflict, a text or size limit, no such run, a decision that is not possible.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The parameters cannot be journaled.
    #[error("the saga cannot be started: {0}")]
    Inputs(#[from] EncodeError),
    /// The parameters do not survive being journaled: read back, they would be something else.
    #[error("the saga cannot be started: {0}")]
    Unreadable(#[from] DecodeError),
    /// A signal or a result cannot be journaled or read.
    #[error(transparent)]
    Payload(#[from] PayloadError),
    /// The journal cannot be read.
    #[error("the journal cannot be read: {0}")]
    Journal(String),
    /// The run belongs to another saga than the handle.
    #[error("run {run} is a run of `{found}`, not of `{expected}`")]
    OtherSaga {
        /// The run.
        run: RunId,
        /// Its saga.
        found: String,
        /// The handle's saga.
        expected: &'static str,
    },
}

impl From<LoadError> for ClientError {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Store(error) => ClientError::Store(error),
            LoadError::Broken(Broken::Undecodable { source, .. }) => ClientError::Payload(source),
            broken => ClientError::Journal(broken.to_string()),
        }
    }
}

/// What stands in place of the digest of an input that is coded.
const CODED_INPUT: &str = "coded";

/// A client of a store. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    pub(super) store: Arc<dyn Store>,
    pub(super) writer: Writer,
    /// Woken when something may be due in this process.
    pub(super) due: Arc<Notify>,
    pub(super) ends: Arc<Ends>,
    pub(super) holds: Option<Arc<Holds>>,
    pub(super) seal: Seal,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

impl Client {
    /// A client of this store. Must be called within a tokio runtime.
    pub fn new(store: Arc<dyn Store>) -> Client {
        let writer = Writer::start(store.clone());
        Client { store, writer, due: Arc::default(), ends: Arc::default(), holds: None, seal: Seal::default() }
    }

    /// The same client, with the codec that the engines of its store have.
    #[must_use]
    pub fn with_codec(self, codec: impl PayloadCodec) -> Client {
        Client { seal: Seal::with(codec), ..self }
    }

    /// The store.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// Prepares the start of a run: `client.start(approval(submission)).key("sub-42").await`.
    pub fn start<S: SagaType>(&self, start: Start<S>) -> StartRun<S> {
        StartRun { client: self.clone(), start, key: None }
    }

    /// A handle to a run that exists.
    ///
    /// # Errors
    /// When there is no such run, or it is of another saga.
    pub async fn run<S: SagaType>(&self, run: RunId) -> Result<Handle<S>, ClientError> {
        let row = self.store.run(run).await?.ok_or(Refused::NoSuchRun(run))?;
        self.handle(row.run, row.key, &row.definition.saga)
    }

    /// A handle to the run that was started with this key, if there is one.
    ///
    /// # Errors
    /// When the run is of another saga.
    pub async fn find<S: SagaType>(&self, key: &str) -> Result<Option<Handle<S>>, ClientError> {
        match self.store.find(key).await? {
            Some(row) => self.handle(row.run, row.key, &row.definition.saga).map(Some),
            None => Ok(None),
        }
    }

    pub(super) fn handle<S: SagaType>(&self, run: RunId, key: String, saga: &str) -> Result<Handle<S>, ClientError> {
        let expected = S::DEFINITION.name;
        if saga != expected {
            return Err(ClientError::OtherSaga { run, found: saga.to_owned(), expected });
        }
        Ok(Handle { client: self.clone(), run, key, saga: PhantomData })
    }

    /// The run that is there already under the key of a start with these inputs, or why it is none for it.
    ///
    /// Without a codec the store compares digests. With one it cannot: a digest of the text would betray what was encrypted, and
    /// one of what is stored would never be the same twice. So the inputs themselves are compared, decoded.
    pub(super) async fn there<S: SagaType>(
        &self,
        answer: Result<Box<RunRow>, Refused>,
        inputs: &Payload,
    ) -> Result<Handle<S>, ClientError> {
        let row = match answer {
            Ok(row) if !self.seal.has_codec() => return self.handle(row.run, row.key, &row.definition.saga),
            Ok(row) => *row,
            // The other start may have been before there was a codec.
            Err(Refused::KeyTaken { run, other: "input", .. }) if self.seal.has_codec() => {
                self.store.run(run).await?.ok_or(Refused::NoSuchRun(run))?
            }
            Err(refused) => return Err(refused.into()),
        };
        match codec::last_entry(&*self.store, &self.seal, row.run, 1).await? {
            Entry::Started { inputs: theirs, .. } if theirs.same_value(inputs) => {
                self.handle(row.run, row.key, &row.definition.saga)
            }
            _ => Err(Refused::KeyTaken { key: row.key, run: row.run, other: "input" }.into()),
        }
    }

    /// Questions that wait for a person, oldest first.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn reviews(&self, page: Page) -> Result<Vec<ReviewRow>, ClientError> {
        Ok(self.store.reviews(true, page).await?)
    }

    /// Answers a question. What may be decided is in [`ReviewRow::actions`]. The decision is carried out by a worker; about a run
    /// that is set aside (question [`SET_ASIDE`]) by the store itself, before this returns: there may be no worker that could.
    ///
    /// # Errors
    /// [`Refused::ReviewNotOpen`]; [`Refused::AlreadyRequested`] when another decision is on its way; of a run that is set aside
    /// also [`Refused::NotOffered`] and [`Refused::NoEvidence`].
    pub async fn decide(
        &self,
        run: RunId,
        review: u32,
        decision: Decision,
        by: &str,
        note: &str,
    ) -> Result<(), ClientError> {
        if review == SET_ASIDE {
            return super::aside::decide(self, run, decision, by, note).await;
        }
        let mut command = Command::Decide { review, decision, by: by.to_owned(), note: note.to_owned() };
        self.post(run, Poster::Decision { review }, &mut command, by, note, None).await?;
        Ok(())
    }

    /// The whole run, folded from its journal: for consoles and tests. Reads the journal.
    ///
    /// # Errors
    /// When there is no such run, or its journal is broken.
    pub async fn inspect(&self, run: RunId) -> Result<Run, ClientError> {
        if self.store.run(run).await?.is_none() {
            return Err(Refused::NoSuchRun(run).into());
        }
        Ok(codec::load(&*self.store, &self.seal, run).await?)
    }

    pub(super) async fn post(
        &self,
        run: RunId,
        kind: Poster,
        command: &mut Command,
        by: &str,
        note: &str,
        once: Option<String>,
    ) -> Result<u64, ClientError> {
        let body = codec::post(command, &self.seal)?;
        let post = InboxPost { run, kind, body, by: by.to_owned(), note: note.to_owned(), once };
        match self.writer.write(Write::Post(post)).await?? {
            Written::Posted { number, .. } => {
                if let Some(holds) = &self.holds {
                    holds.arrived(run, number);
                }
                self.due.notify_one();
                Ok(number)
            }
            _ => Err(StoreError::Unavailable("the store answered a post with something else".to_owned()).into()),
        }
    }
}

/// A prepared start. Await it.
#[must_use = "a start does nothing until it is awaited"]
#[derive(Debug)]
pub struct StartRun<S> {
    pub(super) client: Client,
    pub(super) start: Start<S>,
    pub(super) key: Option<String>,
}

impl<S: SagaType> StartRun<S> {
    /// The idempotency key of the start: the same key with the same input gives the same run, with another input or another
    /// saga a clear conflict. Without a key every start is a run of its own.
    pub fn key(mut self, key: impl Into<String>) -> Self {
        self.key = Some(key.into());
        self
    }

    /// What is to be written, short of its claim.
    pub(super) fn prepare(
        start: Start<S>,
        key: Option<String>,
        seal: &Seal,
    ) -> Result<(NewRun, Entry, Payload), ClientError> {
        let mut inputs = start.inputs?;
        seal.seal("the input", &mut inputs).map_err(EncodeError::Whole)?;
        let run = RunId::fresh();
        InputReader::new(run, &inputs, &[]).and_then(|reader| S::read(&reader))?;
        let key = key.unwrap_or_else(|| run.to_string());
        let definition = row_of::<S>();
        let mut first = Entry::Started {
            saga: definition.saga.clone(),
            version: definition.version,
            fingerprint: definition.fingerprint,
            inputs: inputs.clone(),
            deadline: S::DEFINITION.deadline,
        };
        let state = Run::begin(run, &first, crate::run::Timestamp(0))
            .map_err(|broken| ClientError::Journal(broken.to_string()))?;
        let encoded = codec::encode(&mut first, Some(&state), seal).map_err(ClientError::Journal)?;
        let new = NewRun {
            run,
            key,
            definition,
            owner: S::DEFINITION.owner.to_owned(),
            input_digest: if seal.has_codec() { CODED_INPUT.to_owned() } else { inputs.digest() },
            input_size: Seal::size(&inputs),
            entries: vec![encoded],
            head: Head::of(&state),
            claim: None,
            then: Then::Release(Due::Now),
        };
        Ok((new, first, inputs))
    }
}

impl<S: SagaType> IntoFuture for StartRun<S> {
    type Output = Result<Handle<S>, ClientError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        let StartRun { client, start, key } = self;
        let prepared = Self::prepare(start, key, &client.seal);
        Box::pin(async move {
            let (new, _, inputs) = prepared?;
            let (run, key) = (new.run, new.key.clone());
            let saga = new.definition.saga.clone();
            match client.writer.write(Write::Create(new)).await? {
                Ok(Written::Existing(row)) => client.there(Ok(row), &inputs).await,
                Err(refused) => client.there(Err(refused), &inputs).await,
                Ok(_) => {
                    metrics::counter!("saga_runs_started_total", "saga" => saga.clone()).increment(1);
                    client.due.notify_one();
                    client.handle(run, key, &saga)
                }
            }
        })
    }
}

/// A handle to one run of saga `S`.
pub struct Handle<S> {
    pub(super) client: Client,
    pub(super) run: RunId,
    pub(super) key: String,
    pub(super) saga: PhantomData<fn() -> S>,
}

impl<S> fmt::Debug for Handle<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({})", self.run)
    }
}

impl<S> Clone for Handle<S> {
    fn clone(&self) -> Self {
        Handle { client: self.client.clone(), run: self.run, key: self.key.clone(), saga: PhantomData }
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunOutcome<T, E> {
    /// All steps applied; the body's output.
    Completed(T),
    /// Undone; the body's error.
    Refused(E),
    /// Undone, because somebody or the deadline asked for it; the reason in words.
    Cancelled(String),
    /// Given up by a person.
    Abandoned {
        /// Who.
        by: String,
        /// The calls whose effects are left.
        left: Vec<CallNumber>,
    },
}

/// What a cancel did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelAnswer {
    /// The run will be unwound. It cannot complete any more.
    Accepted,
    /// Effects were being undone already.
    AlreadyUnwinding,
    /// An irreversible effect is there, or may be: the run goes on.
    PastPivot,
    /// The run was over.
    AlreadyEnded(State),
}

impl<S: SagaType> Handle<S> {
    /// The run.
    pub fn run(&self) -> RunId {
        self.run
    }

    /// The key it was started with.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Waits until the run is over. A run in review is not over: see [`Handle::status`].
    ///
    /// # Errors
    /// When the store does not answer, or the result cannot be read.
    pub async fn outcome(&self) -> Result<RunOutcome<S::Output, S::Error>, ClientError> {
        let mut pause = Duration::from_millis(10);
        loop {
            let end = self.client.ends.of(self.run);
            let over = end.notified();
            tokio::pin!(over);
            over.as_mut().enable();
            let row = self.client.store.run(self.run).await?.ok_or(Refused::NoSuchRun(self.run))?;
            if row.state.is_terminal() {
                return self.ended(row.length, row.error).await;
            }
            tokio::select! {
                biased;
                () = over => {}
                () = tokio::time::sleep(pause) => pause = (pause * 2).min(Duration::from_millis(500)),
            }
        }
    }

    async fn ended(&self, length: u64, error: Option<String>) -> Result<RunOutcome<S::Output, S::Error>, ClientError> {
        match codec::last_entry(&*self.client.store, &self.client.seal, self.run, length).await? {
            Entry::Ended { end } => Ok(match end {
                End::Completed { output } => RunOutcome::Completed(output.read()?),
                End::Refused { error } => RunOutcome::Refused(error.read()?),
                End::Cancelled => RunOutcome::Cancelled(error.unwrap_or_default()),
                End::Abandoned { by, left } => RunOutcome::Abandoned { by, left },
            }),
            other => Err(ClientError::Journal(format!("the last entry of an ended run is `{}`", other.kind()))),
        }
    }

    /// Where the run is, and why it is not moving.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn status(&self) -> Result<Status, ClientError> {
        let row = self.client.store.run(self.run).await?.ok_or(Refused::NoSuchRun(self.run))?;
        Status::of(&*self.client.store, row).await
    }

    /// The steps of the run so far, with what was declared `redact` masked. Reads the journal.
    ///
    /// # Errors
    /// When the store does not answer, or the journal is broken.
    pub async fn steps(&self) -> Result<Vec<StepView>, ClientError> {
        Ok(super::view::steps(&self.client.inspect(self.run).await?, definition_of::<S>()))
    }

    /// Asks the run to stop and to undo what it did. Says what that did; once accepted, the run cannot complete any more.
    ///
    /// # Errors
    /// When the store does not answer, or a text is too long.
    pub async fn cancel(&self, by: &str, reason: &str) -> Result<CancelAnswer, ClientError> {
        // A head in review does not say what was under way before it; the journal does, and it cannot change its mind.
        let row = self.client.store.run(self.run).await?.ok_or(Refused::NoSuchRun(self.run))?;
        if row.state == State::Review && self.client.inspect(self.run).await?.cause.is_some() {
            return Ok(CancelAnswer::AlreadyUnwinding);
        }
        let mut command = Command::Cancel { by: by.to_owned(), reason: reason.to_owned() };
        match self.client.post(self.run, Poster::Cancel, &mut command, by, reason, None).await {
            Ok(_) => Ok(CancelAnswer::Accepted),
            Err(ClientError::Refused(Refused::AlreadyUnwinding(_))) => Ok(CancelAnswer::AlreadyUnwinding),
            Err(ClientError::Refused(Refused::PastPivot(_))) => Ok(CancelAnswer::PastPivot),
            Err(ClientError::Refused(Refused::AlreadyEnded { state, .. })) => Ok(CancelAnswer::AlreadyEnded(state)),
            Err(error) => Err(error),
        }
    }

    /// Sends a signal. It is durable when this returns, and is delivered when the run waits for it, in order.
    ///
    /// Compiles only for a saga that waits for `M`.
    ///
    /// # Errors
    /// [`Refused::AlreadyEnded`] when the run is over: nothing will ever take the signal up.
    pub async fn send<M: Signal>(&self, message: M) -> Result<(), ClientError>
    where
        S: Awaits<M>,
    {
        self.deliver::<M>(&message, None).await
    }

    /// Sends a signal at most once: a second call with the same `once` does nothing, also after the run has ended.
    ///
    /// # Errors
    /// As [`Handle::send`].
    pub async fn send_once<M: Signal>(&self, once: &str, message: M) -> Result<(), ClientError>
    where
        S: Awaits<M>,
    {
        self.deliver::<M>(&message, Some(once.to_owned())).await
    }

    async fn deliver<M: Signal>(&self, message: &M, once: Option<String>) -> Result<(), ClientError> {
        let mut command = Command::Signal { name: M::NAME.to_owned(), payload: Payload::proven(message)? };
        let kind = Poster::Signal { name: M::NAME.to_owned() };
        self.client.post(self.run, kind, &mut command, "signal", "", once).await?;
        Ok(())
    }
}
