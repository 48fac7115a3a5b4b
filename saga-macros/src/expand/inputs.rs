//! How inputs are written, read back and handed on. The same for steps and sagas.

use crate::model::{Evidence, Parameter, Passed};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Index};

/// The name of a parameter in the journal.
pub(super) fn journal_name(name: &Ident) -> String {
    syn::ext::IdentExt::unraw(name).to_string()
}

/// The statements that write the inputs into `writer`.
pub(super) fn write(inputs: &[Parameter], writer: &Ident) -> TokenStream {
    inputs
        .iter()
        .map(|input| {
            let name = &input.name;
            let text = journal_name(name);
            match &input.passed {
                Passed::Owned => quote_spanned!(input.ty.span()=> #writer.value(#text, &#name);),
                Passed::Borrowed(_) => quote_spanned!(input.ty.span()=> #writer.value(#text, #name);),
                Passed::Evidence(Evidence::Needed) => quote!(#writer.needs(#text, #name);),
                Passed::Evidence(Evidence::Consumed) => quote!(#writer.consumes(#text, &#name);),
            }
        })
        .collect()
}

/// The tuple that reads them back from `reader`.
pub(super) fn read(inputs: &[Parameter], reader: &Ident) -> TokenStream {
    let values = inputs.iter().map(|input| {
        let text = journal_name(&input.name);
        match &input.passed {
            Passed::Evidence(..) => quote!(#reader.done(#text)?),
            _ => quote_spanned!(input.ty.span()=> #reader.value(#text)?),
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
