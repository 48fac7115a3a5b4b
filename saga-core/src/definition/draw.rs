//! Draws a machine for people: Mermaid text. Decides words and shapes only.

use super::{Definition, NodeKind, On, Returned};
use crate::contract::{Idempotency, Needs, Reversibility, StepContract};
use core::fmt;

impl fmt::Display for Definition {
    /// A Mermaid flowchart: paste it where Mermaid is understood.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "flowchart TD")?;
        for (index, node) in self.nodes.iter().enumerate() {
            match node.kind {
                NodeKind::Start => writeln!(f, "    n{index}([{} v{}])", self.name, self.version)?,
                NodeKind::Step(contract) => writeln!(f, "    {}", step(index, contract))?,
                NodeKind::Signal { name, .. } => {
                    writeln!(f, "    n{index}{{{{{}}}}}", quoted(&format!("wait for {name}")))?;
                }
                NodeKind::Sleep => writeln!(f, "    n{index}{{{{sleep}}}}")?,
                NodeKind::Value(name) => writeln!(f, "    n{index}[/{name}/]")?,
                NodeKind::Branch(label) => writeln!(f, "    n{index}{{{}}}", quoted(label))?,
                NodeKind::Return(Returned::Ok) => writeln!(f, "    n{index}([completed])")?,
                NodeKind::Return(Returned::Err) => writeln!(f, "    n{index}([undone and refused])")?,
                NodeKind::Return(Returned::Either) => writeln!(f, "    n{index}([completed, or undone and refused])")?,
                NodeKind::NotJournaled(name) => writeln!(f, "    n{index}[{}]", quoted(name))?,
            }
        }
        for index in 0..self.nodes.len() {
            for edge in self.next(index) {
                let label = match (edge.label, edge.on) {
                    ("", On::Refused) => "refused",
                    (label, _) => label,
                };
                let arrow = if edge.on == On::Refused { "-.->" } else { "-->" };
                if label.is_empty() {
                    writeln!(f, "    n{index} {arrow} n{}", edge.to)?;
                } else {
                    writeln!(f, "    n{index} {arrow}|{}| n{}", quoted(label), edge.to)?;
                }
            }
        }
        Ok(())
    }
}

fn step(index: usize, contract: &StepContract) -> String {
    let reversibility = match contract.reversibility {
        Reversibility::Compensable { needs: Needs::Nothing } => "compensable",
        Reversibility::Compensable { needs: Needs::Output } => "compensable, needs its output",
        Reversibility::Kept => "may stay",
        Reversibility::Irreversible => "irreversible",
        Reversibility::ReadOnly => "read only",
    };
    let idempotency = match contract.idempotency {
        Idempotency::Idempotent => "idempotent",
        Idempotency::ByKey => "idempotent by key",
        Idempotency::NotIdempotent => "not idempotent",
    };
    let verifiable = if contract.verification.is_some() { ", verifiable" } else { "" };
    let retriable = if contract.retriable { ", retriable" } else { "" };
    let (open, close) = if contract.is_irreversible() { ("[[", "]]") } else { ("[", "]") };
    format!(
        "n{index}{open}\"{}<br/><small>{reversibility}{verifiable}{retriable}, {idempotency}</small>\"{close}",
        contract.name
    )
}

/// Mermaid has no escape for a quote inside quotes but its entity.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "#quot;").replace('\n', " "))
}
