//! Which chore was asked for. Decides the words of the command line; knows nothing of what a chore does.

use crate::bench::{Kind, Options};
use crate::fuzz;
use lexopt::{Arg, Parser, ValueExt as _};

/// What `cargo xtask --help` prints.
pub(crate) const USAGE: &str = "\
usage: cargo xtask <chore>

  test [--quick]         check everything, as CI does; --quick leaves out the slow stages
  fuzz [..]              let libFuzzer look for bytes that break a promise; what it finds is kept in the target folder
      --seconds N        for each target (default 60)
      --only TARGET      only this one
      --keep             then write what reached new code to fuzz/corpus, minimised
  bless                  record the goldens anew (trybuild and expansions); read the diff before you commit it
  bench compile [..]     what #[step] and #[saga] cost `cargo check`, beside the same plain async fns
      --rounds N         rounds, each over all crates in another order (default 5)
      --sagas N          sagas in the large crates (default 100)
      --only KIND        measure only `plain`, `steps` or `sagas`; may be given more than once
      --assert           exit 1 if a goal is missed";

/// A chore with its options.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Chore {
    /// Print the usage.
    Help,
    /// Check the workspace.
    Test {
        /// Leave out the slow stages.
        quick: bool,
    },
    /// Fuzz.
    Fuzz(fuzz::Options),
    /// Record the goldens anew.
    Bless,
    /// Measure what the macros cost the compiler.
    BenchCompile(Options),
}

/// Reads the command line.
pub(crate) fn parse(mut parser: Parser) -> Result<Chore, lexopt::Error> {
    let Some(first) = parser.next()? else { return Err("no chore given".into()) };
    let chore = match first {
        Arg::Short('h') | Arg::Long("help") => Chore::Help,
        Arg::Value(word) if word == "help" => Chore::Help,
        Arg::Value(word) if word == "test" => Chore::Test { quick: quick(&mut parser)? },
        Arg::Value(word) if word == "fuzz" => return fuzzing(parser),
        Arg::Value(word) if word == "bless" => Chore::Bless,
        Arg::Value(word) if word == "bench" => return bench(parser),
        other => return Err(other.unexpected()),
    };
    match parser.next()? {
        None => Ok(chore),
        Some(extra) => Err(extra.unexpected()),
    }
}

fn quick(parser: &mut Parser) -> Result<bool, lexopt::Error> {
    match parser.next()? {
        None => Ok(false),
        Some(Arg::Long("quick")) => Ok(true),
        Some(other) => Err(other.unexpected()),
    }
}

fn fuzzing(mut parser: Parser) -> Result<Chore, lexopt::Error> {
    let mut options = fuzz::Options::default();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("seconds") => options.seconds = parser.value()?.parse()?,
            Arg::Long("only") => options.only = Some(parser.value()?.string()?),
            Arg::Long("keep") => options.keep = true,
            other => return Err(other.unexpected()),
        }
    }
    if options.seconds == 0 {
        return Err("0 seconds would be without end".into());
    }
    Ok(Chore::Fuzz(options))
}

fn bench(mut parser: Parser) -> Result<Chore, lexopt::Error> {
    match parser.next()? {
        Some(Arg::Value(word)) if word == "compile" => {}
        _ => return Err("`bench` measures one thing so far: `bench compile`".into()),
    }
    let mut options = Options::default();
    let mut only = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("rounds") => options.rounds = parser.value()?.parse()?,
            Arg::Long("sagas") => options.sagas = parser.value()?.parse()?,
            Arg::Long("only") => only.push(parser.value()?.parse::<Kind>()?),
            Arg::Long("assert") => options.assert = true,
            other => return Err(other.unexpected()),
        }
    }
    if !only.is_empty() {
        options.kinds = only;
    }
    if options.rounds == 0 || options.sagas < 2 {
        return Err("at least 1 round and 2 sagas are needed for a marginal cost".into());
    }
    let all = Kind::ALL.iter().all(|kind| options.kinds.contains(kind));
    if options.assert && !all {
        return Err("--assert compares all kinds: leave --only out".into());
    }
    Ok(Chore::BenchCompile(options))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<Chore, String> {
        parse(Parser::from_args(words)).map_err(|error| error.to_string())
    }

    #[test]
    fn chores_are_read_and_leftover_words_are_refused() {
        assert_eq!(parsed(&["test"]), Ok(Chore::Test { quick: false }));
        assert_eq!(parsed(&["test", "--quick"]), Ok(Chore::Test { quick: true }));
        assert_eq!(parsed(&["bless"]), Ok(Chore::Bless));
        for wrong in [&[][..], &["tests"], &["test", "--fast"], &["test", "--quick", "x"], &["bless", "x"], &["bench"]]
        {
            assert!(parsed(wrong).is_err(), "{wrong:?} was accepted");
        }
    }

    #[test]
    fn a_fuzzer_always_has_an_end() {
        let Ok(Chore::Fuzz(options)) = parsed(&["fuzz", "--seconds", "5", "--only", "decide", "--keep"]) else {
            panic!("not read");
        };
        assert_eq!((options.seconds, options.only.as_deref(), options.keep), (5, Some("decide"), true));
        for wrong in [&["fuzz", "--seconds", "0"][..], &["fuzz", "--seconds", "long"], &["fuzz", "decide"]] {
            assert!(parsed(wrong).is_err(), "{wrong:?} was accepted");
        }
    }

    #[test]
    fn a_benchmark_that_cannot_compare_does_not_assert() {
        let Ok(Chore::BenchCompile(options)) = parsed(&["bench", "compile", "--rounds", "3", "--only", "plain"]) else {
            panic!("not read");
        };
        assert_eq!((options.rounds, options.kinds), (3, vec![Kind::Plain]));
        for wrong in ["--only plain --assert", "--rounds 0", "--sagas 1", "--only fast"] {
            let words: Vec<&str> = ["bench", "compile"].into_iter().chain(wrong.split(' ')).collect();
            assert!(parsed(&words).is_err(), "{wrong} was accepted");
        }
    }
}
