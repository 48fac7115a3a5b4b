//! The environment of the steps: the ledger, the deaths on the way to it, and how slow the way is.

use crate::deaths::{Deaths, Place};
use crate::ledger::{Answer, Ledger, Named, Remote, Request};
use saga_core::{Failure, Found, StepCx};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How the world fails.
#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum WorldError {
    /// The ledger could not be reached.
    #[failure(unknown)]
    #[error("the ledger: {0}")]
    Ledger(String),
    /// It was undone before it came.
    #[failure(refused)]
    #[error("barred: it was undone before it came")]
    Barred,
    /// This worker lost the run.
    #[failure(transient)]
    #[error("superseded by a later worker")]
    Superseded,
}

/// The world as a step sees it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct World {
    ledger: Arc<Mutex<Ledger>>,
    deaths: Deaths,
    /// The time that a step takes before its effect (`name`), after it (`after:name`), or its undo before it (`undo:name`);
    /// `*` is every step.
    slow: Arc<Vec<(String, Duration)>>,
    /// Steps whose undo does not reach the ledger.
    undo_down: Arc<Vec<String>>,
}

impl World {
    /// A world with this ledger.
    pub fn new(ledger: Ledger, deaths: Deaths, slow: Vec<(String, Duration)>, undo_down: Vec<String>) -> World {
        World { ledger: Arc::new(Mutex::new(ledger)), deaths, slow: Arc::new(slow), undo_down: Arc::new(undo_down) }
    }

    /// Does it, under this key.
    ///
    /// # Errors
    /// When it is barred or superseded, or the ledger fails.
    pub async fn send(
        &self,
        cx: &StepCx<World>,
        step: &'static str,
        key: &str,
        remote: Remote,
    ) -> Result<u64, WorldError> {
        let request = request(cx, step, key);
        self.take_time("", step).await;
        let answer = self
            .ask((Place::BeforeEffect, Place::AfterEffect), request, move |ledger, request| {
                ledger.apply(request, remote)
            })
            .await?;
        self.take_time("after:", step).await;
        match answer {
            Answer::Effect(number) => Ok(number),
            Answer::Barred => Err(WorldError::Barred),
            Answer::None | Answer::Superseded => Err(WorldError::Superseded),
        }
    }

    /// Undoes it.
    ///
    /// # Errors
    /// When it is superseded, or the ledger fails.
    pub async fn undo(
        &self,
        cx: &StepCx<World>,
        step: &'static str,
        key: &str,
        named: Named,
    ) -> Result<(), WorldError> {
        let request = request(cx, step, key);
        self.take_time("undo:", step).await;
        if self.undo_down.iter().any(|down| down == step) {
            return Err(WorldError::Ledger("it cannot be reached".to_owned()));
        }
        match self
            .ask((Place::BeforeUndo, Place::AfterUndo), request, move |ledger, request| ledger.undo(request, named))
            .await?
        {
            Answer::Superseded => Err(WorldError::Superseded),
            _ => Ok(()),
        }
    }

    /// Looks whether it is there.
    ///
    /// # Errors
    /// When it is superseded, or the ledger fails.
    pub async fn look(&self, cx: &StepCx<World>, step: &'static str) -> Result<Found<u64>, WorldError> {
        let request = request(cx, step, cx.effect_key());
        match self.ask((Place::BeforeCheck, Place::AfterCheck), request, |ledger, request| ledger.look(request)).await?
        {
            Answer::Effect(number) => Ok(Found::Applied(number)),
            Answer::Superseded => Err(WorldError::Superseded),
            _ => Ok(Found::NotApplied),
        }
    }

    async fn ask(
        &self,
        (before, after): (Place, Place),
        request: Request,
        act: impl FnOnce(&mut Ledger, &Request) -> rusqlite::Result<Answer> + Send + 'static,
    ) -> Result<Answer, WorldError> {
        let (ledger, deaths) = (self.ledger.clone(), self.deaths.clone());
        let asked = tokio::task::spawn_blocking(move || {
            deaths.at(before, request.step);
            let answer = act(&mut ledger.lock().unwrap_or_else(PoisonError::into_inner), &request);
            deaths.at(after, request.step);
            answer
        });
        let answer = asked.await.map_err(|error| WorldError::Ledger(error.to_string()))?;
        answer.map_err(|error| WorldError::Ledger(error.to_string()))
    }

    async fn take_time(&self, when: &str, step: &str) {
        let meant = |name: &str| name.strip_prefix(when).is_some_and(|name| name == step || name == "*");
        if let Some((_, time)) = self.slow.iter().find(|(name, _)| meant(name)) {
            tokio::time::sleep(*time).await;
        }
    }
}

fn request(cx: &StepCx<World>, step: &'static str, key: &str) -> Request {
    Request { run: cx.run().to_string(), step, key: key.to_owned(), epoch: cx.fence().epoch }
}
