//! The gateway as a program: `gateway --ledger gateway.db --port 0`.
//!
//! Ends only when it is stopped; it can be killed at any time, its ledger is durable.

use approval::gateway::command::{Arguments, run};
use clap::Parser;
use std::io::Write;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // There is nowhere left to complain to if this fails.
            let _ = writeln!(std::io::stderr(), "gateway: {message}");
            ExitCode::FAILURE
        }
    }
}
