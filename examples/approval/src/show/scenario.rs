//! The file of submissions: what is submitted, what an editor does, what goes wrong, and how it should end.

use crate::desk::DeskResult;
use crate::gateway::faults::{Fault, FaultKind};
use crate::gateway::wire::Operation;
use crate::model::Submission;
use saga_core::decide::State;
use serde::Deserialize;
use std::collections::HashSet;
use std::path::Path;

/// The file of the example.
const EXAMPLE: &str = include_str!("../../submissions.json");

/// How long the gateway holds a reply back so that the worker can be killed before it comes.
const WINDOW: u64 = 1_200;

/// One submission and its fate.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scenario {
    pub(super) id: String,
    title: String,
    #[serde(default)]
    body: String,
    pub(super) then: Then,
    #[serde(default)]
    faults: Vec<Fault>,
    pub(super) kill: Option<KillAt>,
    /// What a person does if it comes to a review.
    pub(super) settle: Option<Settle>,
    pub(super) ends: State,
}

/// What an editor, or the author, does.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Then {
    Approve,
    Reject(String),
    /// Nobody does anything.
    Expire,
    Cancel,
}

/// What a person does in a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Settle {
    Retry,
}

/// Where the worker is killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum KillAt {
    Reserve,
    Wait,
    Publish,
    Release,
}

impl KillAt {
    pub(super) fn operation(self) -> Operation {
        match self {
            KillAt::Reserve | KillAt::Wait => Operation::Reserve,
            KillAt::Publish => Operation::Publish,
            KillAt::Release => Operation::Release,
        }
    }
}

impl Scenario {
    pub(super) fn submission(&self) -> Submission {
        Submission { id: self.id.clone(), revision: 1, title: self.title.clone(), body: self.body.clone() }
    }

    /// The faults to tell the gateway, each for this submission only.
    pub(super) fn told(&self) -> Vec<Fault> {
        let mut faults = self.faults.clone();
        if let Some(at) = self.kill.filter(|at| *at != KillAt::Wait) {
            let fault = FaultKind::DelayAfterCommit { milliseconds: WINDOW };
            faults.push(Fault { operation: at.operation(), submission: None, fault, times: Some(1) });
        }
        for fault in &mut faults {
            fault.submission = Some(self.id.clone());
        }
        faults
    }
}

pub(super) fn read(path: Option<&Path>) -> DeskResult<Vec<Scenario>> {
    let (name, text) = match path {
        Some(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
            (path.display().to_string(), text)
        }
        None => ("submissions.json".to_owned(), EXAMPLE.to_owned()),
    };
    let scenarios: Vec<Scenario> = serde_json::from_str(&text).map_err(|error| {
        let form = r#"[{"id": "tides", "title": "On tides", "then": "approve", "ends": "completed"}]"#;
        format!("{name}: {error}; expected JSON like {form}")
    })?;
    if scenarios.is_empty() {
        return Err(format!("{name} has no submissions").into());
    }
    let mut known = HashSet::new();
    for scenario in &scenarios {
        scenario.submission().check().map_err(|problem| format!("{name}: {problem}"))?;
        if !known.insert(&scenario.id) {
            return Err(format!("{name}: `{}` is there twice", scenario.id).into());
        }
    }
    Ok(scenarios)
}
