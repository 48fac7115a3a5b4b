//! The macros of saga-core. Passes: `parse` -> `model` -> `check` -> `expand`; errors accumulate between them, and an item with
//! mistakes is still emitted as far as it can be understood, so that neither its users nor an editor lose it.
//!
//! Use them through `saga_core`, which re-exports them and documents how they are used together.

mod check;
mod derive;
mod errors;
mod expand;
mod messages;
mod model;
mod parse;
mod table;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests;

use errors::Errors;
use proc_macro2::TokenStream;
use quote::quote;
use table::Place;

/// Declares a step: what its effect is, what can be done about it, and whether it may be sent twice.
#[proc_macro_attribute]
pub fn step(properties: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand_step(properties.into(), item.into()).into()
}

fn expand_step(properties: TokenStream, tokens: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let item = match syn::parse2::<parse::FunctionItem>(tokens.clone()) {
        Ok(item) => item,
        Err(_) => {
            errors.at(tokens.clone().into_iter().next(), messages::NOT_A_FUNCTION);
            return [tokens, errors.into_tokens()].into_iter().collect();
        }
    };
    let settings = parse::read(Place::Step, properties, &mut errors);
    let step = model::StepModel::new(item, settings, &mut errors);
    check::check_step(&step, &mut errors);
    let code = expand::expand_step(&step, &mut errors);
    let errors = errors.into_tokens();
    quote!(#code #errors)
}

/// Declares a saga: its version, who answers for it, and how long it may take. The body is read and checked as a machine.
#[proc_macro_attribute]
pub fn saga(properties: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    expand_saga(properties.into(), item.into()).into()
}

fn expand_saga(properties: TokenStream, tokens: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let item = match syn::parse2::<parse::FunctionItem>(tokens.clone()) {
        Ok(item) => item,
        Err(_) => {
            errors.at(tokens.clone().into_iter().next(), messages::NOT_A_FUNCTION);
            return [tokens, errors.into_tokens()].into_iter().collect();
        }
    };
    let settings = parse::read(Place::Saga, properties, &mut errors);
    let saga = model::SagaModel::new(item, settings, &mut errors);
    check::check_saga(&saga, &mut errors);
    let code = expand::expand_saga(&saga, &mut errors);
    let errors = errors.into_tokens();
    quote!(#code #errors)
}

/// Says what each variant of a step's error proves: `#[failure(transient)]`, `#[failure(refused)]` or `#[failure(unknown)]`,
/// with an optional `code = ".."` and `reference = field` for operators.
#[proc_macro_derive(Failure, attributes(failure))]
pub fn failure(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derive::run(item.into(), derive::failure::expand).into()
}

/// Makes a type a message that a saga can wait for; `#[signal(name = "..")]` gives it another name than its type's.
#[proc_macro_derive(Signal, attributes(signal))]
pub fn signal(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derive::run(item.into(), derive::signal::expand).into()
}

/// Makes each field of a struct an environment that steps can ask for by its type.
#[proc_macro_derive(Environment, attributes(environment))]
pub fn environment(item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    derive::run(item.into(), derive::environment::expand).into()
}
