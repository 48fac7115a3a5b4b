//! Walks random sagas through random worlds with nothing but the core: no store, no clock, no body.
//!
//! A world has a ledger of effects. After every walk: nothing was done twice that may not be, an ended run accounts for every
//! effect, undo ran in reverse order, and nothing went forward during an unwind. Property tests and the fuzzer both drive it;
//! where the script comes from it must not know.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a walk is a proof: it ends with a panic where the core is wrong"
)]

mod sound;
mod world;

pub(crate) use sound::{ask, consistent};
pub(crate) use world::{BEFORE_PIVOT, Script, world};

use super::*;
use crate::contract::{Class, Idempotency};
use crate::journal::{Action, Decision, StepStatus};
use crate::run::RunId;
use crate::saga::{Found, RequestKind};
use std::collections::BTreeMap;
use std::time::Duration;

/// One walk.
pub(crate) struct Walk {
    script: Script,
    definition: &'static Definition,
    contracts: &'static [StepContract],
    pub(crate) run: Run,
    pub(crate) journal: Vec<(Entry, Timestamp)>,
    answered: usize,
    failed: bool,
    body: BodyAt,
    pub(crate) now: Timestamp,
    inbox: Vec<Item>,
    chosen: usize,
    /// Effects that are there, and how often each was really made.
    effects: BTreeMap<CallNumber, u32>,
    made: BTreeMap<CallNumber, u32>,
    undone: Vec<CallNumber>,
    pub(crate) faults: bool,
}

impl Walk {
    pub(crate) fn new(script: Script, contracts: &'static [StepContract], definition: &'static Definition) -> Walk {
        let first = Entry::Started {
            saga: "walk".to_owned(),
            version: 1,
            fingerprint: definition.fingerprint(),
            inputs: Payload::from_bytes(*b"{}"),
            deadline: Some(Duration::from_secs(3_600)),
        };
        let run = Run::begin(RunId(Uuid::nil()), &first, Timestamp(0)).unwrap();
        Walk {
            script,
            definition,
            contracts,
            run,
            journal: vec![(first, Timestamp(0))],
            answered: 0,
            failed: false,
            body: BodyAt::Unknown,
            now: Timestamp(0),
            inbox: Vec::new(),
            chosen: 0,
            effects: BTreeMap::new(),
            made: BTreeMap::new(),
            undone: Vec::new(),
            faults: true,
        }
    }

    fn choose(&mut self, among: u8) -> u8 {
        let choice = self.script.choices.get(self.chosen).copied().unwrap_or(0);
        self.chosen += 1;
        if self.faults { choice % among } else { 0 }
    }

    /// The body of the script: its steps one after the other, a wait before the last, an error at the end if it refuses.
    fn poll(&self) -> BodyAt {
        let returned = || Payload::from_bytes(*b"null");
        if self.failed {
            return BodyAt::Returned(Err((returned(), "a step failed".to_owned())));
        }
        let mut kinds: Vec<RequestKind> = self
            .script
            .steps
            .iter()
            .map(|index| RequestKind::Step {
                name: self.contracts[*index].name,
                inputs: crate::saga::WrittenInputs {
                    payload: Payload::from_bytes(*b"{}"),
                    needs: Vec::new(),
                    consumes: Vec::new(),
                },
            })
            .collect();
        if self.script.waits {
            let at = kinds.len().saturating_sub(1);
            kinds.insert(at, RequestKind::Signal { name: "go", within: Some(Duration::from_secs(60)) });
        }
        match kinds.into_iter().nth(self.answered) {
            Some(kind) => BodyAt::Asks(Request { call: CallNumber(self.answered as u32), kind }),
            None if self.script.refuses => BodyAt::Returned(Err((returned(), "refused".to_owned()))),
            None => BodyAt::Returned(Ok(returned())),
        }
    }

