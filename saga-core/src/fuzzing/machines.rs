//! Machines from bytes: any graph, of which most look like a body and some like nothing that `#[saga]` would write.

use super::Bytes;
use crate::contract::{DEFAULT_CHECKS, Idempotency, Needs, Retry, Reversibility, StepContract, StepName, Verification};
use crate::definition::{Edge, Node, NodeKind, On, Returned};
use std::sync::OnceLock;
use std::time::Duration;

/// Words that must not break out of where they are drawn. Each has a mark, so that it is found again.
const WORDS: [&str; 6] = ["§go", "§\"", "§\n", "§}}", "§]|", "§🦀"];

const FIRST: StepName = StepName { name: "s0", module: "here" };
const SECOND: StepName = StepName { name: "s1", module: "here" };

/// Contracts of every class, two of them with one name, some that require others. Leaked once: a definition is `'static`.
pub(super) fn contracts() -> &'static [StepContract] {
    static CONTRACTS: OnceLock<Vec<StepContract>> = OnceLock::new();
    CONTRACTS.get_or_init(|| {
        use Reversibility::{Compensable, Irreversible, Kept, ReadOnly};
        let absent = Compensable { needs: Needs::Nothing };
        let plain = |name, reversibility, idempotency| StepContract::plain(name, "here", reversibility, idempotency);
        let verification = Some(Verification { settle: Duration::from_secs(1), retry: DEFAULT_CHECKS });
        let pivot = plain("s2", Irreversible, Idempotency::ByKey);
        vec![
            plain("s0", absent, Idempotency::ByKey),
            plain("s1", ReadOnly, Idempotency::Idempotent),
            pivot,
            StepContract { name: "s3", ..pivot },
            StepContract { name: "s4", retriable: true, ..pivot },
            StepContract { retriable: true, inputs: &["a"], ..plain("s5", absent, Idempotency::NotIdempotent) },
            StepContract { verification, ..plain("s6", Kept, Idempotency::NotIdempotent) },
            StepContract {
                requires: &[FIRST],
                ..plain("s7", Compensable { needs: Needs::Output }, Idempotency::ByKey)
            },
            StepContract { name: "s8", requires: &[SECOND, FIRST], inputs: &["a", "b"], ..pivot },
            StepContract { module: "elsewhere", ..plain("s0", absent, Idempotency::Idempotent) },
            StepContract { retry: Retry::ONCE, owner: Some("else"), ..plain("s0", absent, Idempotency::ByKey) },
        ]
    })
}

/// A machine: mostly of a handful of nodes, so that all of its paths can be walked.
pub(super) fn machine(bytes: &mut Bytes<'_>) -> Vec<(NodeKind, Vec<Edge>)> {
    let count = if bytes.rarely(16) { 1 + bytes.below(60) } else { 1 + bytes.below(8) };
    (0..count).map(|index| node(bytes, index, count)).collect()
}

fn node(bytes: &mut Bytes<'_>, index: usize, count: usize) -> (NodeKind, Vec<Edge>) {
    let kind = match (index, bytes.below(16)) {
        (0, choice) if choice != 15 => NodeKind::Start,
        (_, 0..8) => NodeKind::Step(&contracts()[bytes.below(contracts().len())]),
        (_, 8) => NodeKind::Signal { name: bytes.pick(&WORDS), bounded: !bytes.rarely(4) },
        (_, 9) => NodeKind::Sleep,
        (_, 10) => NodeKind::Value(bytes.pick(&["now", "new_uuid"])),
        (_, 11 | 12) => NodeKind::Branch(bytes.pick(&WORDS)),
        (_, 13 | 14) => NodeKind::Return(bytes.pick(&[Returned::Ok, Returned::Err, Returned::Either])),
        _ => NodeKind::NotJournaled(bytes.pick(&WORDS)),
    };
    let edges = if matches!(kind, NodeKind::Return(_)) { 0 } else { 1 + bytes.below(3) };
    let edge = |bytes: &mut Bytes<'_>, ahead: usize| {
        let anywhere = bytes.rarely(2);
        let to = if anywhere { bytes.below(count) } else { (index + ahead).min(count - 1) };
        let label = if bytes.rarely(8) { bytes.pick(&WORDS) } else { "" };
        Edge { to: to as u16, on: bytes.pick(&[On::Done, On::Refused, On::Any]), label }
    };
    (kind, (0..edges).map(|number| edge(bytes, number + 1)).collect())
}

/// As a constant would have them.
pub(super) fn leaked(machine: Vec<(NodeKind, Vec<Edge>)>) -> (&'static [Node], &'static [Edge]) {
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    for (kind, next) in machine {
        nodes.push(Node { kind, first: edges.len() as u16, edges: next.len() as u16 });
        edges.extend(next);
    }
    (nodes.leak(), edges.leak())
}
