//! Names that a body binds more than once. Decides only that; a name bound once can be followed by name alone.

use std::collections::HashSet;
use syn::visit::{self, Visit};
use syn::{Block, PatIdent};

/// The names bound more than once.
pub(super) fn bound_twice(body: &Block) -> Vec<String> {
    #[derive(Default)]
    struct Finder {
        once: HashSet<String>,
        twice: Vec<String>,
    }
    impl Visit<'_> for Finder {
        fn visit_pat_ident(&mut self, pat: &PatIdent) {
            let name = pat.ident.to_string();
            if !self.once.insert(name.clone()) {
                self.twice.push(name);
            }
            visit::visit_pat_ident(self, pat);
        }
    }
    let mut finder = Finder::default();
    finder.visit_block(body);
    finder.twice
}
