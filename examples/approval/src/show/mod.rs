//! Shows the whole example: a gateway and a worker as processes, kills, lost replies, an operator, and the reckoning.
//!
//! Decides the order of events. What is submitted, and what goes wrong with it, stands in a file.

mod processes;
mod reckoning;
mod scenario;

use crate::desk::{Desk, DeskResult};
use crate::gateway::Gateway;
use crate::gateway::wire::{Operation, Outcome};
use crate::workflow::{Decision, approval};
use processes::{Child, start_gateway, start_worker};
use saga_core::decide::State;
use saga_core::{Handle, journal};
use scenario::{KillAt, Scenario, Then};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How long anything may take before the show gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// What to show, and where.
#[derive(Debug, Default, clap::Args)]
pub struct Arguments {
    /// The submissions and their fates, JSON as in `submissions.json`; those of the example if not given
    #[arg(long, value_name = "FILE")]
    submissions: Option<PathBuf>,
    /// The folder for store and ledger, kept afterwards; a temporary one if not given
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

struct Show {
    folder: PathBuf,
    url: String,
    gateway: Gateway,
    desk: Desk,
    worker: Child,
    kills: u32,
}

/// Shows it all. The exit status is 1 if runs and ledger do not agree.
///
/// # Errors
/// When a file does not fit, a process does not start, or something takes longer than a minute.
pub async fn show(arguments: Arguments) -> DeskResult<ExitCode> {
    let scenarios = scenario::read(arguments.submissions.as_deref())?;
    let temporary = tempfile::tempdir()?;
    let folder = arguments.folder.unwrap_or_else(|| temporary.path().to_owned());
    std::fs::create_dir_all(&folder)?;
    let (_gateway_process, url) = start_gateway(&folder).await?;
    say(&format!("the gateway runs at {url}"));
    let gateway = Gateway::at(&url)?;
    let faults: Vec<_> = scenarios.iter().flat_map(Scenario::told).collect();
    gateway.set_faults(&faults).await?;
    let desk = Desk::open(&folder.join("approval.db"))?;
    let worker = start_worker(&folder, &url)?;
    let mut show = Show { folder, url, gateway, desk, worker, kills: 0 };

    let mut runs = Vec::new();
    let (killed, rest): (Vec<&Scenario>, Vec<&Scenario>) =
        scenarios.iter().partition(|scenario| scenario.kill.is_some());
    for scenario in rest {
        runs.push((scenario, show.submit(scenario).await?));
    }
    for (scenario, run) in &runs {
        show.decide(scenario, run).await?;
    }
    for scenario in killed {
        let run = show.submit(scenario).await?;
        show.through_a_kill(scenario, &run).await?;
        runs.push((scenario, run));
    }
    for (scenario, run) in &runs {
        show.to_its_end(scenario, run).await?;
    }
    say(&format!("the worker was killed {} times\n", show.kills));
    show.worker.terminate().await?;
    let ledger = show.gateway.ledger().await?;
    let reckoning = reckoning::reckon(&runs, &ledger).await?;
    say(&reckoning.table);
    say(&reckoning.verdict);
    Ok(if reckoning.agrees { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Show {
    async fn submit(&self, scenario: &Scenario) -> DeskResult<Handle<approval>> {
        let patience =
            if scenario.then == Then::Expire { Duration::from_millis(500) } else { Duration::from_secs(3_600) };
        self.desk.submit(scenario.submission(), patience).await
    }

    /// Signals are durable on arrival, so an editor need not wait for the run to wait.
    async fn decide(&self, scenario: &Scenario, run: &Handle<approval>) -> DeskResult<()> {
        match &scenario.then {
            Then::Approve => self.send(run, Decision::Approve).await,
            Then::Reject(reason) => self.send(run, Decision::Reject { reason: reason.clone() }).await,
            Then::Expire => Ok(()),
            Then::Cancel => {
                self.until(run, |state| state == State::Waiting).await?;
                let answer = self.desk.cancel(run.key(), "author", "withdrawn").await?;
                say(&format!("{}: cancel {answer}", run.key()));
                Ok(())
            }
        }
    }

    async fn send(&self, run: &Handle<approval>, decision: Decision) -> DeskResult<()> {
        match run.send(decision).await {
            // Its first step may have failed before the editor came to it.
            Err(saga_core::ClientError::Refused(saga_core::store::Refused::AlreadyEnded { .. })) => Ok(()),
            sent => Ok(sent?),
        }
    }

    /// Lets the run come to the point, kills the worker there with SIGKILL, and starts another.
    async fn through_a_kill(&mut self, scenario: &Scenario, run: &Handle<approval>) -> DeskResult<()> {
        let at = scenario.kill.unwrap_or(KillAt::Wait);
        if at == KillAt::Wait {
            self.until(run, |state| state == State::Waiting).await?;
            self.kill().await?;
            self.decide(scenario, run).await?;
            say(&format!("{}: the worker was killed while the run waited; then the editor decided", run.key()));
            return Ok(());
        }
        self.decide(scenario, run).await?;
        let operation = at.operation();
        self.landed(&scenario.id, operation).await?;
        self.kill().await?;
        say(&format!(
            "{}: the worker was killed after the {} landed, before it could record it",
            run.key(),
            operation.name()
        ));
        Ok(())
    }

    async fn kill(&mut self) -> DeskResult<()> {
        self.worker.kill().await?;
        self.kills += 1;
        self.worker = start_worker(&self.folder, &self.url)?;
        Ok(())
    }

    /// Waits until an operation on a submission is in the ledger: applied, its reply still held back.
    async fn landed(&self, submission: &str, operation: Operation) -> DeskResult<()> {
        let began = Instant::now();
        loop {
            let ledger = self.gateway.ledger().await?;
            let landed = ledger.effects.iter().any(|effect| {
                effect.submission == submission && effect.kind == operation && effect.outcome == Outcome::Applied
            });
            if landed {
                return Ok(());
            }
            in_time(began, || format!("the {} of {submission} never landed", operation.name()))?;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn until(&self, run: &Handle<approval>, wanted: impl Fn(State) -> bool) -> DeskResult<State> {
        let began = Instant::now();
        loop {
            let status = run.status().await?;
            if wanted(status.state) {
                return Ok(status.state);
            }
            in_time(began, || format!("{} is stuck: {status}", run.key()))?;
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Waits for the end; where a person must decide, plays the person.
    async fn to_its_end(&self, scenario: &Scenario, run: &Handle<approval>) -> DeskResult<()> {
        let state = self.until(run, |state| state.is_terminal() || state == State::Review).await?;
        if state.is_terminal() {
            return Ok(());
        }
        let reviews = self.desk.client().reviews(saga_core::store::Page::first(100)).await?;
        let Some(review) = reviews.into_iter().find(|review| review.run == run.run()) else {
            return Err(format!("{} is in review, but no review is open", run.key()).into());
        };
        say(&format!("\n{}:", run.key()));
        for line in self.desk.reviews().await?.iter().filter(|line| line.contains(&run.run().to_string())) {
            say(line);
        }
        if scenario.settle.is_none() {
            return Ok(()); // it stays with its owner, and the reckoning says so
        }
        let faults: Vec<_> = Vec::new();
        self.gateway.set_faults(&faults).await?;
        self.desk
            .settle(run.run(), review.review, journal::Decision::Retry, "anna", "the gateway was unlocked")
            .await?;
        say("    anna had the gateway unlocked and chose Retry\n");
        self.until(run, State::is_terminal).await?;
        Ok(())
    }
}

fn in_time(began: Instant, what: impl FnOnce() -> String) -> DeskResult<()> {
    if began.elapsed() < PATIENCE { Ok(()) } else { Err(what().into()) }
}

fn say(text: &str) {
    // A closed pipe is the reader's wish.
    let _ = writeln!(std::io::stdout(), "{text}");
}
