//! What cannot be seen from outside: the shape of expansions, half-typed items, and that every property has a misuse golden.

mod expansions;
mod forbidden;
mod half_typed;
mod machines;
mod table;

use proc_macro2::TokenStream;
use quote::ToTokens;

/// Expands every `#[step]` and `#[saga]` of a file.
fn expand(source: &str) -> TokenStream {
    let file: syn::File = syn::parse_str(source).unwrap();
    file.items
        .into_iter()
        .map(|item| {
            let syn::Item::Fn(mut function) = item else { panic!("only functions here") };
            let at =
                function.attrs.iter().position(|a| a.path().is_ident("step") || a.path().is_ident("saga")).unwrap();
            let attribute = function.attrs.remove(at);
            let properties = attribute.meta.require_list().unwrap().tokens.clone();
            match attribute.path().is_ident("step") {
                true => crate::expand_step(properties, function.into_token_stream()),
                false => crate::expand_saga(properties, function.into_token_stream()),
            }
        })
        .collect()
}
