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

/// Reads one input back from `reader`. Written out, because `?` would cost every input two trait lookups.
fn read_one(krate: &TokenStream, input: &Parameter, reader: &Ident) -> TokenStream {
    let text = journal_name(&input.name);
    let value = match &input.passed {
        Passed::Evidence(..) => quote!(#reader.done(#text)),
        Passed::Borrowed(Borrowed::Text) => quote!(#reader.value(#text)),
        Passed::Borrowed(Borrowed::Items(item)) => {
            let form = form(krate, item);
            quote!(#reader.items(#text, &#form))
        }
        Passed::Borrowed(Borrowed::Whole(ty)) | Passed::Owned(ty) => {
            let form = form(krate, ty);
            quote!(#reader.input(#text, &#form))
        }
    };
    quote! {
        match #value {
            ::core::result::Result::Ok(value) => value,
            ::core::result::Result::Err(error) => return ::core::result::Result::Err(error),
        }
    }
}

/// The tuple that reads all inputs of a saga.
pub(super) fn read(krate: &TokenStream, inputs: &[Parameter], reader: &Ident) -> TokenStream {
    let values = inputs.iter().map(|input| read_one(krate, input, reader));
    quote!((#(#values,)*))
}

/// The two tuples that read the inputs of a step: those lent to its functions, and those given.
pub(super) fn read_apart(krate: &TokenStream, inputs: &[Parameter], reader: &Ident) -> TokenStream {
    let part = |lent| inputs.iter().filter(move |input| input.is_reference() == lent);
    let lent = part(true).map(|input| read_one(krate, input, reader));
    let given = part(false).map(|input| read_one(krate, input, reader));
    quote!(((#(#lent,)*), (#(#given,)*)))
}

/// The type of a saga's inputs.
pub(super) fn types(inputs: &[Parameter]) -> TokenStream {
    let types = inputs.iter().map(Parameter::owned);
    quote!((#(#types,)*))
}

/// The types of a step's inputs: those lent to its functions, and those given.
pub(super) fn types_apart(inputs: &[Parameter]) -> (TokenStream, TokenStream) {
    let part = |lent| inputs.iter().filter(move |input| input.is_reference() == lent).map(Parameter::owned);
    let (lent, given) = (part(true), part(false));
    (quote!((#(#lent,)*)), quote!((#(#given,)*)))
}

fn index(index: usize, span: Span) -> Index {
    Index { index: u32::try_from(index).unwrap_or(u32::MAX), span }
}

/// The arguments that hand the tuple on to a saga's body, each with a comma before it.
pub(super) fn hand_on(inputs: &[Parameter], tuple: &Ident, span: Span) -> TokenStream {
    let indices = (0..inputs.len()).map(|at| index(at, span));
    quote_spanned!(span=> #(, #tuple.#indices)*)
}

/// The arguments that hand the two tuples on to a step's function, in the order of its parameters.
pub(super) fn hand_on_apart(inputs: &[Parameter], [lent, given]: [&Ident; 2], span: Span) -> TokenStream {
    let (mut lent_so_far, mut given_so_far) = (0, 0);
    let mut tokens = TokenStream::new();
    for input in inputs {
        let (tuple, so_far, reference) = match input.is_reference() {
            true => (lent, &mut lent_so_far, Some(quote_spanned!(span=> &))),
            false => (given, &mut given_so_far, None),
        };
        let at = index(*so_far, span);
        *so_far += 1;
        tokens.extend(quote_spanned!(span=> , #reference #tuple.#at));
    }
    tokens
}

/// The parameters of the caller: the user's, without `mut`.
pub(super) fn parameters(inputs: &[Parameter]) -> TokenStream {
    inputs.iter().map(|Parameter { name, ty, .. }| quote!(#name: #ty,)).collect()
}
