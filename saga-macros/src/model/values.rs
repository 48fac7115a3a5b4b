//! What is known of a value: whether it is a call's `Ok` or its `Err`, also through a variable and behind a pattern.
//!
//! Decides only that. What cannot be told counts as either.

use super::body::Walk;
use super::graph::{Frontier, On, Outcome};
use super::patterns::cover;
use syn::Ident;

impl Walk<'_> {
    /// Follows a plain variable that holds the result of a call, so that a later `match` on it is understood.
    pub(super) fn remember(&mut self, pat: &syn::Pat, value: &Outcome) {
        let syn::Pat::Ident(name) = pat else { return };
        let text = name.ident.to_string();
        let from_calls = value.other.is_empty()
            && value.ok.iter().all(|exit| exit.on == On::Done)
            && value.err.iter().all(|exit| exit.on == On::Refused)
            && value.exits().next().is_some();
        if from_calls && name.mutability.is_none() && name.subpat.is_none() && !self.rebound.contains(&text) {
            self.results.insert(text, value.exits().map(|exit| exit.from).collect());
        }
    }

    pub(super) fn variable(&self, name: &Ident, from: Frontier) -> Outcome {
        let mut outcome = Outcome::default();
        let calls = self.results.get(&name.to_string());
        for exit in from {
            let known = calls.is_some_and(|calls| calls.contains(&exit.from));
            match exit.on {
                On::Done if known => outcome.ok.push(exit),
                On::Refused if known => outcome.err.push(exit),
                _ => outcome.other.push(exit),
            }
        }
        outcome
    }

    /// The part of a value that a pattern may match, and the part that it may not.
    pub(super) fn divide(&mut self, value: Outcome, pat: &syn::Pat) -> (Frontier, Frontier) {
        let cover = cover(pat);
        let Outcome { ok, err, other } = value;
        let (mut matched, mut rest) = (other.clone(), other);
        if cover.ok {
            matched.extend(ok.iter().cloned());
        }
        if cover.err {
            matched.extend(err.iter().cloned());
        }
        if !cover.all_ok {
            rest.extend(ok);
        }
        if !cover.all_err {
            rest.extend(err);
        }
        (matched, rest)
    }
}
