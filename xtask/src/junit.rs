//! How many tests ran, from the reports the test runners leave. Decides numbers only.

use crate::stage::Count;

/// The counts of a nextest JUnit report; `None` if it is not one.
pub(crate) fn of_report(report: &str) -> Option<Count> {
    let head = &report[report.find("<testsuites")?..];
    let head = &head[..head.find('>')?];
    let number = |name: &str| -> Option<u64> {
        let start = head.find(&format!(" {name}=\""))? + name.len() + 3;
        let length = head[start..].find('"')?;
        head[start..start + length].parse().ok()
    };
    let failed = number("failures")? + number("errors")?;
    Some(Count { passed: number("tests")?.checked_sub(failed)?, failed })
}

/// The counts of one line of libtest, `test result: ok. 3 passed; 0 failed; ..`; `None` for other lines.
pub(crate) fn of_line(line: &str) -> Option<Count> {
    let (_, numbers) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut count = Count::default();
    for part in numbers.split("; ") {
        match part.split_once(' ') {
            Some((number, "passed")) => count.passed = number.parse().ok()?,
            Some((number, "failed")) => count.failed = number.parse().ok()?,
            _ => {}
        }
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_from_both_runners() {
        let report =
            "<?xml version=\"1.0\"?>\n<testsuites name=\"n\" tests=\"7\" failures=\"2\" errors=\"1\" uuid=\"x\">\n";
        assert_eq!(of_report(report), Some(Count { passed: 4, failed: 3 }));
        assert_eq!(of_report("<testsuites tests=\"7\">"), None);
        let line = "test result: FAILED. 5 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        assert_eq!(of_line(line), Some(Count { passed: 5, failed: 1 }));
        assert_eq!(of_line("running 5 tests"), None);
    }
}
