//! What a saga is: its parameters, its result, and the machine that its body spells.

use super::body::Walk;
use super::graph::Graph;
use super::parameters::{self, Parameter, Passed};
use super::step::krate;
use crate::errors::Errors;
use crate::messages;
use crate::parse::{FunctionItem, Settings};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Block, FnArg, Ident, Pat, Type};

/// A saga as declared.
pub(crate) struct SagaModel {
    pub(crate) item: FunctionItem,
    pub(crate) settings: Settings,
    /// The path of saga-core.
    pub(crate) krate: TokenStream,
    pub(crate) inputs: Vec<Parameter>,
    /// `(T, E)` of the result.
    pub(crate) result: Option<(Type, Type)>,
    /// The body, if it could be parsed.
    pub(crate) body: Option<Block>,
    pub(crate) graph: Graph,
    /// Whether the signature could be understood whole.
    pub(crate) callable: bool,
}

impl SagaModel {
    /// Understands a saga.
    pub(crate) fn new(mut item: FunctionItem, settings: Settings, errors: &mut Errors) -> SagaModel {
        let before = errors.count();
        let mut arguments = item.signature.inputs.iter();
        let first = arguments.next();
        let handle = first.and_then(handle);
        if handle.is_none() {
            match first {
                Some(FnArg::Receiver(receiver)) => errors.at(receiver, messages::RECEIVER),
                Some(first) => errors.at(first, messages::SAGA_WITHOUT_HANDLE),
                None => errors.at(&item.signature.ident, messages::SAGA_WITHOUT_HANDLE),
            }
        }
        let inputs: Vec<Parameter> = arguments.filter_map(|argument| Parameter::read(argument, errors)).collect();
        for input in &inputs {
            match input.passed {
                Passed::Evidence(_) => {
                    errors.at(&input.ty, messages::EVIDENCE_PARAMETER);
                }
                Passed::Borrowed(_) => errors.at(&input.ty, messages::SAGA_BORROWS),
                Passed::Owned(_) => {}
            }
        }
        let result = parameters::result(&item.signature.output);
        if result.is_none() {
            match &item.signature.output {
                syn::ReturnType::Default => errors.at(&item.signature.ident, messages::SAGA_RESULT),
                syn::ReturnType::Type(_, ty) => errors.at(ty, messages::SAGA_RESULT),
            }
        }
        let callable = errors.count() == before
            && item.signature.asyncness.is_some()
            && item.signature.generics.params.is_empty()
            && item.signature.generics.where_clause.is_none();
        // A body that cannot be parsed is half-typed: the compiler says so, in its own words.
        let mut body: Option<Block> = syn::parse2(item.body.clone()).ok();
        let graph = match (&mut body, &handle) {
            (Some(body), Some(handle)) => {
                let (graph, placed) = Walk::body(handle.to_string(), body, errors);
                if placed.put_into(body, errors) {
                    item.body = body.to_token_stream();
                }
                graph
            }
            _ => Graph::default(),
        };
        let krate = krate(&settings);
        SagaModel { item, settings, krate, inputs, result, body, graph, callable }
    }
}

/// The name of `cx: &mut Saga`.
fn handle(argument: &FnArg) -> Option<Ident> {
    let FnArg::Typed(typed) = argument else { return None };
    let Type::Reference(reference) = &*typed.ty else { return None };
    parameters::arguments(&reference.elem, "Saga").filter(|arguments| arguments.is_empty())?;
    reference.mutability?;
    match &*typed.pat {
        Pat::Ident(name) => Some(name.ident.clone()),
        _ => None,
    }
}
