//! Walks random sagas through random worlds with nothing but the core: no store, no clock, no body.
//!
//! A world has a ledger of effects. After every walk: nothing was done twice that may not be, an ended run accounts for every
//! effect, undo ran in reverse order, nothing went forward during an unwind, and every prefix of the journal is accepted.

use super::*;
use crate::contract::{
    Class, DEFAULT_CHECKS, DEFAULT_TIMEOUT, Idempotency, Needs, OnUnknown, Retry, Reversibility, Verification,
};
use crate::definition::{Node, NodeKind};
use crate::journal::{Action, Decision, StepStatus};
use crate::run::RunId;
use crate::saga::{Found, RequestKind};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::time::Duration;

/// The contracts a walk may use, one for each class that behaves differently.
fn contract(
    name: &'static str,
    reversibility: Reversibility,
    idempotency: Idempotency,
    verifiable: bool,
) -> StepContract {
    let verification = verifiable
        .then_some(Verification { settle: Duration::from_secs(2), retry: Retry { times: 4, ..DEFAULT_CHECKS } });
    StepContract {
        name,
        module: "walk",
        reversibility,
        verification,
        idempotency,
        unknown: if !verifiable && idempotency == Idempotency::NotIdempotent {
            OnUnknown::Review
        } else {
            OnUnknown::Resolve
        },
        retriable: false,
        retry: Retry { times: 3, ..Retry::DEFAULT },
        undo_retry: Retry { times: 3, ..Retry::DEFAULT_UNDO },
        timeout: DEFAULT_TIMEOUT,
        within: None,
        requires: &[],
        inputs: &[],
        redacted: &[],
        owner: None,
    }
}

fn contracts() -> Vec<StepContract> {
    use Idempotency::{ByKey, Idempotent, NotIdempotent};
    use Reversibility::{Compensable, Irreversible, Kept, ReadOnly};
    let absent = Compensable { needs: Needs::Nothing };
    let output = Compensable { needs: Needs::Output };
    vec![
        contract("undo_by_key", absent, ByKey, false),
        contract("undo_verified", absent, NotIdempotent, true),
        contract("undo_reviewed", absent, NotIdempotent, false),
        contract("undo_output", output, Idempotent, true),
        contract("undo_output_once", output, NotIdempotent, true),
        contract("kept", Kept, NotIdempotent, true),
        contract("look", ReadOnly, Idempotent, false),
        // Pivots stand last: only the end of a script may use them, and only retriable steps may follow.
        contract("pivot_by_key", Irreversible, ByKey, false),
        contract("pivot_verified", Irreversible, NotIdempotent, true),
        StepContract { retriable: true, ..contract("after_by_key", absent, ByKey, false) },
        StepContract { retriable: true, ..contract("after_look", ReadOnly, NotIdempotent, false) },
    ]
}

const BEFORE_PIVOT: usize = 7;

#[derive(Debug, Clone)]
struct Script {
    steps: Vec<usize>,
    waits: bool,
    refuses: bool,
    choices: Vec<u8>,
}

fn scripts() -> impl Strategy<Value = Script> {
    let before = proptest::collection::vec(0..BEFORE_PIVOT, 0..4);
    let pivot = proptest::option::of(BEFORE_PIVOT..BEFORE_PIVOT + 2);
    let after = proptest::collection::vec(BEFORE_PIVOT + 2..BEFORE_PIVOT + 4, 0..2);
    let choices = proptest::collection::vec(any::<u8>(), 0..120);
    (before, pivot, after, any::<bool>(), any::<bool>(), choices).prop_map(
        |(mut steps, pivot, after, waits, refuses, choices)| {
            let refuses = refuses && pivot.is_none();
            if let Some(pivot) = pivot {
                steps.push(pivot);
                steps.extend(after);
            }
            Script { steps, waits, refuses, choices }
        },
    )
}

