//! Names that a body binds: more than once (those are not followed), and to something that could be called in a step's place.
//!
//! Decides only that. The machine names its steps outside of the body, so a function that is bound inside it would be run
//! unchecked under a name that was checked.

use std::collections::HashSet;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ItemFn, Local, Macro, Pat, PatIdent, UseName, UseRename};

/// The names bound more than once, or handed to a macro that may bind them again.
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
        fn visit_macro(&mut self, mac: &Macro) {
            self.twice.extend(super::macros::bound_by(mac));
        }
    }
    let mut finder = Finder::default();
    finder.visit_block(body);
    finder.twice
}

/// The names of functions, imports, and variables that hold a function or a closure.
pub(super) fn callable(body: &Block) -> HashSet<String> {
    #[derive(Default)]
    struct Finder(HashSet<String>);
    impl Visit<'_> for Finder {
        fn visit_item_fn(&mut self, item: &ItemFn) {
            self.0.insert(item.sig.ident.to_string());
        }
        fn visit_use_name(&mut self, name: &UseName) {
            self.0.insert(name.ident.to_string());
        }
        fn visit_use_rename(&mut self, name: &UseRename) {
            self.0.insert(name.rename.to_string());
        }
        fn visit_local(&mut self, local: &Local) {
            if let (Pat::Ident(name), Some(init)) = (&local.pat, &local.init)
                && matches!(&*init.expr, Expr::Path(_) | Expr::Closure(_))
            {
                self.0.insert(name.ident.to_string());
            }
            visit::visit_local(self, local);
        }
    }
    let mut finder = Finder::default();
    finder.visit_block(body);
    finder.0
}
