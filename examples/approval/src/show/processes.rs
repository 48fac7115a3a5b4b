//! The processes of the show: this same program, started again as gateway and as worker.

use crate::desk::DeskResult;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::process::Command;

/// A process that does not outlive its handle.
#[derive(Debug)]
pub(super) struct Child(tokio::process::Child);

impl Child {
    /// SIGKILL: nothing of the process gets to run.
    pub(super) async fn kill(&mut self) -> DeskResult<()> {
        self.0.kill().await?;
        Ok(())
    }

    /// SIGTERM: the process hands over what it has.
    pub(super) async fn terminate(&mut self) -> DeskResult<()> {
        if let Some(process) = self.0.id() {
            Command::new("kill").arg(process.to_string()).status().await?;
            tokio::time::timeout(Duration::from_secs(20), self.0.wait()).await??;
        }
        Ok(())
    }
}

fn this_program() -> DeskResult<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.kill_on_drop(true).stdin(Stdio::null());
    Ok(command)
}

pub(super) async fn start_gateway(folder: &Path) -> DeskResult<(Child, String)> {
    let address = folder.join("gateway.address");
    if address.exists() {
        std::fs::remove_file(&address)?;
    }
    let mut command = this_program()?;
    command.arg("gateway").arg("--ledger").arg(folder.join("gateway.db")).arg("--address-file").arg(&address);
    let mut child = command.stdout(Stdio::null()).spawn()?;
    let began = Instant::now();
    loop {
        if let Ok(url) = std::fs::read_to_string(&address) {
            return Ok((Child(child), url.trim().to_owned()));
        }
        if let Some(status) = child.try_wait()? {
            return Err(format!("the gateway ended at once ({status})").into());
        }
        if began.elapsed() > Duration::from_secs(20) {
            return Err("the gateway did not say its address within 20 s".into());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

pub(super) fn start_worker(folder: &Path, url: &str) -> DeskResult<Child> {
    let mut command = this_program()?;
    command.arg("--store").arg(folder.join("approval.db")).args(["work", "--lease", "1s", "--gateway", url]);
    Ok(Child(command.spawn()?))
}
