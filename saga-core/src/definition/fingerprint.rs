//! The fingerprint of a machine: what must not change under a version that has open runs.
//!
//! It covers the shape, the names and the promises (reversibility, idempotency, pivot, waits), because a journal is replayed
//! against them. It does not cover numbers that may be tuned while runs are open: timeouts, retry policies, owners.

use super::{Definition, Edge, Node, NodeKind, Returned};
use crate::contract::{Idempotency, Needs, Reversibility};
use core::fmt;
use serde::{Deserialize, Serialize};

/// 64 bits over a machine, printed as 16 hexadecimal digits. FNV-1a: it guards against mistakes, not against an adversary.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(pub u64);

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

impl Definition {
    /// The fingerprint of this machine.
    pub const fn fingerprint(&self) -> Fingerprint {
        let mut hash = text(0xcbf2_9ce4_8422_2325, self.name);
        let mut index = 0;
        while index < self.nodes.len() {
            hash = node(hash, &self.nodes[index], self.next(index));
            index += 1;
        }
        Fingerprint(hash)
    }
}

const fn byte(hash: u64, byte: u8) -> u64 {
    (hash ^ byte as u64).wrapping_mul(0x0000_0100_0000_01b3)
}

const fn text(mut hash: u64, text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut index = 0;
    while index < bytes.len() {
        hash = byte(hash, bytes[index]);
        index += 1;
    }
    byte(hash, 0xff)
}

const fn node(mut hash: u64, node: &Node, next: &[Edge]) -> u64 {
    hash = match node.kind {
        NodeKind::Start => byte(hash, 1),
        NodeKind::Step(contract) => {
            hash = text(byte(hash, 2), contract.name);
            hash = byte(
                hash,
                match contract.reversibility {
                    Reversibility::Compensable { needs: Needs::Nothing } => 1,
                    Reversibility::Compensable { needs: Needs::Output } => 2,
                    Reversibility::Kept => 3,
                    Reversibility::Irreversible => 4,
                    Reversibility::ReadOnly => 5,
                },
            );
            hash = byte(
                hash,
                match contract.idempotency {
                    Idempotency::Idempotent => 1,
                    Idempotency::ByKey => 2,
                    Idempotency::NotIdempotent => 3,
                },
            );
            let mut input = 0;
            while input < contract.inputs.len() {
                hash = text(hash, contract.inputs[input]);
                input += 1;
            }
            byte(byte(hash, contract.verification.is_some() as u8), contract.retriable as u8)
        }
        NodeKind::Signal { name, bounded } => byte(text(byte(hash, 3), name), bounded as u8),
        NodeKind::Sleep => byte(hash, 4),
        NodeKind::Value(name) => text(byte(hash, 5), name),
        NodeKind::Branch(_) => byte(hash, 6),
        NodeKind::Return(returned) => byte(
            byte(hash, 7),
            match returned {
                Returned::Ok => 1,
                Returned::Err => 2,
                Returned::Either => 3,
            },
        ),
        NodeKind::NotJournaled(name) => text(byte(hash, 8), name),
    };
    let mut edge = 0;
    while edge < next.len() {
        hash = byte(byte(hash, next[edge].to as u8), (next[edge].to >> 8) as u8);
        edge += 1;
    }
    byte(hash, 0xfe)
}
