//! What the gateway was told to do wrong: which calls, in which way, how many times.
//!
//! Decides whether a fault strikes, by counting only: no clock, no chance, so the same calls in the same order meet
//! the same faults. Knows no HTTP and no ledger. Faults are forgotten when the gateway ends; what is durable is its
//! ledger.

use super::wire::Operation;
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The longest delay: one hour.
const LONGEST_DELAY: u64 = 3_600_000;

/// One fault, as it is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Which calls.
    pub operation: Operation,
    /// Only those for this submission; all if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submission: Option<String>,
    /// In which way.
    pub fault: FaultKind,
    /// For how many calls; until the faults are changed if none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u32>,
}

/// In which way a call goes wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FaultKind {
    /// 503 at once; nothing is applied.
    Down,
    /// Wait before committing. The call lands even if the caller has gone away meanwhile.
    DelayBeforeCommit {
        /// How long.
        milliseconds: u64,
    },
    /// Close the connection before committing; nothing is applied.
    LoseRequest,
    /// Refuse with 409 and this code. A call whose key is known is not struck: it has its answer.
    Refuse {
        /// The code.
        code: String,
    },
    /// Wait after committing.
    DelayAfterCommit {
        /// How long.
        milliseconds: u64,
    },
    /// Close the connection after committing: applied, and nobody was told.
    LoseReply,
    /// Lookups only: say "not found" although it is published, as an index does that lags behind.
    Lag,
}

/// A fault with its count.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultCount {
    /// What was told.
    pub told: Fault,
    /// How many calls it has struck.
    pub struck: u32,
    /// How many calls it will still strike; none: until the faults are changed.
    pub left: Option<u32>,
}

/// The body of `POST /faults`, and of the file of initial faults.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Told {
    /// All faults; they replace those in force.
    pub faults: Vec<Fault>,
}

/// The body of `GET /faults`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InForce {
    /// All faults with their counts.
    pub faults: Vec<FaultCount>,
}

/// The faults in force.
#[derive(Debug, Default)]
pub struct Faults(Mutex<Vec<FaultCount>>);

impl Faults {
    /// Replaces all faults; none ends them all.
    ///
    /// # Errors
    /// In words for the person who told them; then nothing has changed.
    pub fn replace(&self, told: Vec<Fault>) -> Result<(), String> {
        for (index, fault) in told.iter().enumerate() {
            fault.check().map_err(|problem| format!("`faults[{index}]`: {problem}"))?;
        }
        let counted = told.into_iter().map(|told| FaultCount { struck: 0, left: told.times, told }).collect();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = counted;
        Ok(())
    }

    /// What is in force, and what is left of it.
    pub fn counts(&self) -> Vec<FaultCount> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The answer of the first fault that strikes this call in a way that `pick` is asking for, which counts it.
    fn strike<T>(
        &self,
        operation: Operation,
        submission: Option<&str>,
        pick: impl Fn(&FaultKind) -> Option<T>,
    ) -> Option<T> {
        let mut faults = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for fault in faults.iter_mut() {
            let told = &fault.told;
            let meant = told.operation == operation
                && (told.submission.is_none() || told.submission.as_deref() == submission)
                && fault.left != Some(0);
            if let (true, Some(answer)) = (meant, pick(&told.fault)) {
                fault.struck = fault.struck.saturating_add(1);
                fault.left = fault.left.map(|left| left.saturating_sub(1));
                return Some(answer);
            }
        }
        None
    }

    /// Whether this call meets a fault without details.
    pub(crate) fn meets(&self, kind: FaultKind, operation: Operation, submission: Option<&str>) -> bool {
        self.strike(operation, submission, |told| (*told == kind).then_some(())).is_some()
    }

    /// How long this call waits before it commits.
    pub(crate) fn delay_before(&self, operation: Operation, submission: Option<&str>) -> Duration {
        self.strike(operation, submission, |told| match told {
            FaultKind::DelayBeforeCommit { milliseconds } => Some(Duration::from_millis(*milliseconds)),
            _ => None,
        })
        .unwrap_or_default()
    }

    /// How long this call waits after it committed.
    pub(crate) fn delay_after(&self, operation: Operation, submission: Option<&str>) -> Duration {
        self.strike(operation, submission, |told| match told {
            FaultKind::DelayAfterCommit { milliseconds } => Some(Duration::from_millis(*milliseconds)),
            _ => None,
        })
        .unwrap_or_default()
    }

