//! Durations as people write them (`"200ms"`, `"7d"`) and the bounds of every duration in a saga.
//!
//! Decides which spans of time are accepted. The macro applies the same grammar when it compiles; this one serves
//! configuration and command lines.

use core::time::Duration;

/// The longest accepted span: 36,500 days. Beyond it instants overflow in stores (camunda#2108), so it is refused at the door.
pub const LONGEST: Duration = Duration::from_secs(36_500 * 86_400);

/// `n` days.
pub const fn days(n: u32) -> Duration {
    Duration::from_secs(n as u64 * 86_400)
}

/// `n` hours.
pub const fn hours(n: u32) -> Duration {
    Duration::from_secs(n as u64 * 3_600)
}

/// `n` minutes.
pub const fn minutes(n: u32) -> Duration {
    Duration::from_secs(n as u64 * 60)
}

/// `n` seconds.
pub const fn seconds(n: u32) -> Duration {
    Duration::from_secs(n as u64)
}

/// `n` milliseconds.
pub const fn millis(n: u32) -> Duration {
    Duration::from_millis(n as u64)
}

/// Why a text is not a duration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DurationError {
    /// Not a number followed by a unit.
    #[error("`{0}` is not a duration: write a whole number and a unit, like `200ms`, `5s`, `2m`, `12h` or `7d`")]
    Malformed(String),
    /// Longer than [`LONGEST`].
    #[error("`{0}` is too long: the longest duration is 36500d")]
    TooLong(String),
    /// Zero, where something must take time.
    #[error("`{0}` is no time at all: the shortest duration is 1us")]
    Zero(String),
}

/// Reads `"200ms"`, `"5s"`, `"2m"`, `"12h"`, `"7d"` (also `us`).
///
/// ```
/// use saga_core::time::{minutes, parse};
/// assert_eq!(parse("2m"), Ok(minutes(2)));
/// assert!(parse("2 minutes").is_err());
/// ```
///
/// # Errors
/// When the text has no unit, an unknown unit, a fraction, is zero or longer than [`LONGEST`].
pub fn parse(text: &str) -> Result<Duration, DurationError> {
    let malformed = || DurationError::Malformed(text.chars().take(80).collect());
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    if number.is_empty() {
        return Err(malformed());
    }
    let micros_per_unit: u64 = match unit {
        "us" => 1,
        "ms" => 1_000,
        "s" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => 86_400_000_000,
        _ => return Err(malformed()),
    };
    let too_long = || DurationError::TooLong(text.chars().take(80).collect());
    let count: u64 = number.parse().map_err(|_| too_long())?;
    let duration = Duration::from_micros(count.checked_mul(micros_per_unit).ok_or_else(too_long)?);
    if duration.is_zero() {
        return Err(DurationError::Zero(text.to_owned()));
    }
    if duration > LONGEST { Err(too_long()) } else { Ok(duration) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_unit_and_refuses_the_rest() {
        assert_eq!(parse("200ms"), Ok(millis(200)));
        assert_eq!(parse("7d"), Ok(days(7)));
        assert_eq!(parse("36500d"), Ok(LONGEST));
        for text in ["", "5", "s", "5 s", "-5s", "1.5s", "5sec", "٥s"] {
            assert!(matches!(parse(text), Err(DurationError::Malformed(_))), "{text}");
        }
        for text in ["36501d", "18446744073709551615s", "99999999999999999999999s"] {
            assert!(matches!(parse(text), Err(DurationError::TooLong(_))), "{text}");
        }
        assert!(matches!(parse("0s"), Err(DurationError::Zero(_))));
    }
}
