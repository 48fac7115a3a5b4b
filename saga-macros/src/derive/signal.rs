//! `#[derive(Signal)]`: a message that a run can wait for, under the name of its type or the name given.

use super::{krate, text};
use crate::errors::Errors;
use crate::messages;
use proc_macro2::TokenStream;
use quote::quote;
use syn::DeriveInput;

pub(crate) fn expand(input: &DeriveInput, errors: &mut Errors) -> TokenStream {
    let krate = krate("signal", &input.attrs);
    let name = &input.ident;
    if !input.generics.params.is_empty() {
        errors.at(&input.generics.params, messages::SIGNAL_GENERIC);
        return quote!();
    }
    let mut called = syn::ext::IdentExt::unraw(name).to_string();
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("signal")) {
        let parsed = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("name") {
                called = text(&meta, "name")?.value();
                Ok(())
            } else if meta.path.is_ident("crate") {
                meta.value()?.parse::<syn::Path>().map(drop)
            } else {
                Err(meta.error(messages::SIGNAL_FORM))
            }
        });
        if let Err(error) = parsed {
            errors.push(error);
        }
    }
    quote! {
        impl #krate::Signal for #name {
            const NAME: &'static str = #called;
        }
    }
}
