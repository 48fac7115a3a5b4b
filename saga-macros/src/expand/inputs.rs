//! How inputs are written, read back and handed on. The same for steps and sagas.

use crate::model::{Borrowed, Evidence, Parameter, Passed, krate_span};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Index, Type};

/// The name of a parameter in the journal.
pub(super) fn journal_name(name: &Ident) -> String {
    syn::ext::IdentExt::unraw(name).to_string()
}

/// Asks, at the user's type, whether it can be journaled. Twice with the same words: the compiler prints them once.
fn form(krate: &TokenStream, ty: &Type) -> TokenStream {
    let krate = krate_span(krate, ty.span());
    quote_spanned!(ty.span()=> #krate::journaled::<#ty>())
}

/// The statements that write the inputs into `writer`.
pub(super) fn write(krate: &TokenStream, inputs: &[Parameter], writer: &Ident) -> TokenStream {
    inputs
        .iter()
        .map(|input| {
            let name = &input.name;
            let text = journal_name(name);
            match &input.passed {
                Passed::Owned(ty) => {
                    let form = form(krate, ty);
                    quote!(#writer.input(#text, &#form, &#name);)
                }
                Passed::Borrowed(Borrowed::Text) => quote!(#writer.value(#text, #name);),
                Passed::Borrowed(Borrowed::Items(item)) => {
                    let form = form(krate, item);
                    quote!(#writer.items(#text, &#form, #name);)
                }
                Passed::Borrowed(Borrowed::Whole(whole)) => {
                    let form = form(krate, whole);
                    quote!(#writer.input(#text, &#form, #name);)
                }
                Passed::Evidence(Evidence::Needed) => quote!(#writer.needs(#text, #name);),
                Passed::Evidence(Evidence::Consumed) => quote!(#writer.consumes(#text, &#name);),
            }
        })
        .collect()
}

/// The tuple that reads them back from `reader`.
pub(super) fn read(krate: &TokenStream, inputs: &[Parameter], reader: &Ident) -> TokenStream {
    let values = inputs.iter().map(|input| {
        let text = journal_name(&input.name);
        match &input.passed {
            Passed::Evidence(..) => quote!(#reader.done(#text)?),
            Passed::Borrowed(Borrowed::Text) => quote!(#reader.value(#text)?),
            Passed::Borrowed(Borrowed::Items(item)) => {
                let form = form(krate, item);
                quote!(#reader.items(#text, &#form)?)
            }
            Passed::Borrowed(Borrowed::Whole(ty)) | Passed::Owned(ty) => {
                let form = form(krate, ty);
                quote!(#reader.input(#text, &#form)?)
            }
        }
    });
    quote!((#(#values,)*))
}

/// The tuple's type.
pub(super) fn types(inputs: &[Parameter]) -> TokenStream {
    let types = inputs.iter().map(Parameter::owned);
    quote!((#(#types,)*))
}

/// The arguments that hand the tuple `inputs` on to the user's function, each with a comma before it.
pub(super) fn hand_on(inputs: &[Parameter], tuple: &Ident, span: Span) -> TokenStream {
    inputs
        .iter()
        .enumerate()
        .map(|(index, input)| {
            let index = Index { index: u32::try_from(index).unwrap_or(u32::MAX), span };
            let reference = input.is_reference().then(|| quote_spanned!(span=> &));
            quote_spanned!(span=> , #reference #tuple.#index)
        })
        .collect()
}

/// The parameters of the caller: the user's, without `mut`.
pub(super) fn parameters(inputs: &[Parameter]) -> TokenStream {
    inputs.iter().map(|Parameter { name, ty, .. }| quote!(#name: #ty,)).collect()
}
