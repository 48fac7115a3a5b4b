//! How often, and how far apart: retry policies and their arithmetic.
//!
//! Decides delays from attempt numbers. Knows no clock; the jitter is given, not drawn, so that a decision can be repeated.

use core::time::Duration;

/// A bounded retry policy: `times` attempts in all, exponential delays between them, capped and optionally jittered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retry {
    /// Attempts in all, the first included. At least 1.
    pub times: u32,
    /// Delay before the second attempt.
    pub base: Duration,
    /// What each further delay is multiplied with. At least 1.
    pub factor: f64,
    /// The longest delay.
    pub cap: Duration,
    /// Whether a delay is shortened by up to half, so that many runs do not return in the same instant.
    pub jitter: bool,
}

impl Retry {
    /// One attempt, no second.
    pub const ONCE: Retry =
        Retry { times: 1, base: Duration::from_millis(200), factor: 2.0, cap: Duration::from_secs(30), jitter: false };

    /// What applies where a step declares nothing: 5 attempts, 200 ms doubling up to 30 s, jittered.
    pub const DEFAULT: Retry =
        Retry { times: 5, base: Duration::from_millis(200), factor: 2.0, cap: Duration::from_secs(30), jitter: true };

    /// What applies to an undo where a step declares nothing: 8 attempts, 200 ms doubling up to 60 s, jittered.
    pub const DEFAULT_UNDO: Retry =
        Retry { times: 8, base: Duration::from_millis(200), factor: 2.0, cap: Duration::from_secs(60), jitter: true };

    /// Whether another attempt is allowed after `made` of them.
    pub const fn allows_another(&self, made: u32) -> bool {
        made < self.times
    }

    /// The delay after attempt `made` (1 for the first), for `luck` in `0.0..=1.0`.
    ///
    /// Saturates at the cap for every attempt number; is never zero unless base and cap are, never negative, never panics
    /// (the overflow that turned backoff into a busy loop in aws-sdk-java#874 and its like).
    pub fn delay(&self, made: u32, luck: f64) -> Duration {
        let exponent = f64::from(made.saturating_sub(1));
        let grown = self.base.as_secs_f64() * self.factor.max(1.0).powf(exponent);
        let cap = self.cap.max(self.base);
        let full = if grown.is_finite() && grown < cap.as_secs_f64() {
            Duration::try_from_secs_f64(grown).unwrap_or(cap).clamp(self.base, cap)
        } else {
            cap
        };
        if !self.jitter {
            return full;
        }
        // A float holds 53 bits of a duration: the product of a very long one can be a little longer, or no duration at all.
        let shortened = full.as_secs_f64() * (1.0 - 0.5 * luck.clamp(0.0, 1.0));
        Duration::try_from_secs_f64(shortened).unwrap_or(full).clamp(full / 2, full)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn delay_grows_and_stays_between_base_and_cap(
            base in 1u64..86_400_000_000_000, factor in 1.0f64..10.0, cap in 0u64..3_153_600_000,
            made in prop_oneof![1u32..10_000, Just(u32::MAX)],
        ) {
            let base = Duration::from_nanos(base);
            let cap = Duration::from_secs(cap).max(base);
            let retry = Retry { times: 3, base, factor, cap, jitter: false };
            let delay = retry.delay(made, 0.0);
            prop_assert!(delay >= base && delay <= cap, "{delay:?} outside {base:?}..={cap:?}");
            prop_assert!(retry.delay(made.saturating_add(1), 0.0) >= delay);
        }

        #[test]
        fn jitter_shortens_by_at_most_half(made in 1u32..100, luck in 0.0f64..=1.0) {
            let jittered = Retry::DEFAULT.delay(made, luck);
            let full = Retry { jitter: false, ..Retry::DEFAULT }.delay(made, luck);
            prop_assert!(jittered <= full && jittered >= full / 2);
        }
    }
}
