//! The expansion of `#[step]`: a marker type, its contract and its functions, and the caller.

use super::{broken, inputs};
use crate::errors::Errors;
use crate::model::{StepModel, krate_span, path_inside};
use crate::parse::Settings;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Path, Type};

/// The code of a step. Also for one with mistakes, as far as it can be understood: its users must not fail because of it.
pub(crate) fn expand(step: &StepModel, errors: &mut Errors) -> TokenStream {
    let item = &step.item;
    let name = &item.signature.ident;
    let visibility = &item.visibility;
    let everywhere = &item.attributes.everywhere;
    let shown = &item.attributes.shown;
    let marker = quote! {
        #(#everywhere)* #(#shown)*
        #[allow(non_camel_case_types, missing_docs, unreachable_pub)]
        #visibility enum #name {}
    };
    match &step.result {
        Some((output, error)) if step.callable => {
            let implementation = implementation(step, output, error);
            let caller = caller(step);
            quote!(#marker #implementation #caller)
        }
        _ => broken::step(step, marker, errors),
    }
}

fn caller(step: &StepModel) -> TokenStream {
    let krate = &step.krate;
    let item = &step.item;
    let name = &item.signature.ident;
    let visibility = &item.visibility;
    let everywhere = &item.attributes.everywhere;
    let shown = &item.attributes.shown;
    let parameters = inputs::parameters(&step.inputs);
    let writer = inputs::local("inputs");
    let saga = inputs::local("saga");
    let write = inputs::write(krate, &step.inputs, &writer);
    quote! {
        #(#everywhere)* #(#shown)*
        #[allow(clippy::too_many_arguments)]
        #visibility fn #name<'saga>(#saga: &'saga mut #krate::Saga, #parameters) -> #krate::Call<'saga, #name> {
            #[allow(unused_mut)]
            let mut #writer = #krate::InputWriter::of(#saga);
            #write
            #krate::Call::new(#saga, #writer)
        }
    }
}

fn implementation(step: &StepModel, output: &Type, error: &Type) -> TokenStream {
    let krate = &step.krate;
    let item = &step.item;
    let name = &item.signature.ident;
    let environment = &step.environment;
    let everywhere = &item.attributes.everywhere;
    let contract = contract(step);
    let [cx, reader, act, made] = ["cx", "reader", "act", "made"].map(inputs::local);
    let read = inputs::read_each(krate, &step.inputs, &reader);
    let arguments = inputs::hand_on_each(&step.inputs, Span::mixed_site());
    let assertions = assertions(step);
    let undo = undo(step, [&cx, &made]);
    let check = check(step, &cx);
    quote! {
        #(#everywhere)*
        impl #krate::Step for #name {
            const CONTRACT: #krate::contract::StepContract = #contract;
            type Env = #environment;
            type Output = #output;
            type Error = #error;
            fn act<'a>(
                #reader: &'a #krate::InputReader<'a>,
                #act: #krate::Act<'a, Self>,
            ) -> ::core::result::Result<#krate::Acting<'a>, #krate::DecodeError> {
                #item
                #read
                ::core::result::Result::Ok(match #act {
                    #krate::Act::Run(#cx) => #krate::ran::<Self>(#name(#cx #arguments)),
                    #undo
                    #check
                    _ => ::core::option::Option::None,
                })
            }
        }
        #assertions
    }
}

