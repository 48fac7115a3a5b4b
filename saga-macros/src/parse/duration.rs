//! Durations as people write them: the grammar of `saga_core::time::parse`, applied while the user's crate compiles.

/// The longest accepted span, in microseconds: 36,500 days.
const LONGEST: u64 = 36_500 * 86_400_000_000;

/// Why a text is not a duration.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wrong {
    Malformed,
    TooLong,
    Zero,
}

/// The microseconds of `"200ms"`, `"5s"`, `"2m"`, `"12h"`, `"7d"`.
pub(super) fn micros(text: &str) -> Result<u64, Wrong> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    if number.is_empty() {
        return Err(Wrong::Malformed);
    }
    let unit: u64 = match unit {
        "us" => 1,
        "ms" => 1_000,
        "s" => 1_000_000,
        "m" => 60_000_000,
        "h" => 3_600_000_000,
        "d" => 86_400_000_000,
        _ => return Err(Wrong::Malformed),
    };
    let count: u64 = number.parse().map_err(|_| Wrong::TooLong)?;
    match count.checked_mul(unit) {
        Some(0) => Err(Wrong::Zero),
        Some(micros) if micros <= LONGEST => Ok(micros),
        _ => Err(Wrong::TooLong),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_unit_and_refuses_the_rest() {
        assert_eq!(micros("1us"), Ok(1));
        assert_eq!(micros("200ms"), Ok(200_000));
        assert_eq!(micros("2m"), Ok(120_000_000));
        assert_eq!(micros("36500d"), Ok(LONGEST));
        for text in ["", "5", "s", "5 s", "-5s", "1.5s", "5sec", "٥s"] {
            assert_eq!(micros(text), Err(Wrong::Malformed), "{text}");
        }
        for text in ["36501d", "18446744073709551615s", "99999999999999999999999s"] {
            assert_eq!(micros(text), Err(Wrong::TooLong), "{text}");
        }
        assert_eq!(micros("0s"), Err(Wrong::Zero));
    }
}
