//! `cargo xtask ..`: the chores of this workspace. Decides only which chore was asked for; each lives in a module of its own.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program speaks through its output")]

mod arguments;
mod bench;
mod bless;
mod book;
mod dependencies;
mod fuzz;
#[cfg(test)]
mod house;
mod junit;
mod stage;
mod suite;
mod tools;
mod workspace;

use arguments::Chore;
use std::process::ExitCode;
use workspace::Workspace;

/// Why a chore could not be finished, in words for the person at the terminal.
type Outcome<T> = Result<T, String>;

fn main() -> ExitCode {
    let chore = match arguments::parse(lexopt::Parser::from_env()) {
        Ok(chore) => chore,
        Err(mistake) => {
            eprintln!("xtask: {mistake}\n\n{}", arguments::USAGE);
            return ExitCode::from(2);
        }
    };
    match perform(&chore) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("xtask: {why}");
            ExitCode::FAILURE
        }
    }
}

fn perform(chore: &Chore) -> Outcome<()> {
    match chore {
        Chore::Help => {
            println!("{}", arguments::USAGE);
            Ok(())
        }
        Chore::Test { quick } => suite::run(&Workspace::find()?, *quick),
        Chore::Fuzz(options) => fuzz::run(&Workspace::find()?, options),
        Chore::Bless => bless::run(&Workspace::find()?),
        Chore::BenchCompile(options) => bench::run(&Workspace::find()?, options),
    }
}
