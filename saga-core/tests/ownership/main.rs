//! Claim, lease, fence, append and take-over, in every order in which two workers can do them to two runs.
//!
//! Exhaustive within its bounds: each run is granted and appended to a few times, one of the workers dies at most once. What bounds do
//! to a proof: a mistake that needs a longer history than these is not found here.
#![cfg(feature = "conformance")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test, and all of what it calls")]
#![allow(clippy::print_stdout, reason = "how much was walked is part of the answer")]

mod world;

use saga_core::store::{Page, RunFilter, Store, WorkerId};
use stateright::{Checker, HasDiscoveries, Model, Property};
use std::hash::{Hash, Hasher};
use world::{Action, LEASE, RUNS, Seldom, Truth, Worker, World, answer, append, body, claim, clock};

/// How often each run is granted: one of them back to whom it was taken from.
const GRANTS: [u64; 2] = [3, 2];
/// The entries of each journal, `started` included.
const ENTRIES: [u64; 2] = [3, 2];

/// What can make a difference to anything that happens later: time counts from now, and history only where it is written down.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Seen<'a> {
    workers: [&'a Worker; 2],
    dead: Option<(usize, &'a Worker)>,
    wrong: bool,
    runs: [SeenRun; 2],
    /// Which of two runs that are both due was due first.
    first: Option<std::cmp::Ordering>,
}

/// The epoch, who has it, how many ticks are left, and the length of the journal.
type SeenRun = (u64, Option<(usize, u8)>, i64, usize);

impl World {
    /// Whichever of the two workers is called the first: a world and its mirror image go on alike.
    fn seen(&self) -> Seen<'_> {
        self.seen_with(0).min(self.seen_with(1))
    }

    fn seen_with(&self, first: usize) -> Seen<'_> {
        let due = |truth: &Truth| truth.held.map(|(_, _, until)| until).or(truth.free).map(i64::from);
        let left = |truth: &Truth| due(truth).map_or(i64::MAX, |due| (due - i64::from(self.ticks)).max(0));
        let run = |truth: &Truth| {
            let holder = truth.held.map(|(worker, start, _)| (worker ^ first, start));
            (truth.epoch, holder, left(truth), truth.accepted.len())
        };
        let [one, other] = &self.truth;
        Seen {
            workers: [&self.workers[first], &self.workers[1 - first]],
            dead: self.dead.as_ref().map(|(worker, dead)| (worker ^ first, dead)),
            wrong: self.wrong.is_some(),
            runs: [run(one), run(other)],
            first: (left(one) == 0 && left(other) == 0).then(|| due(one).cmp(&due(other))),
        }
    }
}

impl PartialEq for World {
    fn eq(&self, other: &World) -> bool {
        self.seen() == other.seen()
    }
}

impl Hash for World {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.seen().hash(hasher);
    }
}

struct Ownership;

impl Model for Ownership {
    type State = World;
    type Action = Action;

    fn init_states(&self) -> Vec<World> {
        vec![World::new()]
    }

    fn actions(&self, world: &World, actions: &mut Vec<Action>) {
        for worker in 0..2 {
            for (run, entries) in ENTRIES.into_iter().enumerate() {
                let believes = world.workers[worker].believes[run];
                match believes {
                    None => actions.push(Action::Create { worker, run }),
                    Some((_, length)) if length < entries => actions.push(Action::Append { worker, run }),
                    Some(_) => {}
                }
                if believes.is_some() {
                    actions.push(Action::Release { worker, run });
                }
            }
            actions.extend([Action::Claim { worker }, Action::Renew { worker }]);
            if world.dead.is_none() {
                actions.extend([Action::Crash { worker }, Action::Leave { worker }]);
            }
        }
        if let Some((_, dead)) = &world.dead {
            actions.push(Action::LateRenew);
            let sent = |run: &usize| dead.believes[*run].is_some_and(|(_, length)| length < ENTRIES[*run]);
            actions.extend((0..2).filter(sent).map(|run| Action::LateAppend { run }));
        }
        actions.push(Action::Tick);
    }