    /// The code with which this call is refused.
    pub(crate) fn refusal(&self, operation: Operation, submission: Option<&str>) -> Option<String> {
        self.strike(operation, submission, |told| match told {
            FaultKind::Refuse { code } => Some(code.clone()),
            _ => None,
        })
    }
}

impl Fault {
    fn check(&self) -> Result<(), String> {
        let is_lookup = self.operation == Operation::Find;
        if is_lookup && self.submission.is_some() {
            return Err("a lookup names a key, not a submission: leave `submission` out for `find`".to_owned());
        }
        match &self.fault {
            FaultKind::Lag if !is_lookup => {
                Err("only a lookup can lag: use `lag` with `\"operation\": \"find\"`".to_owned())
            }
            FaultKind::Refuse { code } if code.trim().is_empty() => {
                Err("`code` is empty: expected the code to refuse with, like `banned`".to_owned())
            }
            FaultKind::DelayBeforeCommit { milliseconds } | FaultKind::DelayAfterCommit { milliseconds }
                if !(1..=LONGEST_DELAY).contains(milliseconds) =>
            {
                Err(format!("`milliseconds` is {milliseconds}: expected 1 to {LONGEST_DELAY}"))
            }
            _ if self.times == Some(0) => {
                Err("`times` is 0: expected at least 1; leave it out to mean \"until the faults are changed\""
                    .to_owned())
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test ends where it fails")]
mod tests {
    use super::*;

    fn fault(operation: Operation, submission: Option<&str>, fault: FaultKind, times: Option<u32>) -> Fault {
        Fault { operation, submission: submission.map(str::to_owned), fault, times }
    }

    #[test]
    fn a_fault_strikes_as_often_as_told_and_only_what_it_names() {
        let faults = Faults::default();
        faults.replace(vec![fault(Operation::Publish, Some("a"), FaultKind::LoseReply, Some(2))]).unwrap();
        let lost = |operation, submission| faults.meets(FaultKind::LoseReply, operation, Some(submission));
        assert!(!lost(Operation::Publish, "b"));
        assert!(!lost(Operation::Reserve, "a"));
        assert!(!faults.meets(FaultKind::LoseRequest, Operation::Publish, Some("a")));
        assert_eq!((faults.counts()[0].struck, faults.counts()[0].left), (0, Some(2)));
        assert!(lost(Operation::Publish, "a") && lost(Operation::Publish, "a"));
        assert!(!lost(Operation::Publish, "a"));
        assert_eq!((faults.counts()[0].struck, faults.counts()[0].left), (2, Some(0)));
    }

    #[test]
    fn faults_of_one_kind_follow_each_other_and_one_without_times_stays() {
        let faults = Faults::default();
        let refuse =
            |code: &str, times| fault(Operation::Reserve, None, FaultKind::Refuse { code: code.to_owned() }, times);
        faults.replace(vec![refuse("first", Some(1)), refuse("then", None)]).unwrap();
        let codes: Vec<_> = (0..4).map(|_| faults.refusal(Operation::Reserve, Some("a")).unwrap()).collect();
        assert_eq!(codes, ["first", "then", "then", "then"]);
        faults.replace(Vec::new()).unwrap();
        assert_eq!(faults.refusal(Operation::Reserve, Some("a")), None);
    }

    #[test]
    fn faults_that_make_no_sense_are_refused_and_change_nothing() {
        let faults = Faults::default();
        let sound = fault(Operation::Release, None, FaultKind::Down, None);
        faults.replace(vec![sound.clone()]).unwrap();
        for (wrong, expected) in [
            (fault(Operation::Find, Some("a"), FaultKind::Down, None), "leave `submission` out"),
            (fault(Operation::Publish, None, FaultKind::Lag, None), "`\"operation\": \"find\"`"),
            (fault(Operation::Publish, None, FaultKind::Down, Some(0)), "at least 1"),
            (fault(Operation::Publish, None, FaultKind::Refuse { code: " ".into() }, None), "expected the code"),
            (fault(Operation::Publish, None, FaultKind::DelayAfterCommit { milliseconds: 0 }, None), "1 to 3600000"),
        ] {
            let problem = faults.replace(vec![sound.clone(), wrong]).unwrap_err();
            assert!(problem.starts_with("`faults[1]`: ") && problem.contains(expected), "{problem}");
        }
        assert_eq!(faults.counts().len(), 1);
    }
}
