//! Collects what is wrong with one item, so that several mistakes are reported at once. Knows no rule.

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The mistakes found so far.
#[derive(Debug, Default)]
pub(crate) struct Errors(Vec<syn::Error>);

impl Errors {
    /// A mistake at `tokens`.
    pub(crate) fn at(&mut self, tokens: impl ToTokens, message: impl std::fmt::Display) {
        self.0.push(syn::Error::new_spanned(tokens, message));
    }

    /// A mistake that already has its place.
    pub(crate) fn push(&mut self, error: syn::Error) {
        self.0.push(error);
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Takes one mistake out, as an expression or an item that reports it where it is put.
    pub(crate) fn take(&mut self) -> Option<TokenStream> {
        if self.0.is_empty() {
            return None;
        }
        let mut parts = self.0.remove(0).into_iter();
        let first = parts.next();
        self.0.extend(parts);
        first.map(|error| error.to_compile_error())
    }

    /// One `compile_error!` per mistake.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.0.iter().map(syn::Error::to_compile_error).collect()
    }

    #[cfg(test)]
    pub(crate) fn words(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }
}
