//! The expansion of `#[saga]`: a marker type, the caller, the machine as a constant, the user's body, and one assertion at
//! every place where the order rules may find a fault.

use super::step::micros;
use super::{broken, inputs};
use crate::errors::Errors;
use crate::model::{Graph, Kind, On, Returned, SagaModel, Site, krate_span as spanned};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned;

/// The code of a saga. Its order is checked only if the macro itself found no mistake, so that one mistake is reported once.
pub(crate) fn expand(saga: &SagaModel, errors: &mut Errors) -> TokenStream {
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
            let implementation = implementation(saga, output, error, errors.is_empty());
            quote!(#marker #caller #implementation)
        }
        _ => broken::saga(saga, marker, errors),
    }
}

fn caller(saga: &SagaModel) -> TokenStream {
    let krate = &saga.krate;
    let item = &saga.item;
    let name = &item.signature.ident;
    let visibility = &item.visibility;
    let everywhere = &item.attributes.everywhere;
    let shown = &item.attributes.shown;
    let writer = inputs::local("inputs");
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
    let [handle, tuple, reader, table] = ["saga", "inputs", "reader", "table"].map(inputs::local);
    let read = inputs::read(krate, &saga.inputs, &reader);
    let arguments = inputs::hand_on(&saga.inputs, &tuple, Span::mixed_site());
    let steps = steps(&saga.graph);
    let named = spanned(krate, name.span());
    // All at the saga's name: a body that cannot move to another thread is reported there.
    let body = quote_spanned!(name.span()=> #named::boxed(#name(#handle #arguments)));
    let site = site(krate, name);
    let signals = signals(krate, name, &saga.graph);
    let assertions = if sound { assertions(krate, name, &saga.graph) } else { quote!() };
    quote! {
        #(#everywhere)*
        const _: () = { #fallback {
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
            #site
            #signals
            #imports
            #assertions
        } };
    }
}

/// What stands where another body awaits this saga like a step: a fault of that body, with words of ours.
pub(super) fn site(krate: &TokenStream, name: &Ident) -> TokenStream {
    let text = inputs::journal_name(name);
    quote! {
        impl #krate::Site for #name {
            const NODE: #krate::definition::NodeKind = #krate::definition::NodeKind::NotJournaled(#text);
        }
        impl<P> #krate::SiteOn<P> for #name {}
    }
}

/// Every awaited path as a type, under a fixed name. Where a path is only a function, it brings no type, and the fallback of
/// the same name stands in: that turns "not a step" into a fault of the machine, with words of ours.
///
/// The empty macro of the path's own name is why an import of nothing is no error: rustc reports that name where it is called, and
/// once is enough. It stands behind the user's body, which does not see it.
fn imports(graph: &Graph) -> TokenStream {
    let imports = graph.paths.iter().enumerate().map(|(index, path)| {
        let alias = alias(index, path.span());
        if path.is_ident("uuid") {
            // Imports, unlike types, look at crate names too; a glob import of our `uuid` would be ambiguous with that crate.
            return quote!(#[allow(non_camel_case_types)] type #alias = #path;);
        }
        let anything = path.get_ident().map(|name| quote!(#[allow(unused_macros)] macro_rules! #name { () => {} }));
        quote!(#anything #[allow(unused_imports)] use #path as #alias;)
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
                sites.push(awaited(krate, graph, place));
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

fn awaited(krate: &TokenStream, graph: &Graph, site: &Site) -> TokenStream {
    let alias = alias(site.path, graph.paths[site.path].span());
    let endless = (!site.bounded).then(|| quote!(.endless()));
    match &site.generics {
        Some(generics) => quote!(<#alias #generics>::NODE #endless),
        None => quote!(<#alias as #krate::Site>::NODE #endless),
    }
}

/// One assertion per place that can be at fault, each at the user's own tokens, so that each is reported by itself.
fn assertions(krate: &TokenStream, name: &Ident, graph: &Graph) -> TokenStream {
    let machine = Ident::new("__MACHINE", name.span());
    let places = graph.nodes.iter().enumerate();
    let leaves: Vec<TokenStream> = places
        .filter(|(_, node)| !node.at.is_empty() && !matches!(node.kind, Kind::Return(Returned::Ok)))
        .map(|(index, node)| leaf(&machine, index, &node.at))
        .collect();
    if leaves.is_empty() {
        return quote!();
    }
    let apart = signals_apart(&machine, graph);
    let names = graph.paths.iter().enumerate().filter(|(_, path)| path.get_ident().is_some());
    let exist = names.map(|(index, path)| {
        let alias = alias(index, path.span());
        // A function's name is a new variable here and matches; the fallback of that name is a constant, and does not.
        quote!(match 1u8 { #alias => true, _ => false })
    });
    quote! {
        #[allow(unreachable_patterns, unused_variables)]
        const #machine: &#krate::definition::Checked =
            &#krate::definition::Checked::of(&<#name as #krate::SagaType>::DEFINITION, &[#(#exist),*]);
        #(#leaves)*
        #apart
    }
}

/// One assertion per further type of signal: its name is none of the earlier ones. Types that are written differently are
/// different: `Awaits` is implemented for each.
fn signals_apart(machine: &Ident, graph: &Graph) -> TokenStream {
    let mut seen: Vec<(usize, &syn::AngleBracketedGenericArguments)> = Vec::new();
    let mut tokens = TokenStream::new();
    for (index, node) in graph.nodes.iter().enumerate() {
        let Kind::Site(Site { generics: Some(generics), .. }) = &node.kind else { continue };
        if seen.iter().any(|(_, known)| *known == generics) {
            continue;
        }
        if !seen.is_empty() {
            let others = seen.iter().map(|(other, _)| other);
            tokens.extend(assertion(machine, &node.at, quote!(.signal_apart_from), quote!((#index, &[#(#others),*]))));
        }
        seen.push((index, generics));
    }
    tokens
}

fn leaf(machine: &Ident, index: usize, at: &TokenStream) -> TokenStream {
    let words = at.to_string().replace(' ', "");
    assertion(machine, at, quote!(.at), quote!((#index, #words)))
}

/// The expression reaches from the user's first token to the last, and so does the message.
fn assertion(machine: &Ident, at: &TokenStream, method: TokenStream, arguments: TokenStream) -> TokenStream {
    let mut trees = at.clone().into_iter();
    let first = trees.next().map_or_else(Span::call_site, |tree| tree.span());
    let last = trees.last().map_or(first, |tree| tree.span());
    let mut machine = machine.clone();
    machine.set_span(first);
    let (method, call) = (spanned(&method, first), spanned(&arguments, last));
    quote_spanned!(first=> const _: () = #machine #method #call;)
}
