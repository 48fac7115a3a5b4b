//! The expansion of a step or a saga whose signature is none. Its users stay silent, so that one mistake is reported once: all
//! that it gives has the type of an error, and the compiler says nothing about what is done with such a thing.

use super::inputs::journal_name;
use crate::errors::Errors;
use crate::model::{SagaModel, StepModel};
use proc_macro2::TokenStream;
use quote::quote;
use syn::FnArg;

/// The code of a step that cannot be called. One mistake is reported in the place of its output; that makes it an error's type.
pub(super) fn step(step: &StepModel, marker: TokenStream, errors: &mut Errors) -> TokenStream {
    let (krate, item) = (&step.krate, &step.item);
    if let Some(FnArg::Receiver(_)) = item.signature.inputs.first() {
        let visibility = &item.visibility;
        return quote!(#visibility #item);
    }
    let mistake = errors.take().unwrap_or_default();
    let name = &item.signature.ident;
    let everywhere = &item.attributes.everywhere;
    let contract = super::step::contract(step);
    let wrong = quote!(<#name as #krate::Step>::Output);
    let value = value(&item.visibility, name, everywhere, &wrong);
    quote! {
        #marker
        #(#everywhere)*
        impl #krate::Step for #name {
            const CONTRACT: #krate::contract::StepContract = #contract;
            type Env = #wrong;
            type Output = <[(); #mistake] as ::core::iter::Iterator>::Item;
            type Error = #wrong;
            fn act<'a>(
                _: &'a #krate::InputReader<'a>,
                _: #krate::Act<'a, Self>,
            ) -> ::core::result::Result<#krate::Acting<'a>, #krate::DecodeError> {
                #[allow(dead_code)]
                #item
                loop {}
            }
        }
        #value
    }
}

/// The code of a saga that cannot be started.
pub(super) fn saga(saga: &SagaModel, marker: TokenStream, errors: &mut Errors) -> TokenStream {
    let (krate, item) = (&saga.krate, &saga.item);
    if let Some(FnArg::Receiver(_)) = item.signature.inputs.first() {
        let visibility = &item.visibility;
        return quote!(#visibility #item);
    }
    let mistake = errors.take().unwrap_or_default();
    let name = &item.signature.ident;
    let everywhere = &item.attributes.everywhere;
    let wrong = quote!(<#name as #krate::SagaType>::Output);
    let value = value(&item.visibility, name, everywhere, &wrong);
    let text = journal_name(name);
    let site = super::saga::site(krate, name);
    quote! {
        #marker
        #(#everywhere)*
        const _: () = {
            impl #krate::SagaType for #name {
                const DEFINITION: #krate::definition::Definition = #krate::definition::Definition {
                    name: #text, version: 1, owner: "", deadline: ::core::option::Option::None, nodes: &[], edges: &[]
                };
                type Inputs = ();
                type Output = <[(); #mistake] as ::core::iter::Iterator>::Item;
                type Error = #wrong;
                fn read(_: &#krate::InputReader<'_>) -> ::core::result::Result<(), #krate::DecodeError> {
                    ::core::result::Result::Ok(())
                }
                fn body(_: &mut #krate::Saga, _: ()) -> #krate::BodyFuture<'_, #wrong, #wrong> {
                    #[allow(dead_code)]
                    #item
                    loop {}
                }
            }
            impl<P> #krate::RunsOn<P> for #name {
                fn register(_: &mut #krate::StepTable<P>) {}
            }
            impl<M> #krate::Awaits<M> for #name {}
            #site
        };
        #value
    }
}

/// What is called: no function, because a call with other arguments than it has would be a mistake of its own.
fn value(
    visibility: &syn::Visibility,
    name: &syn::Ident,
    everywhere: &[syn::Attribute],
    wrong: &TokenStream,
) -> TokenStream {
    quote! {
        #(#everywhere)*
        #[allow(non_upper_case_globals, missing_docs, dead_code, unreachable_pub)]
        #visibility const #name: #wrong = ::core::panic!();
    }
}
