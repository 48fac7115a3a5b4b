//! Where an engine takes chance from: the system, or a count, so that a simulated run can be run again.

use std::sync::atomic::{AtomicU64, Ordering};
use uuid::Uuid;

/// A source of chance.
#[derive(Debug, Default)]
pub(crate) enum Chance {
    #[default]
    System,
    /// Always the middle, and identities in order.
    #[cfg_attr(not(feature = "simulate"), allow(dead_code, reason = "only the simulator counts"))]
    Counted(AtomicU64),
}

impl Chance {
    /// A number between 0 and 1, for jitter.
    pub(crate) fn luck(&self) -> f64 {
        match self {
            // From a random identity, which is at hand.
            Chance::System => f64::from(Uuid::new_v4().as_u64_pair().1 as u32) / f64::from(u32::MAX),
            Chance::Counted(_) => 0.5,
        }
    }

    /// A fresh identity.
    pub(crate) fn identity(&self) -> Uuid {
        match self {
            Chance::System => Uuid::new_v4(),
            Chance::Counted(count) => Uuid::from_u64_pair(0, count.fetch_add(1, Ordering::Relaxed)),
        }
    }
}
