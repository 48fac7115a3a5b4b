//! The order rules, the picture and the fingerprint of any machine. The rules are held against a walk of all paths, which is
//! slow and plain where the rules themselves are a fixed point that the compiler must be able to compute.

use super::Bytes;
use super::machines::{contracts, leaked, machine};
use crate::contract::{StepContract, StepName};
use crate::definition::{Checked, Definition, Fault, Flow, NodeKind, On, Returned};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Panics where a verdict, a picture or a fingerprint is wrong.
pub fn definition(data: &[u8]) {
    let Some((&change, data)) = data.split_first() else { return };
    let one = of(data, 1);
    verdicts(one);
    picture(one);
    names(one);
    // The same bytes but for one: mostly the same machine but for one thing.
    let mut changed = data.to_vec();
    if let Some(byte) = changed.get_mut(usize::from(change)) {
        *byte = byte.wrapping_add(1);
    }
    let other = of(&changed, 2);
    assert_eq!(shape(one) == shape(other), one.fingerprint() == other.fingerprint(), "{one}\n{other}");
}

fn of(data: &[u8], version: u32) -> &'static Definition {
    let (nodes, edges) = leaked(machine(&mut Bytes::new(data)));
    // What may be tuned while runs are open differs between the two: the fingerprint must not see it.
    let deadline = (version == 2).then_some(Duration::from_secs(9));
    Box::leak(Box::new(Definition {
        name: "fuzzed",
        version,
        owner: ["a", "b"][version as usize - 1],
        deadline,
        nodes,
        edges,
    }))
}

/// All that may hold when a node is reached: through which pivot, and which steps have completed.
type Arrivals = BTreeMap<usize, BTreeSet<(Option<usize>, u32)>>;

/// Walks every path from the start; a path that arrives with nothing new is not followed again.
fn all_paths(definition: &Definition) -> Arrivals {
    let mut arrivals = Arrivals::new();
    let mut paths = vec![(0usize, None::<usize>, 0u32)];
    while let Some((at, pivot, completed)) = paths.pop() {
        if !arrivals.entry(at).or_default().insert((pivot, completed)) {
            continue;
        }
        let node = &definition.nodes[at];
        for edge in definition.next(at) {
            let NodeKind::Step(contract) = node.kind else {
                paths.push((edge.to.into(), pivot, completed));
                continue;
            };
            match edge.on {
                On::Refused if contract.retriable => {}
                On::Refused => paths.push((edge.to.into(), None, completed)),
                On::Done | On::Any => {
                    let pivot = pivot.or(contract.is_irreversible().then_some(at));
                    let proven = if edge.on == On::Done { bit(contract.id()) } else { 0 };
                    paths.push((edge.to.into(), pivot, completed | proven));
                }
            }
        }
    }
    arrivals
}

fn bit(step: StepName) -> u32 {
    contracts().iter().position(|contract| contract.id() == step).map_or(0, |index| 1 << index)
}

fn verdicts(definition: &'static Definition) {
    let flow = Flow::of(definition);
    let checked = Checked::of(definition, &[]);
    let arrivals = all_paths(definition);
    let none = BTreeSet::new();
    for (index, node) in definition.nodes.iter().enumerate() {
        let here = arrivals.get(&index).unwrap_or(&none);
        let said = flow.fault(definition, index);
        let expected = if here.is_empty() { Fault::None } else { verdict(definition, index, here, said) };
        assert_eq!(said, expected, "at node {index} of\n{definition}");
        let words = checked.words(index, "its own words");
        assert_eq!(words.is_empty(), said == Fault::None, "{said:?} is said as `{words}`");
        if let (NodeKind::Step(contract), true) = (node.kind, said != Fault::None) {
            assert!(words.contains(contract.name), "{said:?} of `{}` is said as `{words}`", contract.name);
        }
    }
    assert_eq!(flow.fault(definition, definition.nodes.len()), Fault::None);
}

