//! What a step promises: its declared reversibility, idempotency and limits.
//!
//! Decides the vocabulary of a promise and whether its numbers are sane. Knows no journal, no store, no clock: a contract
//! is a constant that the macro writes beside the step, and every other room reads.

mod class;
pub mod duration;
mod policy;

pub use class::{Class, Idempotency, Needs, OnUnknown, Reversibility, Verification};
pub use policy::Retry;

use core::time::Duration;

/// How long one attempt of a step may take when its author declares no `timeout`: 30 seconds.
///
/// Every attempt has an end; an attempt without one could hold a run, and with it a person's booking, for ever.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// How often a check may answer "pending" or fail before a person is asked, when its author declares nothing else.
pub const DEFAULT_CHECKS: Retry =
    Retry { times: 20, base: Duration::from_millis(500), factor: 2.0, cap: Duration::from_secs(60), jitter: true };

/// The promise of one step, as its author declared it. The `#[step]` macro writes it as a constant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepContract {
    /// The step's name in the journal: the name of the function.
    pub name: &'static str,
    /// The module that declares it; with the name it identifies the step across crates.
    pub module: &'static str,
    /// What can be done about its effect.
    pub reversibility: Reversibility,
    /// Whether, and how, an unknown outcome can be looked up.
    pub verification: Option<Verification>,
    /// Whether it may be sent twice.
    pub idempotency: Idempotency,
    /// What happens first after an unknown outcome.
    pub unknown: OnUnknown,
    /// Cannot be refused for good: it goes on, or to review. Only such steps may follow a pivot.
    pub retriable: bool,
    /// Limits and delays of its attempts.
    pub retry: Retry,
    /// Limits and delays of the attempts of its undo.
    pub undo_retry: Retry,
    /// How long one attempt may take; then its outcome is unknown.
    pub timeout: Duration,
    /// How long all attempts together may take, counted from the first intent.
    pub within: Option<Duration>,
    /// Steps that must have completed on every path that leads here.
    pub requires: &'static [StepName],
    /// The names of the inputs, in order, as they stand in the journal.
    pub inputs: &'static [&'static str],
    /// Inputs that are masked everywhere but in the step itself; `"output"` masks the output.
    pub redacted: &'static [&'static str],
    /// Who is asked when evidence runs out; the saga's owner if none.
    pub owner: Option<&'static str>,
}

/// What identifies a step at compile time: two crates may both have a step called `reserve`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepName {
    /// The function's name.
    pub name: &'static str,
    /// The module that declares it.
    pub module: &'static str,
}

impl StepContract {
    /// A contract with the defaults for everything else. Used by generated code: what a step does not declare costs nothing.
    pub const fn plain(
        name: &'static str,
        module: &'static str,
        reversibility: Reversibility,
        idempotency: Idempotency,
    ) -> StepContract {
        StepContract {
            name,
            module,
            reversibility,
            verification: None,
            idempotency,
            unknown: OnUnknown::Resolve,
            retriable: false,
            retry: Retry::DEFAULT,
            undo_retry: Retry::DEFAULT_UNDO,
            timeout: DEFAULT_TIMEOUT,
            within: None,
            requires: &[],
            inputs: &[],
            redacted: &[],
            owner: None,
        }
    }

    /// The step's identity across crates.
    pub const fn id(&self) -> StepName {
        StepName { name: self.name, module: self.module }
    }

    /// Whether its undo may be called when it is only possible that the effect exists.
    pub const fn undo_is_safe_when_absent(&self) -> bool {
        matches!(self.reversibility, Reversibility::Compensable { needs: Needs::Nothing })
    }

    /// Whether an unknown outcome may simply be sent again.
    pub const fn may_be_sent_again(&self) -> bool {
        !matches!(self.idempotency, Idempotency::NotIdempotent)
    }

    /// Whether it has no effect outside.
    pub const fn is_read_only(&self) -> bool {
        matches!(self.reversibility, Reversibility::ReadOnly)
    }

    /// Whether this is the pivot: after it the saga only goes forward.
    pub const fn is_irreversible(&self) -> bool {
        matches!(self.reversibility, Reversibility::Irreversible)
    }

    /// Whether the value of the named input may be shown to a person.
    pub fn shows(&self, input: &str) -> bool {
        !self.redacted.contains(&input)
    }
}
