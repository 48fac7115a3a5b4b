//! The derives: `Failure`, `Signal`, `Environment`. Each is small enough to parse, check and expand in one file.

pub(crate) mod environment;
pub(crate) mod failure;
pub(crate) mod signal;

use crate::errors::Errors;
use crate::messages;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, DeriveInput, LitStr, Path};

/// Runs one derive: its code, and what is wrong.
pub(crate) fn run(tokens: TokenStream, derive: impl FnOnce(&DeriveInput, &mut Errors) -> TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    match syn::parse2::<DeriveInput>(tokens) {
        Ok(input) => {
            let code = derive(&input, &mut errors);
            let errors = errors.into_tokens();
            quote!(#code #errors)
        }
        Err(error) => error.to_compile_error(),
    }
}

/// The path of saga-core from `#[failure(crate = ..)]`, `#[signal(crate = ..)]` or `#[environment(crate = ..)]` on the type.
fn krate(own: &str, attributes: &[Attribute]) -> TokenStream {
    let mut krate = quote!(::saga_core);
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(own)) {
        // Other entries, and mistakes in them, are the business of the derive.
        let _ = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("crate") {
                let path: Path = meta.value()?.parse()?;
                krate = quote!(#path);
            } else if meta.input.peek(syn::Token![=]) {
                let _: syn::Expr = meta.value()?.parse()?;
            }
            Ok(())
        });
    }
    krate
}

/// `= "text"`, not empty.
fn text(meta: &syn::meta::ParseNestedMeta<'_>, name: &str) -> syn::Result<LitStr> {
    let text: LitStr = meta.value()?.parse()?;
    if text.value().trim().is_empty() {
        return Err(syn::Error::new(text.span(), messages::empty_attribute(name)));
    }
    Ok(text)
}
