//! The gateway as a program: its command line, and where it tells its address.
//!
//! A program of its own (`bin/gateway.rs`), and a command of the example, which starts it without knowing where it was built.

use super::faults::{Faults, Told};
use super::ledger::LedgerFile;
use super::serve::serve;
use super::service::Service;
use clap::Parser;
use std::io::Write;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use tokio::net::TcpListener;

/// A publishing gateway to try sagas on: it has a durable ledger and idempotency keys, and fails as it is told.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Arguments {
    /// The port on 127.0.0.1; 0 takes a free one. The address is printed as `listening on http://127.0.0.1:PORT`
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// The ledger, an SQLite file; made if it is not there
    #[arg(long, value_name = "FILE", default_value = "gateway.db")]
    ledger: PathBuf,
    /// How many slots can be held at once
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    slots: u32,
    /// Initial faults, JSON as for `POST /faults`: {"faults": [{"operation": "publish", "fault": "lose_reply", "times": 1}]}
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,
    /// Write the address into this file once it is served
    #[arg(long, value_name = "FILE")]
    address_file: Option<PathBuf>,
}

/// Serves until the process ends.
///
/// # Errors
/// In words: what is wrong with the command line, the ledger or the port.
pub async fn run(arguments: Arguments) -> Result<(), String> {
    let faults = Faults::default();
    if let Some(path) = &arguments.faults {
        faults.replace(told(path)?.faults).map_err(|problem| format!("{}: {problem}", path.display()))?;
    }
    let ledger = LedgerFile::open(&arguments.ledger, arguments.slots)
        .map_err(|error| format!("{}: {error}", arguments.ledger.display()))?;
    // Loopback only: whoever reaches it can tell it to fail.
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, arguments.port))
        .await
        .map_err(|error| format!("port {}: {error}; `--port 0` takes a free one", arguments.port))?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let url = format!("http://{address}");
    if let Some(path) = &arguments.address_file {
        write_whole(path, &format!("{url}\n")).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    // Whoever started it may have closed its end; the gateway serves all the same.
    let mut stdout = std::io::stdout();
    let _ = writeln!(stdout, "listening on {url}").and_then(|()| stdout.flush());
    serve(listener, Service::new(ledger, faults).router()).await;
    Ok(())
}

fn told(path: &Path) -> Result<Told, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| {
        let form = r#"{"faults": [{"operation": "publish", "fault": "lose_reply", "times": 1}]}"#;
        format!("{} does not fit: {error}; expected JSON like {form}", path.display())
    })
}

/// Whoever waits for the file must not read half an address.
fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    let mut half = path.as_os_str().to_owned();
    half.push(".part");
    std::fs::write(&half, text)?;
    std::fs::rename(&half, path)
}
