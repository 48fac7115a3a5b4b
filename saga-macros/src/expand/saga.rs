//! The expansion of `#[saga]`: a marker type, the caller, the machine as a constant, the user's body, and one assertion at
//! every place where the order rules may find a fault.

use super::inputs;
use super::step::micros;
use crate::model::{Graph, Kind, On, Returned, SagaModel, Site, krate_span};
use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned;

/// The code of a saga. `sound` tells whether the macro itself found no mistake: only then is the order checked, so that one
/// mistake is reported once.
pub(crate) fn expand(saga: &SagaModel, sound: bool) -> TokenStream {
    let item = &saga.item;
    let name = &item.signature.ident;
    let visibility = &item.visibility;
    let everywhere = &item.attributes.everywhere;
    let shown = &item.attributes.shown;
    let marker = quote! {
        #(#everywhere)* #(#shown)*
        #[allow(non_camel_case_types, missing_docs, unreachable_pub)]
        #visibility enum #name {}
    };
    match &saga.result {
        Some((output, error)) if saga.callable => {
            let caller = caller(saga);
            let implementation = implementation(saga, output, error, sound);
            quote!(#marker #caller #implementation)
        }
        _ => quote!(#marker #(#everywhere)* #[allow(dead_code)] #visibility #item),
    }
}

fn caller(saga: &SagaModel) -> TokenStream {
    let krate = &saga.krate;
    let item = &saga.item;
    let name = &item.signature.ident;
    let visibility = &item.visibility;
    let everywhere = &item.attributes.everywhere;
    let shown = &item.attributes.shown;
    let writer = Ident::new("inputs", Span::mixed_site());
    let write = inputs::write(krate, &saga.inputs, &writer);
    let parameters = inputs::parameters(&saga.inputs);
    quote! {
        #(#everywhere)* #(#shown)*
        #[allow(clippy::too_many_arguments)]
        #visibility fn #name(#parameters) -> #krate::Start<#name> {
            #[allow(unused_mut)]
            let mut #writer = #krate::InputWriter::of_a_start();
            #write
            #krate::Start::new(#writer)
        }
    }
}

fn implementation(saga: &SagaModel, output: &Type, error: &Type, sound: bool) -> TokenStream {
    let krate = &saga.krate;
    let item = &saga.item;
    let name = &item.signature.ident;
    let everywhere = &item.attributes.everywhere;
    let fallback = (!saga.graph.paths.is_empty()).then(|| quote!(#[allow(unused_imports)] use #krate::fallback::*;));
    let imports = imports(&saga.graph);
    let definition = definition(saga);
    let types = inputs::types(&saga.inputs);
    let [handle, tuple, reader, table] =
        ["saga", "inputs", "reader", "table"].map(|name| Ident::new(name, Span::mixed_site()));
    let read = inputs::read(krate, &saga.inputs, &reader);
    let arguments = inputs::hand_on(&saga.inputs, &tuple, Span::mixed_site());
    let steps = steps(&saga.graph);
    let named = krate_span(krate, name.span());
    // All at the saga's name: a body that cannot move to another thread is reported there.
    let body = quote_spanned!(name.span()=> #named::boxed(#name(#handle #arguments)));
    let signals = signals(krate, name, &saga.graph);
    let assertions = if sound { assertions(krate, name, &saga.graph) } else { quote!() };
    quote! {
        #(#everywhere)*
        const _: () = { #fallback {
            #imports
            impl #krate::SagaType for #name {
                const DEFINITION: #krate::definition::Definition = #definition;
                type Inputs = #types;
                type Output = #output;
                type Error = #error;
                fn read(#reader: &#krate::InputReader<'_>) -> ::core::result::Result<Self::Inputs, #krate::DecodeError> {
                    ::core::result::Result::Ok(#read)
                }
                fn body(#handle: &mut #krate::Saga, #tuple: Self::Inputs) -> #krate::BodyFuture<'_, #output, #error> {
                    #item
                    #body
                }
            }
            impl<P> #krate::RunsOn<P> for #name
            where
                #(#steps: #krate::SiteOn<P>,)*
            {
                fn register(#table: &mut #krate::StepTable<P>) {
                    #(<#steps as #krate::SiteOn<P>>::register(#table);)*
                }
            }
            #signals
            #assertions
        } };
    }
}

/// Every awaited path as a type, under a fixed name. Where a path is only a function, it brings no type, and the fallback of
/// the same name stands in: that turns "not a step" into a fault of the machine, with words of ours.
fn imports(graph: &Graph) -> TokenStream {
    let imports = graph.paths.iter().enumerate().map(|(index, path)| {
        let alias = alias(index, path.span());
        if path.is_ident("uuid") {
            // Imports, unlike types, look at crate names too; a glob import of our `uuid` would be ambiguous with that crate.
            return quote!(#[allow(non_camel_case_types)] type #alias = #path;);
        }
        quote!(#[allow(unused_imports)] use #path as #alias;)
    });
    imports.collect()
}

fn alias(index: usize, span: Span) -> Ident {
    format_ident!("__s{index}", span = span)
}

/// The paths that are awaited without generic arguments: steps, and waits that need nothing.
fn steps(graph: &Graph) -> Vec<Ident> {
    let mut seen = vec![false; graph.paths.len()];
    for node in &graph.nodes {
        if let Kind::Site(site) = &node.kind {
            seen[site.path] |= site.generics.is_none();
        }
    }
    let named = graph.paths.iter().enumerate().filter(|(index, _)| seen[*index]);
    named.map(|(index, path)| alias(index, path.span())).collect()
}

fn signals(krate: &TokenStream, name: &Ident, graph: &Graph) -> TokenStream {
    let mut seen = Vec::new();
    let mut tokens = TokenStream::new();
    for node in &graph.nodes {
        if let Kind::Site(site) = &node.kind
            && let Some(generics) = &site.generics
            && !seen.contains(&generics)
        {
            seen.push(generics);
            let arguments = &generics.args;
            tokens.extend(quote!(impl #krate::Awaits<#arguments> for #name {}));
        }
    }
    tokens
}

fn definition(saga: &SagaModel) -> TokenStream {
    let krate = &saga.krate;
    let name = inputs::journal_name(&saga.item.signature.ident);
    let version = saga.settings.number("version").copied().unwrap_or(1);
    let owner = saga.settings.text("owner").map(ToTokens::to_token_stream).unwrap_or_else(|| quote!(""));
    let deadline = match saga.settings.micros("deadline") {
        Some(deadline) => {
            let deadline = micros(*deadline);
            quote!(::core::option::Option::Some(#deadline))
        }
        None => quote!(::core::option::Option::None),
    };
    let (nodes, edges) = (nodes(krate, &saga.graph), edges(krate, &saga.graph));
    quote! {
        #krate::definition::Definition {
            name: #name,
            version: #version,
            owner: #owner,
            deadline: #deadline,
            nodes: &#nodes,
            edges: &#edges,
        }
    }
}

/// The states, in the short form that `saga_core::definition::outline` reads.
fn nodes(krate: &TokenStream, graph: &Graph) -> TokenStream {
    let (mut text, mut sites, mut words) = (String::new(), Vec::new(), Vec::new());
    for node in &graph.nodes {
        let letter = match &node.kind {
            Kind::Start => '^',
            Kind::Site(place) => {
                sites.push(site(krate, graph, place));
                's'
            }
            Kind::Branch(label) => {
                words.push(one_line(label));
                'b'
            }
            Kind::Return(Returned::Ok) => 'o',
            Kind::Return(Returned::Err) => 'e',
            Kind::Return(Returned::Either) => 'x',
        };
        text.push(letter);
        text.push_str(&node.next.len().to_string());
    }
    let count = Literal::usize_unsuffixed(graph.nodes.len());
    let words = words.join("\n");
    quote!(#krate::definition::outline::nodes::<#count>(#text, &[#(#sites),*], #words))
}

/// The transitions, likewise.
fn edges(krate: &TokenStream, graph: &Graph) -> TokenStream {
    let (mut text, mut labels, mut count) = (String::new(), Vec::new(), 0);
    for edge in graph.nodes.iter().flat_map(|node| &node.next) {
        count += 1;
        text.push_str(&edge.to.min(usize::from(u16::MAX)).to_string());
        text.push(match edge.on {
            On::Any => '.',
            On::Done => '+',
            On::Refused => '-',
        });
        if !edge.label.is_empty() {
            text.push('\'');
            labels.push(one_line(&edge.label));
        }
    }
    let count = Literal::usize_unsuffixed(count);
    let labels = labels.join("\n");
    quote!(#krate::definition::outline::edges::<#count>(#text, #labels))
}

fn one_line(words: &str) -> String {
    words.replace('\n', " ")
}

fn site(krate: &TokenStream, graph: &Graph, site: &Site) -> TokenStream {
    let alias = alias(site.path, graph.paths[site.path].span());
    let endless = (!site.bounded).then(|| quote!(.endless()));
    match &site.generics {
        Some(generics) => quote!(<#alias #generics>::NODE #endless),
        None => quote!(<#alias as #krate::Site>::NODE #endless),
    }
}

/// One assertion per place that can be at fault, each at the user's own tokens, so that each is reported by itself.
fn assertions(krate: &TokenStream, name: &Ident, graph: &Graph) -> TokenStream {
    let places = graph.nodes.iter().enumerate();
    places
        .filter(|(_, node)| !node.at.is_empty() && !matches!(node.kind, Kind::Return(Returned::Ok)))
        .map(|(index, node)| leaf(krate, name, index, &node.at))
        .collect()
}

fn leaf(krate: &TokenStream, name: &Ident, index: usize, at: &TokenStream) -> TokenStream {
    let trees: Vec<TokenTree> = at.clone().into_iter().collect();
    let first = trees.first().map_or_else(Span::call_site, TokenTree::span);
    let last = trees.last().map_or(first, TokenTree::span);
    let words = at.to_string().replace(' ', "");
    let krate = krate_span(krate, first);
    let mut name = name.clone();
    name.set_span(name.span().located_at(first));
    // The expression reaches from the user's first token to the last, and so does the message.
    let machine = quote_spanned!(first=> <#name as #krate::SagaType>::CHECKED);
    let call = quote_spanned!(last=> (#index, #words));
    let method = quote_spanned!(first=> .at);
    quote_spanned!(first=> const _: () = #machine #method #call;)
}
