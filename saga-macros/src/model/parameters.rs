//! The parameters and the result of a step or a saga: how each input is passed, journaled and read back.

use super::conditional;
use crate::errors::Errors;
use crate::messages;
use proc_macro2::TokenStream;
use quote::quote;
use syn::visit::{self, Visit};
use syn::{FnArg, GenericArgument, Ident, Pat, PathArguments, ReturnType, Type};

/// One input.
pub(crate) struct Parameter {
    pub(crate) name: Ident,
    /// As the user wrote it.
    pub(crate) ty: Type,
    pub(crate) passed: Passed,
}

/// How an input is passed.
pub(crate) enum Passed {
    /// By value.
    Owned(Type),
    /// By reference.
    Borrowed(Borrowed),
    /// As evidence of a step.
    Evidence(Evidence),
}

/// What is behind a reference.
pub(crate) enum Borrowed {
    /// `&str`.
    Text,
    /// `&[T]`, of this `T`.
    Items(Type),
    /// `&T`.
    Whole(Type),
}

/// What evidence is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// `&Done<S>`.
    Needed,
    /// `Done<S>`.
    Consumed,
}

impl Parameter {
    /// Reads a parameter; `None` if it cannot be an input, which has been reported.
    pub(crate) fn read(argument: &FnArg, errors: &mut Errors) -> Option<Parameter> {
        let FnArg::Typed(typed) = argument else {
            errors.at(argument, messages::RECEIVER);
            return None;
        };
        if let Some(condition) = conditional::cfg(&typed.attrs) {
            errors.at(condition, messages::CONDITIONAL_INPUT);
            return None;
        }
        let Pat::Ident(name) = &*typed.pat else {
            errors.at(&typed.pat, messages::PATTERN_PARAMETER);
            return None;
        };
        if name.subpat.is_some() || name.by_ref.is_some() {
            errors.at(&typed.pat, messages::PATTERN_PARAMETER);
            return None;
        }
        let passed = passed(&typed.ty, errors)?;
        Some(Parameter { name: name.ident.clone(), ty: (*typed.ty).clone(), passed })
    }

    /// The type in which it is read back from the journal.
    pub(crate) fn owned(&self) -> TokenStream {
        match &self.passed {
            Passed::Owned(_) | Passed::Evidence(Evidence::Consumed) => {
                let ty = &self.ty;
                quote!(#ty)
            }
            Passed::Borrowed(Borrowed::Text) => quote!(::std::string::String),
            Passed::Borrowed(Borrowed::Items(item)) => quote!(::std::vec::Vec<#item>),
            Passed::Borrowed(Borrowed::Whole(ty)) => quote!(#ty),
            Passed::Evidence(Evidence::Needed) => match &self.ty {
                Type::Reference(reference) => {
                    let ty = &reference.elem;
                    quote!(#ty)
                }
                ty => quote!(#ty),
            },
        }
    }
}

fn passed(ty: &Type, errors: &mut Errors) -> Option<Passed> {
    match ty {
        Type::Reference(reference) => {
            if reference.mutability.is_some() {
                errors.at(ty, messages::MUTABLE_INPUT);
                return None;
            }
            if is_evidence(&reference.elem) {
                return Some(Passed::Evidence(Evidence::Needed));
            }
            if borrows(&reference.elem) {
                errors.at(ty, messages::BORROWING_INPUT);
                return None;
            }
            Some(Passed::Borrowed(match &*reference.elem {
                Type::Slice(slice) => Borrowed::Items((*slice.elem).clone()),
                Type::Path(path) if path.path.is_ident("str") => Borrowed::Text,
                other => Borrowed::Whole(other.clone()),
            }))
        }
        _ if borrows(ty) => {
            errors.at(ty, messages::BORROWING_INPUT);
            None
        }
        _ if is_evidence(ty) => Some(Passed::Evidence(Evidence::Consumed)),
        _ => Some(Passed::Owned(ty.clone())),
    }
}

/// Whether this is `Done<S>`.
fn is_evidence(ty: &Type) -> bool {
    arguments(ty, "Done").is_some_and(|arguments| arguments.len() == 1)
}

/// The type arguments of a path that ends in `name`.
pub(crate) fn arguments(ty: &Type, name: &str) -> Option<Vec<Type>> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    match &last.arguments {
        PathArguments::None => Some(Vec::new()),
        PathArguments::AngleBracketed(list) => Some(
            list.args
                .iter()
                .filter_map(|argument| match argument {
                    GenericArgument::Type(ty) => Some(ty.clone()),
                    _ => None,
                })
                .collect(),
        ),
        PathArguments::Parenthesized(_) => None,
    }
}

/// Whether a type holds a reference, a lifetime or an `impl Trait`: none of these can be read back from a journal.
fn borrows(ty: &Type) -> bool {
    struct Finder(bool);
    impl Visit<'_> for Finder {
        fn visit_type_reference(&mut self, _: &syn::TypeReference) {
            self.0 = true;
        }
        fn visit_lifetime(&mut self, lifetime: &syn::Lifetime) {
            self.0 |= lifetime.ident != "static";
        }
        fn visit_type_impl_trait(&mut self, _: &syn::TypeImplTrait) {
            self.0 = true;
        }
        fn visit_type_fn_ptr(&mut self, _: &syn::TypeFnPtr) {}
        fn visit_type(&mut self, ty: &Type) {
            visit::visit_type(self, ty);
        }
    }
    let mut finder = Finder(false);
    finder.visit_type(ty);
    finder.0
}

/// `(T, E)` of `-> Result<T, E>`.
pub(crate) fn result(output: &ReturnType) -> Option<(Type, Type)> {
    let ReturnType::Type(_, ty) = output else { return None };
    let mut arguments = arguments(ty, "Result").filter(|arguments| arguments.len() == 2)?;
    let error = arguments.pop()?;
    Some((arguments.pop()?, error))
}
