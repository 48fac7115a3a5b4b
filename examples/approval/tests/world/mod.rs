//! A real gateway process for a test, on a ledger of its own; killed when the test ends.

#![allow(dead_code, reason = "each test file uses its own part")]

use approval::gateway::Gateway;
use approval::gateway::faults::{Fault, FaultKind};
use approval::gateway::wire::{Effect, Operation, Outcome};
use approval::model::Submission;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

pub(crate) struct World {
    pub(crate) directory: TempDir,
    pub(crate) address: String,
    process: Child,
}

impl World {
    pub(crate) fn start(arguments: &[&str]) -> World {
        World::start_in(tempfile::tempdir().unwrap(), arguments)
    }

    pub(crate) fn start_in(directory: TempDir, arguments: &[&str]) -> World {
        let (process, address) = spawn(&directory, arguments);
        World { directory, address, process }
    }

    pub(crate) fn gateway(&self) -> Gateway {
        Gateway::at(&self.address).unwrap()
    }

    /// SIGKILL: nothing of the process gets to run.
    pub(crate) fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub(crate) fn start_again(&mut self, arguments: &[&str]) {
        (self.process, self.address) = spawn(&self.directory, arguments);
    }

    pub(crate) async fn tell(&self, faults: &[Fault]) {
        self.gateway().set_faults(faults).await.unwrap();
    }

    /// What came of every request with this key, in order.
    pub(crate) async fn outcomes(&self, key: &str) -> Vec<Outcome> {
        let effects = self.gateway().ledger().await.unwrap().effects;
        effects.into_iter().filter(|effect| effect.key == key).map(|effect| effect.outcome).collect()
    }

    /// Waits until a request with this key has reached the ledger.
    pub(crate) async fn landed(&self, key: &str) -> Effect {
        let until = Instant::now() + Duration::from_secs(20);
        loop {
            let effects = self.gateway().ledger().await.unwrap().effects;
            if let Some(effect) = effects.into_iter().find(|effect| effect.key == key) {
                return effect;
            }
            assert!(Instant::now() < until, "nothing with key {key} has landed");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The status and body of a request as it is written here, without the client.
    pub(crate) fn raw(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(self.address.strip_prefix("http://").unwrap()).unwrap();
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
        )
        .unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let status = reply.split(' ').nth(1).unwrap().parse().unwrap();
        (status, reply.split_once("\r\n\r\n").unwrap().1.to_owned())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // Already ended in tests that kill it.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

pub(crate) fn command(directory: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gateway"));
    command.current_dir(directory.path()).args(arguments);
    command
}

fn spawn(directory: &TempDir, arguments: &[&str]) -> (Child, String) {
    let mut process = command(directory, arguments).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on ").expect(&line).to_owned();
    (process, address)
}

pub(crate) fn submission(id: &str) -> Submission {
    Submission {
        id: id.to_owned(), revision: 1, title: "On slots".to_owned(), body: "Бронь \u{0} 🦀".to_owned()
    }
}

pub(crate) fn always(operation: Operation, fault: FaultKind) -> Fault {
    Fault { operation, submission: None, fault, times: None }
}

pub(crate) fn times(times: u32, operation: Operation, fault: FaultKind) -> Fault {
    Fault { operation, submission: None, fault, times: Some(times) }
}
