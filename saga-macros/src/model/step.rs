//! What a step is: its function, its environment, its inputs and its declared properties.

use super::parameters::{self, Parameter};
use crate::errors::Errors;
use crate::messages;
use crate::parse::{FunctionItem, Settings};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{FnArg, Ident, Pat, Path, Type};

/// A step as declared.
pub(crate) struct StepModel {
    pub(crate) item: FunctionItem,
    pub(crate) settings: Settings,
    /// The path of saga-core.
    pub(crate) krate: TokenStream,
    /// The name of the context parameter, if it has one.
    pub(crate) context: Option<Ident>,
    pub(crate) environment: TokenStream,
    pub(crate) inputs: Vec<Parameter>,
    /// `(T, E)` of the result.
    pub(crate) result: Option<(Type, Type)>,
    /// Whether the signature could be understood whole: only then can the function be called.
    pub(crate) callable: bool,
}

impl StepModel {
    /// Understands a step.
    pub(crate) fn new(item: FunctionItem, settings: Settings, errors: &mut Errors) -> StepModel {
        let before = errors.count();
        let krate = krate(&settings);
        let mut arguments = item.signature.inputs.iter();
        let first = arguments.next();
        let (context, environment) = match first.and_then(context) {
            Some((name, environment)) => (name, environment),
            None => {
                match first {
                    Some(FnArg::Receiver(receiver)) => errors.at(receiver, messages::RECEIVER),
                    Some(first) => errors.at(first, messages::STEP_WITHOUT_CONTEXT),
                    None => errors.at(&item.signature.ident, messages::STEP_WITHOUT_CONTEXT),
                }
                (None, quote!(()))
            }
        };
        let inputs = arguments.filter_map(|argument| Parameter::read(argument, errors)).collect();
        let result = parameters::result(&item.signature.output);
        if result.is_none() {
            match &item.signature.output {
                syn::ReturnType::Default => errors.at(&item.signature.ident, messages::STEP_RESULT),
                syn::ReturnType::Type(_, ty) => errors.at(ty, messages::STEP_RESULT),
            }
        }
        let callable = errors.count() == before && item.signature.asyncness.is_some() && generics_are_empty(&item);
        StepModel { item, settings, krate, context, environment, inputs, result, callable }
    }
}

/// Whether a function has no type, const or lifetime parameters.
pub(crate) fn generics_are_empty(item: &FunctionItem) -> bool {
    item.signature.generics.params.is_empty()
}

/// The path of saga-core: what `crate = ..` says, or the default, as if the user had written it.
pub(crate) fn krate(settings: &Settings) -> TokenStream {
    match settings.path("crate") {
        Some(path) => quote!(#path),
        None => quote!(::saga_core),
    }
}

/// The name and the environment of `cx: &StepCx<E>`.
fn context(argument: &FnArg) -> Option<(Option<Ident>, TokenStream)> {
    let FnArg::Typed(typed) = argument else { return None };
    let Type::Reference(reference) = &*typed.ty else { return None };
    let mut arguments = parameters::arguments(&reference.elem, "StepCx")?;
    if reference.mutability.is_some() || arguments.len() > 1 {
        return None;
    }
    let environment = arguments.pop().map_or_else(|| quote!(()), |ty| quote!(#ty));
    match &*typed.pat {
        Pat::Ident(name) => Some((Some(name.ident.clone()), environment)),
        Pat::Wild(_) => Some((None, environment)),
        _ => None,
    }
}

/// The path of an undo or a check, if it was given.
pub(crate) fn path_inside<'a>(settings: &'a Settings, outer: &str, name: &str) -> Option<&'a Path> {
    settings.inside(outer).and_then(|inside| inside.path(name))
}

/// The path of saga-core with the user's span, so that what fails there is reported at the user's token.
pub(crate) fn krate_span(krate: &TokenStream, span: proc_macro2::Span) -> TokenStream {
    krate
        .clone()
        .into_iter()
        .map(|mut tree| {
            tree.set_span(span);
            tree
        })
        .collect()
}
