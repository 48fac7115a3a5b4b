//! The expansion of one small and one rich saga, as ordinary Rust that a person can read. `UPDATE_GOLDENS=1`, which `cargo xtask bless` sets, rewrites the goldens.

use std::path::Path;

fn same_as_golden(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("expansions");
    let source = std::fs::read_to_string(folder.join(format!("{name}.rs"))).unwrap();
    let file = syn::parse2(super::expand(&source)).unwrap();
    let expanded = prettyplease::unparse(&file);
    let golden = folder.join(format!("{name}.expanded.rs"));
    if std::env::var_os("UPDATE_GOLDENS").is_some() {
        std::fs::write(&golden, &expanded).unwrap();
    }
    let golden = std::fs::read_to_string(&golden).unwrap();
    assert!(
        golden == expanded,
        "the expansion of {name} changed; run with UPDATE_GOLDENS=1 and read the diff:\n{expanded}"
    );
}

#[test]
fn a_small_saga_expands_to_what_is_written_down() {
    same_as_golden("small");
}

#[test]
fn a_rich_saga_expands_to_what_is_written_down() {
    same_as_golden("rich");
}

#[test]
fn the_users_body_is_emitted_verbatim() {
    let source = include_str!("../../expansions/rich.rs");
    let body = syn::parse_str::<syn::File>(source).unwrap();
    let expanded = super::expand(source).to_string();
    for item in body.items {
        let syn::Item::Fn(function) = item else { continue };
        let block = quote::ToTokens::to_token_stream(&function.block).to_string();
        assert!(expanded.contains(&block), "{} was changed", function.sig.ident);
    }
}
