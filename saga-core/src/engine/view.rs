//! The steps of a run as a person may see them: inputs and outputs as text, with what was declared `redact` masked.

use crate::contract::StepContract;
use crate::definition::Definition;
use crate::journal::{By, Run, StepState, StepStatus};
use crate::payload::Payload;
use crate::run::CallNumber;
use crate::saga::FailureReport;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// What stands where something is masked.
const MASK: &str = "[redacted]";

/// One step of a run, for people. Numbers in the texts are the digits that were written: nothing passes through a float.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StepView {
    /// The call.
    pub call: CallNumber,
    /// The step.
    pub step: String,
    /// What is known of its effect, in a word or two.
    pub state: &'static str,
    /// Its inputs by name, as JSON text.
    pub inputs: Vec<(String, String)>,
    /// Its output, as JSON text.
    pub output: Option<String>,
    /// How often it was attempted, looked up, and undone.
    pub attempts: (u32, u32, u32),
    /// The last failure of any of them.
    pub last: Option<FailureReport>,
}

/// The steps of a run. A step that the definition does not have shows nothing of its payloads.
pub(crate) fn steps(run: &Run, definition: &Definition) -> Vec<StepView> {
    run.steps().map(|(call, step)| view(call, step, definition.step(&step.step))).collect()
}

fn view(call: CallNumber, step: &StepState, contract: Option<&StepContract>) -> StepView {
    let shows = |name: &str| contract.is_some_and(|contract| contract.shows(name));
    let last = [&step.undo, &step.check, &step.forward].into_iter().find_map(|attempts| attempts.last.as_ref());
    StepView {
        call,
        step: step.step.clone(),
        state: state(step),
        inputs: inputs(&step.inputs, shows),
        output: step.output().map(|output| if shows("output") { output.text() } else { MASK.to_owned() }),
        attempts: (step.forward.started, step.check.started, step.undo.started),
        last: last.map(|(report, _)| report.clone()),
    }
}

fn inputs(payload: &Payload, shows: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let Ok(members) = serde_json::from_slice::<BTreeMap<String, &RawValue>>(payload.bytes()) else {
        return vec![("?".to_owned(), MASK.to_owned())];
    };
    let shown = |name: String, value: &RawValue| {
        let text = if shows(&name) { value.get().to_owned() } else { MASK.to_owned() };
        (name, text)
    };
    members.into_iter().map(|(name, value)| shown(name, value)).collect()
}

fn state(step: &StepState) -> &'static str {
    match &step.status {
        _ if step.undone == Some(By::Person) => "undone by hand",
        _ if step.undone.is_some() => "undone",
        StepStatus::Failed { .. } => "not applied",
        StepStatus::Done { .. } if step.consumed_by.is_some() => "applied, consumed",
        StepStatus::Done { .. } if step.kept => "applied, kept",
        StepStatus::Done { .. } => "applied",
        StepStatus::Open if step.doubt.is_some() => "unknown",
        StepStatus::Open => "attempting",
    }
}
