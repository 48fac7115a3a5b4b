//! The function below an attribute: signature parsed, body kept as tokens, so that a half-typed body keeps the item alive.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Signature, Visibility};

/// A function whose body has not been looked at.
pub(crate) struct FunctionItem {
    pub(crate) attributes: Attributes,
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    /// With its braces.
    pub(crate) body: TokenStream,
}

/// The user's other attributes, by where they go.
#[derive(Default)]
pub(crate) struct Attributes {
    /// Documentation and deprecation: on what the user's users see.
    pub(crate) shown: Vec<Attribute>,
    /// Conditions and lint levels: on everything that is generated.
    pub(crate) everywhere: Vec<Attribute>,
    /// All others: on the user's own function.
    pub(crate) inner: Vec<Attribute>,
}

impl Attributes {
    fn sort(all: Vec<Attribute>) -> Attributes {
        let mut sorted = Attributes::default();
        for attribute in all {
            let is = |names: &[&str]| names.iter().any(|name| attribute.path().is_ident(name));
            if is(&["doc", "deprecated", "must_use"]) {
                sorted.shown.push(attribute);
            } else if is(&["cfg", "allow", "expect", "warn", "deny", "forbid"]) {
                sorted.everywhere.push(attribute);
            } else {
                sorted.inner.push(attribute);
            }
        }
        sorted
    }
}

impl Parse for FunctionItem {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let attributes = Attributes::sort(input.call(Attribute::parse_outer)?);
        let visibility = input.parse()?;
        let signature = input.parse()?;
        let body = input.parse()?;
        Ok(FunctionItem { attributes, visibility, signature, body })
    }
}

impl ToTokens for FunctionItem {
    /// The user's function as it was written, but private: it sits inside a generated one.
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let FunctionItem { attributes: Attributes { everywhere, inner, .. }, signature, body, .. } = self;
        tokens.extend(quote!(#(#everywhere)* #(#inner)* #signature #body));
    }
}
