//! `#[derive(Failure)]`: what each variant of an error proves about the effect. A variant without a class does not compile.

use super::{krate, text};
use crate::errors::Errors;
use crate::messages;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, Data, DeriveInput, Fields, Index, LitStr, Member, Type};

/// What is declared on one variant, or on the struct.
#[derive(Default)]
struct Declared {
    class: Option<Ident>,
    code: Option<LitStr>,
    reference: Option<Member>,
}

pub(crate) fn expand(input: &DeriveInput, errors: &mut Errors) -> TokenStream {
    let krate = krate("failure", &input.attrs);
    let name = &input.ident;
    let (generics, types, clause) = input.generics.split_for_impl();
    let (mut classes, mut codes, mut references) = (Vec::new(), Vec::new(), Vec::new());
    let mut one = |path: TokenStream, at: &dyn ToTokens, attributes: &[Attribute], fields: &Fields| {
        let declared = declared(attributes, fields, at, errors);
        // Where the class is missing, which has been reported, nothing is proven.
        let class = declared.class.unwrap_or_else(|| format_ident!("Unknown"));
        classes.push(quote!(#path { .. } => #krate::contract::Class::#class,));
        if let Some(code) = declared.code {
            codes.push(quote!(#path { .. } => ::core::option::Option::Some(#code),));
        }
        if let Some(member) = declared.reference {
            let value = match is_option(fields, &member) {
                true => quote!(reference.as_ref().map(::std::string::ToString::to_string)),
                false => quote!(::core::option::Option::Some(::std::string::ToString::to_string(reference))),
            };
            references.push(quote!(#path { #member: reference, .. } => #value,));
        }
    };
    match &input.data {
        Data::Enum(data) => {
            for variant in &data.variants {
                let ident = &variant.ident;
                one(quote!(Self::#ident), ident, &variant.attrs, &variant.fields);
            }
        }
        Data::Struct(data) => one(quote!(Self), name, &input.attrs, &data.fields),
        Data::Union(_) => {
            errors.at(name, messages::FAILURE_UNION);
            return quote!();
        }
    }
    let class = match classes.is_empty() {
        true => quote!(match *self {}),
        false => quote!(match self { #(#classes)* }),
    };
    let code = (!codes.is_empty()).then(|| {
        quote! {
            #[allow(unreachable_patterns)]
            fn code(&self) -> ::core::option::Option<&str> {
                match self { #(#codes)* _ => ::core::option::Option::None }
            }
        }
    });
    let reference = (!references.is_empty()).then(|| {
        quote! {
            #[allow(unreachable_patterns)]
            fn reference(&self) -> ::core::option::Option<::std::string::String> {
                match self { #(#references)* _ => ::core::option::Option::None }
            }
        }
    });
    quote! {
        impl #generics #krate::Failure for #name #types #clause {
            fn class(&self) -> #krate::contract::Class { #class }
            #code
            #reference
        }
    }
}

fn declared(attributes: &[Attribute], fields: &Fields, at: &dyn ToTokens, errors: &mut Errors) -> Declared {
    let mut declared = Declared::default();
    let mut failed = false;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("failure")) {
        let parsed = attribute.parse_nested_meta(|meta| {
            let class = ["transient", "refused", "unknown"].into_iter().find(|class| meta.path.is_ident(class));
            if let Some(class) = class {
                if declared.class.is_some() {
                    return Err(meta.error(messages::TWO_CLASSES));
                }
                let mut variant = class.to_owned();
                variant[..1].make_ascii_uppercase();
                declared.class = Some(Ident::new(&variant, proc_macro2::Span::call_site()));
                Ok(())
            } else if meta.path.is_ident("code") {
                declared.code = Some(text(&meta, "code")?);
                Ok(())
            } else if meta.path.is_ident("reference") {
                let member: Member = meta.value()?.parse()?;
                if !members(fields).any(|known| known == member) {
                    return Err(syn::Error::new_spanned(&member, messages::no_such_field(&member)));
                }
                declared.reference = Some(member);
                Ok(())
            } else if meta.path.is_ident("crate") {
                meta.value()?.parse::<syn::Path>().map(drop)
            } else {
                Err(meta.error(messages::FAILURE_FORM))
            }
        });
        if let Err(error) = parsed {
            failed = true;
            errors.push(error);
        }
    }
    if declared.class.is_none() && !failed {
        errors.at(at, messages::unclassified(&at.to_token_stream()));
    }
    declared
}

fn members(fields: &Fields) -> impl Iterator<Item = Member> {
    fields.iter().enumerate().map(|(index, field)| match &field.ident {
        Some(name) => Member::Named(name.clone()),
        None => Member::Unnamed(Index::from(index)),
    })
}

fn is_option(fields: &Fields, member: &Member) -> bool {
    let field = members(fields).position(|known| known == *member).and_then(|index| fields.iter().nth(index));
    match field.map(|field| &field.ty) {
        Some(Type::Path(path)) => path.path.segments.last().is_some_and(|last| last.ident == "Option"),
        _ => false,
    }
}
