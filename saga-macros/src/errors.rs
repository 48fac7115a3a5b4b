//! Collects what is wrong with one item, so that several mistakes are reported at once. Knows no rule.

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The mistakes found so far.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    /// To be reported.
    all: Vec<syn::Error>,
    /// What the code already reports where it was made.
    placed: Vec<String>,
}

impl Errors {
    /// A mistake at `tokens`.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.all.push(syn::Error::new_spanned(tokens, message));
    }

    /// A mistake that already has its place.
    pub(crate) fn push(&mut self, error: syn::Error) {
        self.all.push(error);
    }

    /// A mistake that the code itself reports, in the place where it was made.
    pub(crate) fn placed(&mut self, error: &syn::Error) {
        self.placed.push(error.to_string());
    }

    pub(crate) fn count(&self) -> usize {
        self.all.len() + self.placed.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.count() == 0
    }

    /// Takes one mistake out, as an expression or an item that reports it where it is put.
    pub(crate) fn take(&mut self) -> Option<TokenStream> {
        if self.all.is_empty() {
            return None;
        }
        let mut parts = self.all.remove(0).into_iter();
        let first = parts.next();
        self.all.extend(parts);
        first.map(|error| error.to_compile_error())
    }

    /// One `compile_error!` per mistake.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.all.iter().map(syn::Error::to_compile_error).collect()
    }

    #[cfg(test)]
    pub(crate) fn words(&self) -> Vec<String> {
        self.all.iter().map(ToString::to_string).chain(self.placed.clone()).collect()
    }
}
