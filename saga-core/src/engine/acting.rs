//! A run in memory, acting: flushes what is written, performs attempts, and records what they brought.

use super::attempt::{perform, phase_name};
use super::codec;
use super::resident::{Birth, Born, Resident, Stop, key_of};
use super::seal::Seal;
use super::shared::Shared;
use super::table::{Material, unrecordable};
use crate::decide::{Command, Head, Outcome, Perform, outcome};
use crate::journal::{Decision, Entry, Phase, Reason};
use crate::payload::Payload;
use crate::run::CallNumber;
use crate::saga::{AttemptCx, DecodeError, Fence, Found};
use crate::store::{Append, NewRun, Refused, Then, Write, Written};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;
use tracing::Instrument;

impl<P: Send + Sync + 'static> Resident<P> {
    /// Makes everything written so far durable. `guarded`: refused if something arrived that was not seen.
    pub(super) async fn flush(&mut self, shared: &Shared<P>, then: Then, guarded: bool) -> Result<(), Stop> {
        if self.pending.is_empty() && then == Then::Keep {
            return Ok(());
        }
        let entries = std::mem::take(&mut self.encoded);
        let head = Head::of(&self.run);
        if let Some(birth) = self.birth.take() {
            let claim = (then == Then::Keep).then(|| (shared.worker.clone(), shared.settings.lease));
            return self.be_born(shared, birth, move |run| NewRun { entries, head, claim, then, ..run }).await;
        }
        let write = Write::Append(Append {
            run: self.id(),
            fence: self.hold.fence,
            length: self.durable,
            entries,
            head,
            inbox_seen: guarded.then_some(self.inbox_seen),
            inbox_taken: self.pending.iter().filter_map(codec::taken).collect(),
            reviews: self.pending.iter().filter_map(|entry| codec::review_change(entry, &self.run)).collect(),
            then,
        });
        let mut delay = Duration::from_millis(20);
        let answer = loop {
            match shared.writer.write(write.clone()).await {
                Ok(answer) => break answer,
                // Nothing was written; an outcome in hand is worth waiting for as long as the run is ours.
                Err(error) if !self.hold.may_act() => return Err(Stop::Store(error)),
                Err(_) => tokio::time::sleep(delay).await,
            }
            delay = (delay * 2).min(Duration::from_secs(1));
        };
        match answer {
            Ok(Written::Appended { at }) => {
                shared.clock.saw(at);
                if self.pending.iter().any(asks) {
                    shared.asked.notify_one();
                }
                self.flushed();
                Ok(())
            }
            Ok(_) | Err(Refused::WrongLength { .. }) => Err(Stop::Reload(Vec::new())),
            Err(Refused::InboxMoved { last, .. }) => {
                shared.holds.arrived(self.id(), last);
                Err(Stop::Reload(self.pending[..self.facts].to_vec()))
            }
            Err(Refused::StaleFence { .. } | Refused::NoSuchRun(_) | Refused::AlreadyEnded { .. }) => {
                metrics::counter!("saga_leases_lost_total").increment(1);
                Err(Stop::Gone)
            }
            // The fault may lie in what was decided; the facts before it are tried by themselves, once.
            Err(_) if self.facts > 0 && self.facts < self.pending.len() => {
                Err(Stop::Reload(self.pending[..self.facts].to_vec()))
            }
            Err(refused) => Err(Stop::Broken(Reason::JournalBroken, refused.to_string())),
        }
    }

    fn flushed(&mut self) {
        self.durable = self.run.length;
        self.pending.clear();
        self.facts = 0;
    }

    async fn be_born(
        &mut self,
        shared: &Shared<P>,
        birth: Birth,
        fill: impl FnOnce(NewRun) -> NewRun,
    ) -> Result<(), Stop> {
        let Birth { run, answer } = birth;
        let saga = run.definition.saga.clone();
        let (born, result) = match shared.writer.write(Write::Create(fill(run))).await {
            Ok(Ok(Written::Created { at })) => {
                shared.clock.saw(at);
                self.hold.is_known();
                self.flushed();
                metrics::counter!("saga_runs_started_total", "saga" => saga).increment(1);
                (Ok(Born::Created), Ok(()))
            }
            Ok(Ok(Written::Existing(row))) => (Ok(Born::Existing(row)), Err(Stop::Gone)),
            Ok(Ok(_)) => (Ok(Born::Created), Err(Stop::Reload(Vec::new()))),
            Ok(Err(refused)) => (Ok(Born::Refused(refused)), Err(Stop::Gone)),
            Err(error) => (Err(error), Err(Stop::Gone)),
        };
        // Whoever started the run may have gone; the run is durable all the same.
        let _ = answer.send(born);
        result
    }

    /// Inputs that are too large, or could not be read back after a crash, are refused before they are journaled.
    pub(super) fn cannot_be_journaled(&self, shared: &Shared<P>, entry: &mut Entry) -> Option<String> {
        let Entry::StepIntended { step, inputs, needs, consumes, .. } = entry else { return None };
        if let Err(error) = shared.seal.seal("all inputs together", inputs) {
            return Some(format!("the inputs of `{step}` cannot be journaled: {error}"));
        }
        let known = self.registered.steps.get(step)?;
        let evidence = self.evidence(needs.iter().chain(&*consumes));
        let material = Material { inputs: inputs.clone(), evidence, made: None };
        let error = known.can_read(self.id(), &material).err()?;
        Some(format!("the inputs of `{step}` do not survive being journaled: {error}"))
    }

    /// A person's text that is no output of the step is refused: the review stays open, and nothing follows from the decision.
    pub(super) fn checked(&self, shared: &Shared<P>, mut entries: Vec<Entry>) -> Vec<Entry> {
        let Some(Entry::ReviewSettled { review, request, decision: Decision::MarkApplied { output }, by, .. }) =
            entries.first_mut()
        else {
            return entries;
        };
        let step = self.run.open_review().and_then(|review| review.call).and_then(|call| self.run.step(call));
        let known = step.and_then(|step| self.registered.steps.get(&step.step));
        let fits = shared.seal.seal("the output", output);
        match fits.and_then(|()| known.map_or(Ok(()), |known| known.can_be_output(output))) {
            Err(error) => {
                let why = crate::saga::cut(&error.to_string());
                vec![Entry::DecisionRefused { review: *review, request: *request, by: by.clone(), why }]
            }
            Ok(()) => entries,
        }
    }

    fn evidence<'a>(&self, calls: impl Iterator<Item = &'a CallNumber>) -> Vec<(CallNumber, Payload)> {
        calls.filter_map(|call| Some((*call, self.run.step(*call)?.output()?.clone()))).collect()
    }

    /// Performs an attempt whose start was just written.
    pub(super) async fn attempt(&mut self, shared: &Shared<P>, start: Perform) -> Result<(), Stop> {
        let Perform { call, phase, attempt } = start;
        let Some(state) = self.run.step(call) else { return Ok(()) };
        let name = state.step.clone();
        let Some(step) = self.registered.steps.get(&name).cloned() else {
            return Err(Stop::Broken(Reason::DefinitionMissing, format!("this worker has no step `{name}`")));
        };
        let material = Material {
            inputs: state.inputs.clone(),
            evidence: self.evidence(state.needs.iter().chain(&state.consumes)),
            made: state.output().cloned(),
        };
        self.flush(shared, Then::Keep, phase == Phase::Forward).await?;
        if !self.hold.may_act() {
            return Err(Stop::Gone);
        }
        let (cancel, cancelled) = watch::channel(false);
        let contract = step.contract();
        let step_span = tracing::info_span!("step", step = name, call = call.0);
        let span = tracing::info_span!(parent: &step_span, "attempt", phase = phase_name(phase), attempt);
        let cx = AttemptCx {
            run: self.id(),
            call,
            key: key_of(self.id(), call, &name, phase),
            effect_key: key_of(self.id(), call, &name, Phase::Forward),
            attempt,
            fence: Fence { epoch: self.hold.fence, deadline: self.hold.until().into_std() },
            deadline: Instant::now() + contract.timeout,
            cancelled,
            span,
        };
        let asked = shared.clock.now();
        let performing = perform(step, shared.environment.clone(), phase, cx, material);
        let brought = self.accompany(shared, performing, phase, &cancel).instrument(step_span).await?;
        let brought = brought.map_err(|error| Stop::Broken(Reason::JournalBroken, error.to_string()))?;
        let brought = recordable(&shared.seal, brought);
        for entry in outcome(&self.run, contract, call, phase, brought, asked, shared.luck()) {
            self.write(shared, entry)?;
        }
        self.facts = self.pending.len();
        Ok(())
    }

    /// Waits for an attempt beside what may happen meanwhile: a lost lease, a cancel, a stop.
    async fn accompany(
        &mut self,
        shared: &Shared<P>,
        performing: impl Future<Output = Result<Outcome, DecodeError>>,
        phase: Phase,
        cancel: &watch::Sender<bool>,
    ) -> Result<Result<Outcome, DecodeError>, Stop> {
        let hold = self.hold.clone();
        let lost = hold.lost();
        let grace_over = shared.grace_over();
        tokio::pin!(performing, lost, grace_over);
        loop {
            tokio::select! {
               biased;
                brought = &mut performing => return Ok(brought),
                () = &mut lost => {
                    metrics::counter!("saga_leases_lost_total").increment(1);
                    return Err(Stop::Gone);
                }
                () = hold.changed.notified(), if phase != Phase::Undo && !*cancel.borrow() => {
                    self.read_inbox(shared).await?;
                    if self.inbox.iter().any(|item| matches!(item.command, Command::Cancel { .. })) {
                        cancel.send_replace(true);
                    }
                }
                () = &mut grace_over => return Ok(Ok(Outcome::Interrupted)),
            }
        }
    }
}

/// Whether somebody is to be told of what the entry says.
pub(super) fn asks(entry: &Entry) -> bool {
    matches!(entry, Entry::ReviewOpened { .. } | Entry::ReviewSettled { decision: Decision::Escalate { .. }, .. })
}

/// An outcome whose payload can be stored. Of an effect that is there, but whose output cannot be kept, nothing can be proven.
fn recordable(seal: &Seal, mut brought: Outcome) -> Outcome {
    let kept = match &mut brought {
        Outcome::Done(output) | Outcome::Found(Found::Applied(output)) => seal.seal("the output", output),
        Outcome::Failed(_, error) => {
            if error.as_mut().is_some_and(|error| seal.seal("the error", error).is_err()) {
                *error = None;
            }
            Ok(())
        }
        _ => Ok(()),
    };
    kept.map_or_else(|error| unrecordable(&error), |()| brought)
}
