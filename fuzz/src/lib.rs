//! What is fuzzed: the targets by name, and how a file is replayed. Knows nothing of what drives a target.

// The parser of `#[step(..)]` and `#[saga(..)]`, from its own source: what is fuzzed is what compiles users' crates.
#[path = "../../saga-macros/src/errors.rs"]
#[allow(dead_code, reason = "the parser is one of several users")]
mod errors;
#[path = "../../saga-macros/src/messages.rs"]
#[allow(dead_code, reason = "the parser is one of several users")]
mod messages;
#[path = "../../saga-macros/src/parse/mod.rs"]
#[allow(dead_code, unused_imports, reason = "functions are parsed too, but not here")]
mod parse;
mod policy;
#[path = "../../saga-macros/src/table.rs"]
#[allow(dead_code, reason = "the parser is one of several users")]
mod table;

pub use policy::policy;

use std::path::PathBuf;
use std::process::ExitCode;

/// Something that is fuzzed: it panics where a promise is broken.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name: of its binary, and of its folder in the corpus.
    pub name: &'static str,
    /// Takes any bytes.
    pub run: fn(&[u8]),
}

/// All of them.
pub const TARGETS: &[Target] = &[
    Target { name: "journal_decode", run: saga_core::fuzzing::journal_decode },
    Target { name: "decide", run: saga_core::fuzzing::decide },
    Target { name: "definition", run: saga_core::fuzzing::definition },
    Target { name: "policy", run: policy },
];

/// Gives a target the files that are named on the command line: what a fuzzer found is looked at with an ordinary build.
pub fn replay(run: fn(&[u8])) -> ExitCode {
    for path in std::env::args_os().skip(1).map(PathBuf::from) {
        match std::fs::read(&path) {
            Ok(data) => run(&data),
            Err(_) => return ExitCode::FAILURE,
        }
    }
    ExitCode::SUCCESS
}