    fn next_state(&self, world: &World, action: Action) -> Option<World> {
        let after = world.after(action);
        if (0..2)
            .all(|run| after.truth[run].epoch == GRANTS[run] && after.truth[run].accepted.len() as u64 == ENTRIES[run])
        {
            Seldom::note(Seldom::AllGrantedAndWritten);
        }
        Some(after)
    }

    fn within_boundary(&self, world: &World) -> bool {
        world.truth.iter().zip(GRANTS).all(|(truth, grants)| truth.epoch <= grants)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("every answer is the one that ownership demands", |_, world: &World| {
                world.wrong.is_none()
            }),
            Property::always("one worker for each epoch, and epochs only grow", |_, world: &World| {
                world.truth.iter().all(|truth| {
                    truth.accepted.is_sorted_by_key(|(epoch, ..)| *epoch)
                        && truth.accepted.windows(2).all(|two| two[0].0 != two[1].0 || two[0] == two[1])
                })
            }),
            Property::always("no entry is lost, overwritten or out of sequence", |_, world: &World| {
                (0..2).all(|run| journal_is_true(world, run))
            }),
            Property::always("whoever has a run is whom it was granted to", |_, world: &World| {
                let rows = answer(world.store.list(RunFilter::default(), Page::first(9)));
                let owner = |run: usize| world.truth[run].held.map(|(worker, start, _)| world::identity(worker, start));
                rows.iter().all(|row| {
                    let run = usize::from(row.run == RUNS[1]);
                    row.worker == owner(run) && row.fence == world.truth[run].epoch
                })
            }),
            Property::always(
                "a run whose lease has ended can be taken over, and then only its new owner writes",
                |_, world: &World| can_be_taken_over(world),
            ),
        ]
    }
}

fn journal_is_true(world: &World, run: usize) -> bool {
    let journal = answer(world.store.journal(RUNS[run], 0, 100));
    let accepted = &world.truth[run].accepted;
    journal.len() == accepted.len()
        && journal.iter().zip(accepted).zip(1..).all(|((entry, (epoch, worker, start)), sequence)| {
            entry.sequence == sequence && entry.body == body(*epoch, *worker, *start)
        })
}

/// In a copy of the store, later: a stranger gets every run, writes to it, and everybody else is refused.
fn can_be_taken_over(world: &World) -> bool {
    let later = world.store.fork(clock(world.ticks + LEASE));
    let claimed = claim(&later, WorkerId("stranger/1".to_owned()), 9);
    let there = world.truth.iter().filter(|truth| truth.epoch > 0).count();
    let believed = |run: usize| {
        let workers = world.workers.iter().chain(world.dead.iter().map(|(_, dead)| dead));
        workers.filter_map(move |worker| worker.believes[run])
    };
    claimed.len() == there
        && claimed.iter().all(|(run, fence, length)| {
            let stale = |(fence, _): (u64, u64)| append(&later, *run, fence, *length, Some(Vec::new())).is_err();
            *fence == world.truth[*run].epoch + 1
                && believed(*run).all(stale)
                && append(&later, *run, *fence, *length, Some(Vec::new())).is_ok()
                && believed(*run).all(stale)
        })
}

#[test]
fn no_order_of_operations_gives_a_run_two_owners_or_loses_an_entry() {
    let checker = Ownership.checker().threads(2).finish_when(HasDiscoveries::AnyFailures).spawn_bfs().join();
    let (states, steps, depth) = (checker.unique_state_count(), checker.state_count(), checker.max_depth());
    println!("{states} states, {steps} steps between them, {depth} deep");
    checker.assert_properties();
    assert!(Seldom::missed().is_empty(), "the walk never met {:?}", Seldom::missed());
    assert!(states > 90_000, "only {states} states: the walk is not what it was");
}
