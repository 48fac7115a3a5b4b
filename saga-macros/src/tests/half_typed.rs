//! A half-typed or wrong item survives: its users and the editor keep the type, the caller and the body.

use quote::quote;

fn keeps(expanded: &proc_macro2::TokenStream, parts: &[&str]) {
    let text = expanded.to_string();
    for part in parts {
        assert!(text.contains(part), "`{part}` is lost in:\n{text}");
    }
}

#[test]
fn a_step_with_a_half_typed_body_keeps_type_caller_and_body() {
    let expanded = crate::expand_step(
        quote!(irreversible, idempotent),
        quote!(pub async fn pay(cx: &StepCx<Bank>, amount: u64) -> Result<(), E> { cx.env(). }),
    );
    keeps(&expanded, &["enum pay { }", "impl :: saga_core :: Step for pay", "pub fn pay < 'saga >", "cx . env () ."]);
    assert!(!expanded.to_string().contains("compile_error"));
}

#[test]
fn a_saga_with_a_half_typed_body_keeps_type_caller_and_body() {
    let expanded = crate::expand_saga(
        quote!(version = 1, owner = "me"),
        quote!(pub async fn order(cx: &mut Saga, id: u64) -> Result<(), E> { let slot = reserve(cx, id). }),
    );
    keeps(&expanded, &["enum order { }", "SagaType for order", "pub fn order (id : u64 ,)", "reserve (cx , id) ."]);
    assert!(!expanded.to_string().contains("compile_error"));
}

#[test]
fn a_step_with_wrong_properties_is_still_a_step() {
    let expanded = crate::expand_step(
        quote!(irreversible, read_only, timeout = 5, nonsense),
        quote!(
            pub async fn pay(cx: &StepCx<Bank>, amount: u64) -> Result<(), E> {
                Ok(())
            }
        ),
    );
    keeps(&expanded, &["impl :: saga_core :: Step for pay", "pub fn pay < 'saga >"]);
    let mistakes = expanded.to_string().matches("compile_error").count();
    assert_eq!(mistakes, 4, "a contradiction, a form, an unknown name and no idempotency");
}

#[test]
fn a_saga_with_a_mistake_in_its_body_is_still_a_saga() {
    let expanded = crate::expand_saga(
        quote!(version = 1, owner = "me"),
        quote!(
            pub async fn order(cx: &mut Saga) -> Result<(), E> {
                std::thread::sleep(x);
                pay(cx);
                Ok(())
            }
        ),
    );
    keeps(&expanded, &["SagaType for order", "RunsOn < P > for order", "std :: thread :: sleep (x)"]);
    assert_eq!(expanded.to_string().matches("compile_error").count(), 2, "both mistakes are reported");
}

#[test]
fn what_is_no_function_is_emitted_as_it_is() {
    let expanded = crate::expand_step(
        quote!(irreversible, idempotent),
        quote!(
            pub struct Pay;
        ),
    );
    keeps(&expanded, &["pub struct Pay ;", "compile_error"]);
}