    fn write(&mut self, entry: Entry) {
        if matches!(entry, Entry::StepIntended { .. } | Entry::AttemptStarted { phase: Phase::Forward, .. }) {
            assert_eq!(self.run.phase, RunPhase::Forward, "forward work during an unwind");
        }
        self.run.apply(&entry, self.now).unwrap_or_else(|broken| panic!("{broken}: {:?}", self.journal));
        self.inbox.retain(|item| !self.run.inbox_taken.contains(&item.number));
        self.journal.push((entry, self.now));
        let unsettled = self.run.steps().filter(|(_, step)| step.is_unsettled()).map(|(call, _)| call);
        assert!(unsettled.eq(self.run.unsettled_steps().map(|(call, _)| call)), "{:?}", self.journal);
    }

    /// Everything in memory is gone; the journal stays.
    pub(crate) fn crash(&mut self) {
        self.run = refold(&self.journal);
        self.body = BodyAt::Unknown;
        self.answered = 0;
        self.failed = false;
    }

    fn perform(&mut self, perform: Perform) {
        let Perform { call, phase, .. } = perform;
        let step = self.run.step(call).unwrap();
        let contract = self.definition.step(&step.step).unwrap();
        let had_output = step.output().is_some();
        let asked = self.now;
        let fail = |class| Outcome::Failed(FailureReport::seen(class, "walk", "walk"), None);
        let choice = self.choose(8);
        let brought = match phase {
            Phase::Forward => {
                let applies = matches!(choice, 0 | 4 | 6);
                if applies {
                    *self.made.entry(call).or_default() += u32::from(
                        self.effects.insert(call, 1).is_none() || contract.idempotency == Idempotency::NotIdempotent,
                    );
                }
                match choice {
                    0 | 7 if applies => Outcome::Done(Payload::from_bytes(*b"1")),
                    1 => fail(Class::Transient),
                    2 => fail(Class::Refused),
                    3 | 4 => fail(Class::Unknown),
                    5 | 6 => return self.crash(),
                    _ => Outcome::Interrupted,
                }
            }
            Phase::Check => match choice {
                0..=3 if self.effects.contains_key(&call) => Outcome::Found(Found::Applied(Payload::from_bytes(*b"1"))),
                0..=3 => Outcome::Found(Found::NotApplied),
                4 => Outcome::Found(Found::Pending),
                5 => Outcome::Found(Found::CannotTell),
                6 => return self.crash(),
                _ => fail(Class::Transient),
            },
            Phase::Undo => {
                assert!(had_output || contract.undo_is_safe_when_absent(), "an undo without what it needs");
                if matches!(choice, 0 | 4 | 6) {
                    self.effects.remove(&call);
                    self.undone.push(call);
                }
                match choice {
                    0 => Outcome::Undone,
                    2 => fail(Class::Refused),
                    5 | 6 => return self.crash(),
                    7 => Outcome::Interrupted,
                    _ => fail(Class::Unknown),
                }
            }
        };
        self.now = self.now.plus(Duration::from_millis(10));
        for entry in outcome(&self.run, contract, call, phase, brought, asked, 0.5) {
            self.write(entry);
        }
    }

    /// One decision and what follows from it; `true` when the run is over.
    pub(crate) fn step_once(&mut self) -> bool {
        let situation = Situation {
            run: &self.run,
            definition: self.definition,
            body: &self.body,
            inbox: &self.inbox,
            now: self.now,
            in_flight: false,
            fresh: Uuid::nil(),
        };
        match ask(&situation) {
            Next::Over => return true,
            Next::Write(entries) => {
                let due = entries.iter().find_map(to_perform);
                entries.into_iter().for_each(|entry| self.write(entry));
                if let Some(due) = due {
                    self.perform(due);
                }
            }
            Next::Poll => self.body = self.poll(),
            Next::Answer(answer) => {
                self.failed |= matches!(answer, Answer::Failed(_));
                self.answered += 1;
                self.body = self.poll();
            }
            Next::Rest { until: Some(until) } => self.now = until.max(self.now),
            Next::Rest { until: None } => self.answer_review(),
            Next::Diverged(why) => panic!("{why}: {:?}", self.journal),
        }
        false
    }