struct Walk {
    script: Script,
    definition: &'static Definition,
    contracts: &'static [StepContract],
    run: Run,
    journal: Vec<(Entry, Timestamp)>,
    answered: usize,
    failed: bool,
    body: BodyAt,
    now: Timestamp,
    inbox: Vec<Item>,
    chosen: usize,
    /// Effects that are there, and how often each was really made.
    effects: BTreeMap<CallNumber, u32>,
    made: BTreeMap<CallNumber, u32>,
    undone: Vec<CallNumber>,
    faults: bool,
}

impl Walk {
    fn new(script: Script, contracts: &'static [StepContract], definition: &'static Definition) -> Walk {
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
    fn crash(&mut self) {
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
    fn step_once(&mut self) -> bool {
        let situation = Situation {
            run: &self.run,
            definition: self.definition,
            body: &self.body,
            inbox: &self.inbox,
            now: self.now,
            in_flight: false,
            fresh: Uuid::nil(),
        };
        match next(&situation) {
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
    fn drive(&mut self) {
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

    fn check(&self) {
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

fn refold(journal: &[(Entry, Timestamp)]) -> Run {
    let mut run = Run::begin(RunId(Uuid::nil()), &journal[0].0, journal[0].1).unwrap();
    for (entry, at) in &journal[1..] {
        run.apply(entry, *at).unwrap_or_else(|broken| panic!("{broken}: {journal:?}"));
    }
    run
}

fn world() -> (&'static [StepContract], &'static Definition) {
    let contracts: &'static [StepContract] = contracts().leak();
    let nodes: Vec<Node> =
        contracts.iter().map(|contract| Node { kind: NodeKind::Step(contract), first: 0, edges: 0 }).collect();
    let definition =
        Definition { name: "walk", version: 1, owner: "walkers", deadline: None, nodes: nodes.leak(), edges: &[] };
    (contracts, Box::leak(Box::new(definition)))
}

/// More walks than the default when asked: `PROPTEST_CASES=100000 cargo test -p saga-core walk`.
#[test]
fn every_walk_accounts_for_every_effect() {
    let (contracts, definition) = world();
    proptest!(ProptestConfig::with_cases(ProptestConfig::default().cases.max(2_000)), |(script in scripts())| {
        let mut walk = Walk::new(script, contracts, definition);
        walk.drive();
        walk.check();
    });
}

/// Recovery accepts every prefix that the core can write, and a run goes on from each of them to an end.
#[test]
fn every_prefix_is_accepted_and_goes_on_to_an_end() {
    let (contracts, definition) = world();
    proptest!(ProptestConfig::with_cases(ProptestConfig::default().cases.max(200)), |(script in scripts())| {
        let mut whole = Walk::new(script.clone(), contracts, definition);
        whole.drive();
        for length in 1..=whole.journal.len() {
            let mut walk = Walk::new(script.clone(), contracts, definition);
            walk.journal.truncate(0);
            walk.journal.extend(whole.journal[..length].iter().cloned());
            walk.faults = false;
            walk.now = whole.now;
            walk.crash();
            walk.drive();
            prop_assert!(walk.run.ended().is_some());
        }
    });
}

/// Entries in any order are either folded or refused, never a panic; a refused one leaves the run as it was.
#[test]
fn arbitrary_entries_never_panic_and_a_refused_one_changes_nothing() {
    let (contracts, definition) = world();
    proptest!(|(left in scripts(), right in scripts(), picks in proptest::collection::vec(any::<prop::sample::Index>(), 1..60))| {
        let entries: Vec<Entry> = [left, right]
            .into_iter()
            .flat_map(|script| {
                let mut walk = Walk::new(script, contracts, definition);
                walk.drive();
                walk.journal.into_iter().map(|(entry, _)| entry)
            })
            .collect();
        let mut run = Run::begin(RunId(Uuid::nil()), &entries[0], Timestamp(0)).unwrap();
        for pick in picks {
            let before = run.clone();
            if run.apply(pick.get(&entries), Timestamp(9)).is_err() {
                prop_assert_eq!(&run, &before);
            }
            let body = BodyAt::Unknown;
            let situation = Situation { run: &run, definition, body: &body, inbox: &[], now: Timestamp(9), in_flight: false, fresh: Uuid::nil() };
            let _ = next(&situation);
            let _ = Head::of(&run);
        }
    });
}

/// The walks are worth something only if they get everywhere.
#[test]
fn walks_reach_every_kind_of_entry_end_and_review() {
    use proptest::strategy::ValueTree;
    let (contracts, definition) = world();
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..4_000 {
        let script = scripts().new_tree(&mut runner).unwrap().current();
        let mut walk = Walk::new(script, contracts, definition);
        walk.drive();
        for (entry, _) in &walk.journal {
            seen.insert(entry.kind().to_owned());
            if let Entry::ReviewOpened { reason, .. } = entry {
                seen.insert(reason.name().to_owned());
            }
        }
        seen.insert(Head::of(&walk.run).state.name().to_owned());
    }
    let wanted = [
        "started",
        "step_intended",
        "attempt_started",
        "attempt_failed",
        "attempt_lost",
        "attempt_interrupted",
        "looked",
        "step_done",
        "step_failed",
        "undone",
        "kept",
        "wait_started",
        "wait_elapsed",
        "cancel_taken",
        "unwind_started",
        "review_opened",
        "review_settled",
        "ended",
        "unknown_outcome",
        "undo_failed",
        "undo_refused",
        "completed",
        "refused",
        "cancelled",
        "abandoned",
    ];
    let missing: Vec<&str> = wanted.into_iter().filter(|kind| !seen.contains(*kind)).collect();
    assert!(missing.is_empty(), "no walk reached {missing:?}");
}

/// Its worker is lost at the same place again and again: a person is asked, and the next worker is spared.
#[test]
fn a_worker_that_is_lost_again_and_again_ends_in_a_review() {
    let (contracts, definition) = world();
    for (steps, sent) in [(vec![0], CRASH_LIMIT), (vec![2], 1)] {
        let script = Script { steps, waits: false, refuses: false, choices: vec![5; 200] };
        let mut walk = Walk::new(script, contracts, definition);
        let mut opened = None;
        for _ in 0..100 {
            walk.step_once();
            opened = walk.run.open_review().map(|review| review.reason);
            if opened.is_some() {
                break;
            }
        }
        let step = walk.run.step(CallNumber(0)).unwrap();
        let wanted = if sent == 1 { Reason::UnknownOutcome } else { Reason::CrashLoop };
        assert_eq!((opened, step.forward.started), (Some(wanted), sent));
    }
}

#[test]
fn an_unwind_does_not_look_again_at_what_is_settled() {
    let entries = [
        r#"{"started":{"saga":"s","version":1,"fingerprint":7,"inputs":"{}"}}"#,
        r#"{"step_intended":{"call":0,"step":"a","inputs":"{}"}}"#,
        r#"{"step_done":{"call":0,"output":"1","by":"reply"}}"#,
        r#"{"step_intended":{"call":1,"step":"b","inputs":"{}"}}"#,
        r#"{"step_done":{"call":1,"output":"1","by":"reply"}}"#,
        r#"{"step_intended":{"call":2,"step":"c","inputs":"{}","consumes":[0]}}"#,
        r#"{"step_done":{"call":2,"output":"1","by":"reply"}}"#,
        r#"{"unwind_started":{"cause":"deadline_exceeded"}}"#,
        r#"{"attempt_started":{"call":2,"phase":"undo","attempt":1}}"#,
        r#"{"undone":{"call":2,"by":"reply"}}"#,
    ];
    let journal: Vec<(Entry, Timestamp)> =
        entries.iter().map(|text| (serde_json::from_str(text).unwrap(), Timestamp(0))).collect();
    let unsettled = |length| refold(&journal[..length]).unsettled_steps().map(|(call, _)| call.0).collect::<Vec<_>>();
    assert_eq!((unsettled(6), unsettled(7), unsettled(10)), (vec![0, 1, 2], vec![1, 2], vec![1]));
}