/// What all paths say. Where several pivots lead here any of them may be named: `said` shows which one was.
fn verdict(definition: &Definition, index: usize, here: &BTreeSet<(Option<usize>, u32)>, said: Fault) -> Fault {
    let pivots: BTreeSet<usize> = here.iter().filter_map(|(pivot, _)| *pivot).collect();
    let named = match said {
        Fault::SecondPivot(pivot)
        | Fault::RefusableAfterPivot(pivot)
        | Fault::ErrAfterPivot(pivot)
        | Fault::MaybeErrAfterPivot(pivot) => pivots.get(&pivot),
        _ => None,
    };
    let pivot = named.or(pivots.first()).copied();
    match (definition.nodes[index].kind, pivot) {
        (NodeKind::NotJournaled(_), _) => Fault::NotJournaled,
        (NodeKind::Signal { bounded: false, .. }, _) => Fault::EndlessWait,
        (NodeKind::Step(contract), pivot) => of_step(definition, index, contract, here, pivot),
        (NodeKind::Return(Returned::Err), Some(pivot)) => Fault::ErrAfterPivot(pivot),
        (NodeKind::Return(Returned::Either), Some(pivot)) => Fault::MaybeErrAfterPivot(pivot),
        _ => Fault::None,
    }
}

fn of_step(
    definition: &Definition,
    index: usize,
    contract: &StepContract,
    here: &BTreeSet<(Option<usize>, u32)>,
    pivot: Option<usize>,
) -> Fault {
    let namesake = |kind: NodeKind| matches!(kind, NodeKind::Step(other) if other.name == contract.name && other.module != contract.module);
    if definition.nodes[..index].iter().any(|node| namesake(node.kind)) {
        return Fault::SameName;
    }
    let unmet = |required: &StepName| here.iter().any(|(_, completed)| completed & bit(*required) == 0);
    if let Some(missing) = contract.requires.iter().position(unmet) {
        return Fault::Missing(missing);
    }
    match pivot {
        Some(pivot) if !contract.retriable && contract.is_irreversible() => Fault::SecondPivot(pivot),
        Some(pivot) if !contract.retriable => Fault::RefusableAfterPivot(pivot),
        _ => Fault::None,
    }
}

/// One line for each node and arrow, and no word of the user's outside of quotes.
fn picture(definition: &Definition) {
    let text = definition.to_string();
    let arrows: usize = definition.edges.len();
    assert_eq!(text.lines().count(), 1 + definition.nodes.len() + arrows, "{text}");
    for line in text.lines() {
        assert!(line.matches('"').count().is_multiple_of(2), "an open quote: {line}");
        assert!(line.split('"').step_by(2).all(|outside| !outside.contains('§')), "a bare word: {line}");
    }
}

fn names(definition: &Definition) {
    let steps = definition.steps();
    for node in definition.nodes {
        match node.kind {
            NodeKind::Step(contract) => {
                assert_eq!(steps.iter().filter(|step| step.id() == contract.id()).count(), 1);
                assert!(definition.step(contract.name).is_some());
            }
            NodeKind::Signal { name, .. } => {
                assert_eq!(definition.signals().iter().filter(|known| **known == name).count(), 1);
            }
            _ => {}
        }
    }
}

/// What a fingerprint covers, in words.
fn shape(definition: &Definition) -> Vec<String> {
    let node = |kind: NodeKind| match kind {
        NodeKind::Step(step) => {
            let promise = (step.reversibility, step.idempotency, step.verification.is_some(), step.retriable);
            format!("step {} {promise:?} {:?}", step.name, step.inputs)
        }
        NodeKind::Branch(_) => "branch".to_owned(),
        other => format!("{other:?}"),
    };
    let to = |index: usize| definition.next(index).iter().map(|edge| edge.to).collect::<Vec<u16>>();
    let nodes = definition.nodes.iter().enumerate();
    nodes.map(|(index, each)| format!("{} {:?}", node(each.kind), to(index))).collect()
}