    /// Drives until the run is over; a person answers every review with an action that it offers, truthfully.
    pub(crate) fn drive(&mut self) {
        for _ in 0..2_000 {
            if self.choose(40) == 39 && !self.run.past_pivot() && self.run.phase == RunPhase::Forward {
                let number = self.run.inbox_taken.len() as u64 + self.inbox.len() as u64 + 1;
                let command = Command::Cancel { by: "walk".to_owned(), reason: String::new() };
                self.inbox.push(Item { number: number + 1_000, command });
            }
            if self.step_once() {
                return;
            }
        }
        panic!("the walk does not end: {:#?}", self.journal);
    }

    fn answer_review(&mut self) {
        let review = self.run.open_review().unwrap_or_else(|| panic!("rests for ever: {:?}", self.journal)).clone();
        assert!(review.actions.contains(&Action::Abandon) && review.actions.contains(&Action::Escalate));
        let there = review.call.is_some_and(|call| self.effects.contains_key(&call));
        let pick = usize::from(self.choose(6));
        let wanted: Vec<Action> = review
            .actions
            .iter()
            .copied()
            .filter(|action| match action {
                Action::Escalate => false,
                Action::MarkApplied => there,
                Action::MarkNotApplied | Action::MarkUndone => !there,
                _ => true,
            })
            .collect();
        let decision = match wanted[pick % wanted.len()] {
            Action::Retry => Decision::Retry,
            Action::Verify => Decision::Verify,
            Action::Compensate => Decision::Compensate,
            Action::MarkApplied => Decision::MarkApplied { output: Payload::from_bytes(*b"1") },
            Action::MarkNotApplied => Decision::MarkNotApplied,
            Action::MarkUndone => Decision::MarkUndone,
            Action::Escalate | Action::Abandon => Decision::Abandon,
        };
        let number = self.journal.len() as u64;
        let command =
            Command::Decide { review: review.number, decision, by: "walk".to_owned(), note: "seen".to_owned() };
        self.inbox.push(Item { number, command });
    }

    pub(crate) fn check(&self) {
        for (call, times) in &self.made {
            let step = self.run.step(*call).unwrap();
            let contract = self.definition.step(&step.step).unwrap();
            let once = contract.idempotency == Idempotency::NotIdempotent && !contract.is_read_only();
            if once && !self.undone.contains(call) {
                assert!(*times <= 1, "`{}` was done {times} times: {:#?}", step.step, self.journal);
            }
        }
        let left: Vec<CallNumber> = self.effects.keys().copied().collect();
        match self.run.ended().unwrap() {
            End::Completed { .. } => {
                for (call, step) in self.run.steps() {
                    assert!(matches!(step.status, StepStatus::Done { .. }), "completed with {step:?}");
                    assert!(left.contains(&call), "completed without the effect of `{}`", step.step);
                }
            }
            End::Refused { .. } | End::Cancelled => {
                for call in left {
                    let step = self.run.step(call).unwrap();
                    let read_only = step.step.ends_with("look");
                    assert!(step.kept || read_only, "ended undone, but `{}` is left: {:#?}", step.step, self.journal);
                }
            }
            End::Abandoned { left: named, .. } => {
                for call in left {
                    assert!(
                        named.contains(&call) || self.run.step(call).unwrap().step.ends_with("look"),
                        "{call} was left unnamed"
                    );
                }
            }
        }
        let undo_order: Vec<CallNumber> = self
            .journal
            .iter()
            .skip_while(|(entry, _)| !matches!(entry, Entry::UnwindStarted { .. }))
            .filter_map(|(entry, _)| match entry {
                Entry::Undone { call, .. } => Some(*call),
                _ => None,
            })
            .collect();
        assert!(undo_order.is_sorted_by(|earlier, later| earlier > later), "undone out of order: {undo_order:?}");
    }
}

pub(crate) fn refold(journal: &[(Entry, Timestamp)]) -> Run {
    let mut run = Run::begin(RunId(Uuid::nil()), &journal[0].0, journal[0].1).unwrap();
    for (entry, at) in &journal[1..] {
        run.apply(entry, *at).unwrap_or_else(|broken| panic!("{broken}: {journal:?}"));
    }
    run
}
