//! `#[derive(Environment)]`: a struct whose fields are the environments of steps. Each field type is provided by its field.

use super::krate;
use crate::errors::Errors;
use crate::messages;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Index, Member, Type};

pub(crate) fn expand(input: &DeriveInput, errors: &mut Errors) -> TokenStream {
    let krate = krate("environment", &input.attrs);
    let name = &input.ident;
    let Data::Struct(data) = &input.data else {
        errors.at(name, messages::ENVIRONMENT_STRUCT);
        return quote!();
    };
    if !input.generics.params.is_empty() {
        errors.at(&input.generics.params, messages::ENVIRONMENT_GENERIC);
        return quote!();
    }
    let mut provided: Vec<&Type> = Vec::new();
    let mut implementations = TokenStream::new();
    for (index, field) in data.fields.iter().enumerate() {
        let ty = &field.ty;
        if provided.contains(&ty) {
            errors.at(ty, messages::two_fields(&quote!(#ty)));
            continue;
        }
        provided.push(ty);
        let member = match &field.ident {
            Some(name) => Member::Named(name.clone()),
            None => Member::Unnamed(Index::from(index)),
        };
        implementations.extend(quote! {
            impl #krate::Provides<#ty> for #name {
                fn provide(&self) -> &#ty { &self.#member }
            }
        });
    }
    let unit = provided.iter().any(|ty| matches!(ty, Type::Tuple(tuple) if tuple.elems.is_empty()));
    if !unit {
        // Steps without an environment run in every one.
        implementations.extend(quote! {
            impl #krate::Provides<()> for #name {
                fn provide(&self) -> &() { &() }
            }
        });
    }
    implementations
}
