//! The steps that a walk may use, one for each class that behaves differently, and the script that a walk follows.

use crate::contract::{
    DEFAULT_CHECKS, DEFAULT_TIMEOUT, Idempotency, Needs, OnUnknown, Retry, Reversibility, StepContract, Verification,
};
use crate::definition::{Definition, Node, NodeKind};
use std::sync::OnceLock;
use std::time::Duration;

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

/// So many contracts may stand before a pivot; two pivots follow, then what may come after one.
pub(crate) const BEFORE_PIVOT: usize = 7;

/// What a walk does: which steps one after the other, and every choice of the world on the way.
#[derive(Debug, Clone)]
pub(crate) struct Script {
    pub(crate) steps: Vec<usize>,
    pub(crate) waits: bool,
    pub(crate) refuses: bool,
    pub(crate) choices: Vec<u8>,
}

/// The contracts, and a definition that has them all. Made once: a fuzzer asks for it a million times.
pub(crate) fn world() -> (&'static [StepContract], &'static Definition) {
    static WORLD: OnceLock<(&'static [StepContract], Definition)> = OnceLock::new();
    let (contracts, definition) = WORLD.get_or_init(|| {
        let contracts: &'static [StepContract] = contracts().leak();
        let nodes: Vec<Node> =
            contracts.iter().map(|contract| Node { kind: NodeKind::Step(contract), first: 0, edges: 0 }).collect();
        let nodes = nodes.leak();
        (contracts, Definition { name: "walk", version: 1, owner: "walkers", deadline: None, nodes, edges: &[] })
    });
    (contracts, definition)
}
