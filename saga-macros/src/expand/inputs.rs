//! How inputs are written, read back and handed on. The same for steps and sagas.

use crate::model::{Borrowed, Evidence, Parameter, Passed, krate_span};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Index, Type};

/// A variable of generated code. Hygiene keeps it from the user's variables, but not from the user's function beside it, which may
/// have any name.
pub(super) fn local(name: &str) -> Ident {
    Ident::new(&format!("__{name}"), Span::mixed_site())
}

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

/// The value of a fallible read. Written out, because `?` would cost every input two trait lookups.
fn or_return(read: TokenStream) -> TokenStream {
    quote! {
        match #read {
            ::core::result::Result::Ok(value) => value,
            ::core::result::Result::Err(error) => return ::core::result::Result::Err(error),
        }
    }
}

/// The tuple that reads all inputs of a saga; they are all taken by value.
pub(super) fn read(krate: &TokenStream, inputs: &[Parameter], reader: &Ident) -> TokenStream {
    let values = inputs.iter().map(|input| or_return(read_one(krate, input, reader)));
    quote!((#(#values,)*))
}

/// The statements that read the inputs of a step, each into the binding of that number.
pub(super) fn read_each(krate: &TokenStream, inputs: &[Parameter], reader: &Ident) -> TokenStream {
    let statements = inputs.iter().enumerate().map(|(index, input)| {
        let (value, read) = (binding(index, Span::mixed_site()), or_return(read_one(krate, input, reader)));
        quote!(let #value = #read;)
    });
    statements.collect()
}

/// Reads one input back from `reader`, in the form in which it is handed on.
fn read_one(krate: &TokenStream, input: &Parameter, reader: &Ident) -> TokenStream {
    let text = journal_name(&input.name);
    match &input.passed {
        Passed::Evidence(Evidence::Needed) => quote!(#reader.lent_done(#text)),
        Passed::Evidence(Evidence::Consumed) => quote!(#reader.done(#text)),
        Passed::Borrowed(Borrowed::Text) => quote!(#reader.lent_text(#text)),
        Passed::Borrowed(Borrowed::Items(item)) => {
            let form = form(krate, item);
            quote!(#reader.lent_items(#text, &#form))
        }
        Passed::Borrowed(Borrowed::Whole(ty)) => {
            let form = form(krate, ty);
            quote!(#reader.lent(#text, &#form))
        }
        Passed::Owned(ty) => {
            let form = form(krate, ty);
            quote!(#reader.input(#text, &#form))
        }
    }
}

/// The type of a saga's inputs.
pub(super) fn types(inputs: &[Parameter]) -> TokenStream {
    let types = inputs.iter().map(Parameter::owned);
    quote!((#(#types,)*))
}

fn index(index: usize, span: Span) -> Index {
    Index { index: u32::try_from(index).unwrap_or(u32::MAX), span }
}

/// The arguments that hand the tuple on to a saga's body, each with a comma before it.
pub(super) fn hand_on(inputs: &[Parameter], tuple: &Ident, span: Span) -> TokenStream {
    let indices = (0..inputs.len()).map(|at| index(at, span));
    quote_spanned!(span=> #(, #tuple.#indices)*)
}

/// The arguments that hand the bindings on to a step's function, each with a comma before it.
pub(super) fn hand_on_each(inputs: &[Parameter], span: Span) -> TokenStream {
    let bindings = (0..inputs.len()).map(|index| binding(index, span));
    quote_spanned!(span=> #(, #bindings)*)
}

/// A name that the user cannot have meant, at the user's token: where a shape is wrong, the message points there.
fn binding(index: usize, span: Span) -> Ident {
    Ident::new(&format!("__input{index}"), span.resolved_at(Span::mixed_site()))
}

/// The parameters of the caller: the user's, without `mut`.
pub(super) fn parameters(inputs: &[Parameter]) -> TokenStream {
    inputs.iter().map(|Parameter { name, ty, .. }| quote!(#name: #ty,)).collect()
}
