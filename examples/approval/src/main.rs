//! The approval example as a program. Without a command it shows everything: see `show`.

use approval::desk::{Desk, DeskResult, work};
use approval::model::Submission;
use approval::workflow::Decision;
use approval::{gateway, show};
use clap::{Parser, Subcommand, ValueEnum};
use saga_core::{RunId, SagaType, journal};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Submissions that take a slot, wait for an editor, and are published: a saga, and the programs around it.
#[derive(Debug, Parser)]
#[command(version, name = "approval")]
struct Arguments {
    /// The store of the runs, an SQLite file
    #[arg(long, global = true, value_name = "FILE", default_value = "approval.db")]
    store: PathBuf,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show it all: gateway and worker as processes, kills, lost replies, and the reckoning (the default)
    Show(show::Arguments),
    /// Work on runs until stopped (SIGTERM or Ctrl-C)
    Work {
        /// The gateway's address, as it printed it
        #[arg(long, value_name = "URL")]
        gateway: String,
        /// How long a claim holds without renewal
        #[arg(long, value_parser = saga_core::time::parse, default_value = "5s")]
        lease: Duration,
        /// The worker's name, for people
        #[arg(long, default_value = "worker")]
        name: String,
    },
    /// Submit a text
    Submit {
        /// Its identity
        id: String,
        /// Its title
        #[arg(long)]
        title: String,
        /// Its text
        #[arg(long, default_value = "")]
        body: String,
        /// Its revision
        #[arg(long, default_value_t = 1)]
        revision: u32,
        /// How long an editor may take
        #[arg(long, value_parser = saga_core::time::parse, default_value = "3d")]
        patience: Duration,
    },
    /// Approve a submission
    Approve {
        /// Its key, ID#REVISION
        key: String,
    },
    /// Reject a submission
    Reject {
        /// Its key, ID#REVISION
        key: String,
        /// Why
        #[arg(long)]
        reason: String,
    },
    /// Where a submission is, and why it is not moving
    Status {
        /// Its key, ID#REVISION
        key: String,
    },
    /// Cancel a submission
    Cancel {
        /// Its key, ID#REVISION
        key: String,
        /// Why
        #[arg(long, default_value = "no longer needed")]
        reason: String,
        /// Who asks
        #[arg(long, default_value = "author")]
        by: String,
    },
    /// The questions that wait for a person
    Reviews,
    /// Settle a question
    Settle {
        /// The run
        run: RunId,
        /// The review's number
        review: u32,
        /// What to do
        action: SettleAction,
        /// Who decides
        #[arg(long)]
        by: String,
        /// Why, or on what evidence
        #[arg(long, default_value = "")]
        note: String,
    },
    /// The saga's machine, as Mermaid
    Machine,
    /// The gateway (also a program of its own)
    Gateway(gateway::command::Arguments),
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SettleAction {
    Retry,
    Verify,
    MarkNotApplied,
    MarkUndone,
    Abandon,
}

impl From<SettleAction> for journal::Decision {
    fn from(action: SettleAction) -> Self {
        match action {
            SettleAction::Retry => journal::Decision::Retry,
            SettleAction::Verify => journal::Decision::Verify,
            SettleAction::MarkNotApplied => journal::Decision::MarkNotApplied,
            SettleAction::MarkUndone => journal::Decision::MarkUndone,
            SettleAction::Abandon => journal::Decision::Abandon,
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .init();
    match run(Arguments::parse()).await {
        Ok(code) => code,
        Err(error) => {
            // There is nowhere left to complain to if this fails.
            let _ = writeln!(std::io::stderr(), "approval: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> DeskResult<ExitCode> {
    let store = arguments.store;
    let command = arguments.command.unwrap_or_else(|| Command::Show(show::Arguments::default()));
    match command {
        Command::Show(arguments) => return show::show(arguments).await,
        Command::Work { gateway, lease, name } => work(store, &gateway, lease, name).await?,
        Command::Gateway(arguments) => gateway::command::run(arguments).await?,
        Command::Machine => say(&approval::workflow::approval::DEFINITION.to_string()),
        command => say(&at_the_desk(&Desk::open(&store)?, command).await?),
    }
    Ok(ExitCode::SUCCESS)
}

async fn at_the_desk(desk: &Desk, command: Command) -> DeskResult<String> {
    Ok(match command {
        Command::Submit { id, title, body, revision, patience } => {
            let run = desk.submit(Submission { id, revision, title, body }, patience).await?;
            format!("{} is run {}", run.key(), run.run())
        }
        Command::Approve { key } => {
            desk.decide(&key, Decision::Approve).await?;
            format!("{key}: approval sent")
        }
        Command::Reject { key, reason } => {
            desk.decide(&key, Decision::Reject { reason }).await?;
            format!("{key}: rejection sent")
        }
        Command::Status { key } => desk.status(&key).await?,
        Command::Cancel { key, reason, by } => desk.cancel(&key, &by, &reason).await?,
        Command::Reviews => match desk.reviews().await? {
            open if open.is_empty() => "nothing waits for a person".to_owned(),
            open => open.join("\n"),
        },
        Command::Settle { run, review, action, by, note } => {
            desk.settle(run, review, action.into(), &by, &note).await?;
            "decision sent: a worker carries it out".to_owned()
        }
        Command::Show(_) | Command::Work { .. } | Command::Gateway(_) | Command::Machine => String::new(),
    })
}

fn say(text: &str) {
    // A closed pipe is the reader's wish.
    let _ = writeln!(std::io::stdout(), "{}", text.trim_end());
}
