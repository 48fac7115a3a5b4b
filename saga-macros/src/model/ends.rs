//! Where a body ends: `?`, `return` and its last expression, and which of these ends share a state.

use super::body::Walk;
use super::graph::{Frontier, Kind, On, Outcome, Returned};
use quote::{ToTokens, quote};

impl Walk<'_> {
    pub(super) fn question(&mut self, attempt: &syn::ExprTry, from: Frontier) -> Outcome {
        let Outcome { ok, mut err, other } = self.expr(&attempt.expr, from);
        err.extend(other.iter().cloned());
        self.leave(Returned::Err, attempt.question_token.to_token_stream(), err);
        Outcome::unknown([ok, other].concat())
    }

    /// The body returns this value.
    pub(super) fn returns(&mut self, value: Outcome, at: &proc_macro2::TokenStream) {
        let Outcome { ok, err, other } = value;
        self.leave(Returned::Ok, at.clone(), ok);
        self.leave(Returned::Err, at.clone(), err);
        self.leave(Returned::Either, at.clone(), other);
    }

    /// What cannot be a fault shares one state: completion, and the way out of a call that was refused.
    pub(super) fn leave(&mut self, returned: Returned, at: proc_macro2::TokenStream, from: Frontier) {
        if from.is_empty() {
            return;
        }
        let shared = match returned {
            Returned::Ok => &mut self.completed,
            Returned::Err if from.iter().all(|exit| exit.on == On::Refused) => &mut self.refused,
            _ => {
                self.graph.place(Kind::Return(returned), at, from);
                return;
            }
        };
        match *shared {
            Some(node) => self.graph.connect(from, node),
            None => *shared = Some(self.graph.place(Kind::Return(returned), quote!(), from)),
        }
    }
}