/// The arm of the undo. The call is all at the user's path, so that a wrong shape shows there.
fn undo(step: &StepModel, [cx, made]: [&Ident; 2]) -> Option<TokenStream> {
    let path = path_inside(&step.settings, "compensable", "undo")?;
    let span = path.span();
    let krate = krate_span(&step.krate, span);
    let needs_output = step.settings.inside("compensable").is_some_and(|inside| inside.get("needs").is_some());
    let known = if needs_output { quote!(::core::option::Option::Some(#made)) } else { quote!(#made) };
    let arguments = inputs::hand_on_each(&step.inputs, span);
    let call = quote_spanned!(span=> #krate::undone(#path(#cx #arguments, #made)));
    Some(quote!(#krate::Act::Undo(#cx, #known) => #call,))
}

/// The arm of the check, likewise.
fn check(step: &StepModel, cx: &Ident) -> Option<TokenStream> {
    let path = path_inside(&step.settings, "verifiable", "check")?;
    let span = path.span();
    let krate = krate_span(&step.krate, span);
    let arguments = inputs::hand_on_each(&step.inputs, span);
    let call = quote_spanned!(span=> #krate::checked::<Self, _>(#path(#cx #arguments)));
    Some(quote!(#krate::Act::Check(#cx) => #call,))
}

pub(super) fn contract(step: &StepModel) -> TokenStream {
    let krate = &step.krate;
    let contract = quote!(#krate::contract);
    let settings = &step.settings;
    let name = inputs::journal_name(&step.item.signature.ident);
    let reversibility = reversibility(settings, &contract);
    let idempotency = idempotency(settings);
    let mut fields = TokenStream::new();
    if !step.inputs.is_empty() {
        let names = step.inputs.iter().map(|input| inputs::journal_name(&input.name));
        fields.extend(quote!(inputs: &[#(#names),*],));
    }
    if let Some(verifiable) = settings.inside("verifiable") {
        let settle = verifiable.micros("settle").copied().unwrap_or(0);
        let retry = retry(verifiable, quote!(#contract::DEFAULT_CHECKS), &contract)
            .unwrap_or_else(|| quote!(#contract::DEFAULT_CHECKS));
        let settle = micros(settle);
        fields.extend(quote! {
            verification: ::core::option::Option::Some(#contract::Verification { settle: #settle, retry: #retry }),
        });
    }
    if settings.get("unknown").is_some() {
        fields.extend(quote!(unknown: #contract::OnUnknown::Review,));
    }
    if settings.get("retriable").is_some() {
        fields.extend(quote!(retriable: true,));
    }
    if let Some(retry) = retry(settings, quote!(#contract::Retry::DEFAULT), &contract) {
        fields.extend(quote!(retry: #retry,));
    }
    let undo_retry = settings
        .inside("compensable")
        .and_then(|inside| retry(inside, quote!(#contract::Retry::DEFAULT_UNDO), &contract));
    if let Some(retry) = undo_retry {
        fields.extend(quote!(undo_retry: #retry,));
    }
    if let Some(timeout) = settings.micros("timeout") {
        let timeout = micros(*timeout);
        fields.extend(quote!(timeout: #timeout,));
    }
    if let Some(within) = settings.micros("within") {
        let within = micros(*within);
        fields.extend(quote!(within: ::core::option::Option::Some(#within),));
    }
    if let Some(paths) = settings.paths("requires") {
        let names = paths.iter().map(|path| {
            let krate = krate_span(krate, path.span());
            let node = node(&krate, path);
            quote_spanned!(path.span()=> #krate::definition::required(#node))
        });
        fields.extend(quote!(requires: &[#(#names),*],));
    }
    if let Some(names) = settings.names("redact") {
        let names = names.iter().map(inputs::journal_name);
        fields.extend(quote!(redacted: &[#(#names),*],));
    }
    if let Some(owner) = settings.text("owner") {
        fields.extend(quote!(owner: ::core::option::Option::Some(#owner),));
    }
    let plain = quote! {
        #contract::StepContract::plain(
            #name,
            ::core::module_path!(),
            #reversibility,
            #contract::Idempotency::#idempotency,
        )
    };
    if fields.is_empty() { plain } else { quote!(#contract::StepContract { #fields ..#plain }) }
}

/// What a path stands for; with the same fallback as in a saga, so that what is only a function is "not a step".
fn node(krate: &TokenStream, path: &Path) -> TokenStream {
    quote_spanned! {path.span()=> {
        #[allow(unused_imports)]
        use #krate::fallback::*;
        {
            #[allow(unused_imports)]
            use #path as __s0;
            <__s0 as #krate::Site>::NODE
        }
    }}
}

/// One assertion per required path, apart from the contract: a contract that fails to evaluate would be reported by its users too.
fn assertions(step: &StepModel) -> TokenStream {
    let paths = step.settings.paths("requires").map(Vec::as_slice).unwrap_or_default();
    let everywhere = &step.item.attributes.everywhere;
    let assertion = |path: &Path| {
        let krate = krate_span(&step.krate, path.span());
        let node = node(&krate, path);
        let words = path.to_token_stream().to_string().replace(' ', "");
        quote_spanned!(path.span()=> #(#everywhere)* const _: () = #krate::definition::can_be_required(#node, #words);)
    };
    paths.iter().map(assertion).collect()
}

/// The declared class. Where a mistake left none, the one that asks for least, so that the saga is not blamed on top.
fn reversibility(settings: &Settings, contract: &TokenStream) -> TokenStream {
    if let Some(inside) = settings.inside("compensable") {
        let needs = if inside.get("needs").is_some() { quote!(Output) } else { quote!(Nothing) };
        quote!(#contract::Reversibility::Compensable { needs: #contract::Needs::#needs })
    } else if settings.get("irreversible").is_some() {
        quote!(#contract::Reversibility::Irreversible)
    } else if settings.get("verifiable").is_some() {
        quote!(#contract::Reversibility::Kept)
    } else {
        quote!(#contract::Reversibility::ReadOnly)
    }
}

fn idempotency(settings: &Settings) -> TokenStream {
    if settings.get("not_idempotent").is_some() {
        quote!(NotIdempotent)
    } else if settings.inside("idempotent").is_some() {
        quote!(ByKey)
    } else {
        quote!(Idempotent)
    }
}

fn retry(settings: &Settings, default: TokenStream, contract: &TokenStream) -> Option<TokenStream> {
    let retry = settings.inside("retry")?;
    let fields = [
        retry.number("times").map(|times| quote!(times: #times,)),
        retry.micros("base").map(|base| micros(*base)).map(|base| quote!(base: #base,)),
        retry.factor("factor").map(|factor| quote!(factor: #factor,)),
        retry.micros("cap").map(|cap| micros(*cap)).map(|cap| quote!(cap: #cap,)),
        retry.switch("jitter").map(|jitter| quote!(jitter: #jitter,)),
    ];
    // Where everything is said, a default for the rest would make clippy warn at the user's step.
    let rest = fields.iter().any(Option::is_none).then(|| quote!(..#default));
    Some(quote!(#contract::Retry { #(#fields)* #rest }))
}

/// A duration.
pub(super) fn micros(micros: u64) -> impl ToTokens {
    quote!(::core::time::Duration::from_micros(#micros))
}
