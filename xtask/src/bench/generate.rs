//! Writes the crates that are measured: the same types, steps, undos and bodies, with more or fewer macros on them.
//!
//! Decides source text only. One saga is one payload type, three steps with an undo each, and a body of three calls; all share
//! one error type, as the sagas of a real service share the error of the service they call.

use super::{Kind, Options};
use crate::Outcome;
use crate::workspace::Workspace;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// A generated crate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Crate {
    /// How its sagas are written.
    pub(super) kind: Kind,
    /// How many there are.
    pub(super) sagas: usize,
}

impl Crate {
    /// The package's name.
    pub(super) fn name(self) -> String {
        format!("{}-{}", self.kind, self.sagas)
    }
}

/// Writes a workspace of its own with a small and a large crate of each kind. The small one carries the fixed costs.
pub(super) fn write(workspace: &Workspace, folder: &Path, options: &Options) -> Outcome<Vec<Crate>> {
    let crates: Vec<Crate> = Kind::ALL
        .into_iter()
        .filter(|kind| options.kinds.contains(kind))
        .flat_map(|kind| [Crate { kind, sagas: 1 }, Crate { kind, sagas: options.sagas }])
        .collect();
    let members: Vec<String> = crates.iter().map(|one| format!("{:?}", one.name())).collect();
    save(&folder.join("Cargo.toml"), &format!("[workspace]\nresolver = \"3\"\nmembers = [{}]\n", members.join(", ")))?;
    // The same versions as the workspace's own.
    let lock = fs::read_to_string(workspace.root.join("Cargo.lock")).map_err(|error| format!("Cargo.lock: {error}"))?;
    save(&folder.join("Cargo.lock"), &lock)?;
    for one in &crates {
        save(&folder.join(one.name()).join("Cargo.toml"), &manifest(*one, &workspace.root))?;
        save(&folder.join(one.name()).join("src/lib.rs"), &source(*one))?;
    }
    Ok(crates)
}

fn save(path: &Path, text: &str) -> Outcome<()> {
    let folder = path.parent().unwrap_or(path);
    let saved = fs::create_dir_all(folder).and_then(|()| fs::write(path, text));
    saved.map_err(|error| format!("{} cannot be written: {error}", path.display()))
}

fn manifest(one: Crate, root: &Path) -> String {
    let core = match one.kind {
        Kind::Plain => String::new(),
        // As a literal string: a path may hold backslashes.
        Kind::Steps | Kind::Sagas => format!("saga-core = {{ path = '{}' }}\n", root.join("saga-core").display()),
    };
    format!(
        "[package]\nname = \"{}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{core}\
         serde = {{ version = \"1\", features = [\"derive\"] }}\nthiserror = \"2\"\n",
        one.name()
    )
}

fn source(one: Crate) -> String {
    let mut text = String::from(match one.kind {
        Kind::Plain => PLAIN_HEAD,
        Kind::Steps => STEPS_HEAD,
        Kind::Sagas => SAGAS_HEAD,
    });
    for index in 0..one.sagas {
        saga(&mut text, one.kind, index);
    }
    text
}

const PLAIN_HEAD: &str = "\
//! Generated: plain async fns.
#![allow(dead_code)]
use serde::{Deserialize, Serialize};
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
pub enum GatewayError { #[error(\"refused\")] Refused }
pub struct Cx { key: String }
impl Cx { fn key(&self) -> &str { &self.key } }
";

const STEPS_HEAD: &str = "\
//! Generated: steps, called from plain async fns.
#![allow(dead_code)]
use saga_core::{Done, Failure, Saga, StepCx, StepError, step};
use serde::{Deserialize, Serialize};
#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum GatewayError { #[failure(refused)] #[error(\"refused\")] Refused }
";

const SAGAS_HEAD: &str = "\
//! Generated: steps, called from sagas.
#![allow(dead_code)]
use saga_core::{Done, Failure, Saga, StepCx, StepError, saga, step};
use serde::{Deserialize, Serialize};
#[derive(Debug, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum GatewayError { #[failure(refused)] #[error(\"refused\")] Refused }
";

/// One saga. The bodies of steps and of the saga are the same text in all kinds.
fn saga(text: &mut String, kind: Kind, n: usize) {
    let plain = kind == Kind::Plain;
    let cx = if plain { "&Cx" } else { "&StepCx" };
    let done = |step: &str, output: &str| if plain { format!("&{output}") } else { format!("&Done<{step}{n}>") };
    let mut add = |line: String| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{line}");
    };
    add(format!("#[derive(Debug, Clone, Serialize, Deserialize)]\npub struct P{n} {{ input: String }}"));
    let steps = [
        ("a", format!("p: &P{n}"), "String", format!("Ok(format!(\"{{}}{{}}a{n}\", cx.key(), p.input))")),
        ("b", format!("a: {}", done("a", "String")), "u64", format!("Ok((cx.key().len() + a.len()) as u64 + {n})")),
        ("c", format!("b: {}", done("b", "u64")), "bool", format!("Ok(b.wrapping_add(cx.key().len() as u64) > {n})")),
    ];
    for (step, input, output, body) in steps {
        if !plain {
            add(format!("#[step(compensable(undo = u{step}{n}), idempotent(key))]"));
        }
        add(format!("pub async fn {step}{n}(cx: {cx}, {input}) -> Result<{output}, GatewayError> {{ {body} }}"));
        let arguments = format!("_cx: {cx}, _{input}, _made: Option<&{output}>");
        add(format!("pub async fn u{step}{n}({arguments}) -> Result<(), GatewayError> {{ Ok(()) }}"));
    }
    if kind == Kind::Sagas {
        add("#[saga(version = 1, owner = \"bench\")]".to_owned());
    }
    let (cx, error, outputs) = match kind {
        Kind::Plain => ("&Cx", "GatewayError", "a, b, c"),
        Kind::Steps | Kind::Sagas => ("&mut Saga", "StepError<GatewayError>", "*a, *b, *c"),
    };
    add(format!(
        "pub async fn saga{n}(cx: {cx}, input: P{n}) -> Result<String, {error}> {{\n    \
         let a = a{n}(cx, &input).await?;\n    let b = b{n}(cx, &a).await?;\n    let c = c{n}(cx, &b).await?;\n    \
         Ok(format!(\"{{}}{{}}{{}}\", {outputs}))\n}}"
    ));
}
