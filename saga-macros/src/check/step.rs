//! The rules of a step's declaration: one reversibility, one idempotency, no contradiction, sane numbers.

use crate::errors::Errors;
use crate::messages;
use crate::model::StepModel;
use crate::parse::Settings;
use proc_macro2::{TokenStream, TokenTree};

/// Reports everything that is wrong with a step's declaration.
pub(crate) fn check(step: &StepModel, errors: &mut Errors) {
    signature(step, errors);
    reversibility(step, errors);
    idempotency(step, errors);
    let settings = &step.settings;
    policy(settings, errors);
    for nested in ["compensable", "verifiable"] {
        if let Some(inside) = settings.inside(nested) {
            policy(inside, errors);
        }
    }
    if let (Some(at), Some(within), Some(timeout)) =
        (settings.get("within"), settings.micros("within"), settings.micros("timeout"))
        && within < timeout
    {
        errors.at(at, messages::WITHIN_SHORTER_THAN_TIMEOUT);
    }
    if let (Some(at), None, Some(within)) = (settings.get("within"), settings.get("timeout"), settings.micros("within"))
        && *within < DEFAULT_TIMEOUT_MICROS
    {
        errors.at(at, messages::WITHIN_SHORTER_THAN_DEFAULT_TIMEOUT);
    }
    for name in settings.names("redact").into_iter().flatten() {
        if name != "output" && !step.inputs.iter().any(|input| input.name == *name) {
            errors.at(name, messages::redacts_nothing(name));
        }
    }
}

/// `saga_core::contract::DEFAULT_TIMEOUT`; a test of `saga-tests` compares them.
const DEFAULT_TIMEOUT_MICROS: u64 = 30_000_000;

fn signature(step: &StepModel, errors: &mut Errors) {
    let signature = &step.item.signature;
    if signature.asyncness.is_none() {
        errors.at(signature.fn_token, messages::STEP_NOT_ASYNC);
    }
    if !signature.generics.params.is_empty() {
        errors.at(&signature.generics.params, messages::STEP_GENERIC);
    }
    if let Some(clause) = &signature.generics.where_clause {
        errors.at(clause, messages::STEP_GENERIC);
    }
}

fn reversibility(step: &StepModel, errors: &mut Errors) {
    let settings = &step.settings;
    let declared: Vec<_> =
        ["compensable", "irreversible", "read_only"].into_iter().filter_map(|name| settings.get(name)).collect();
    match declared.as_slice() {
        [] if settings.get("verifiable").is_none() && !settings.mentioned("compensable") => {
            errors.at(&step.item.signature.ident, messages::no_reversibility(&step.item.signature.ident));
        }
        [first, others @ ..] => {
            for other in others {
                errors.at(other, messages::contradiction(first, other));
            }
        }
        [] => {}
    }
    if let (Some(_), Some(verifiable)) = (settings.get("read_only"), settings.get("verifiable")) {
        errors.at(verifiable, messages::READ_ONLY_VERIFIABLE);
    }
    for (outer, inner, message) in
        [("compensable", "undo", messages::NO_UNDO), ("verifiable", "check", messages::NO_CHECK)]
    {
        let given = settings.inside(outer).is_some_and(|inside| inside.get(inner).is_some() || inside.mentioned(inner));
        if let Some(at) = settings.get(outer)
            && !given
        {
            errors.at(at, message);
        }
    }
    if let Some(inside) = settings.inside("compensable")
        && let Some(needs) = inside.get("needs")
        && settings.get("verifiable").is_none()
        && settings.get("unknown").is_none()
    {
        errors.at(needs, messages::NEEDS_OUTPUT);
    }
}

fn idempotency(step: &StepModel, errors: &mut Errors) {
    let settings = &step.settings;
    match (settings.get("idempotent"), settings.get("not_idempotent")) {
        (None, None) if !settings.mentioned("idempotent") => {
            errors.at(&step.item.signature.ident, messages::no_idempotency(&step.item.signature.ident));
        }
        (Some(first), Some(other)) => errors.at(other, messages::contradiction(first, other)),
        (None, Some(at)) => {
            let reviewed = settings.get("unknown").is_some();
            // Sending a question again is no guess.
            let verified = settings.get("verifiable").is_some() || settings.get("read_only").is_some();
            if !reviewed && !verified {
                errors.at(at, messages::NOT_IDEMPOTENT_UNVERIFIED);
            }
        }
        _ => {}
    }
    if let Some(key) = settings.inside("idempotent").and_then(|inside| inside.get("key"))
        && !uses_key(step)
    {
        errors.at(key, messages::key_unused(step.context.as_ref()));
    }
}

/// Whether the body calls `cx.key()`, or hands `cx` as a whole to something that may. A body that cannot be seen is believed.
fn uses_key(step: &StepModel) -> bool {
    match &step.context {
        Some(context) => uses(step.item.body.clone(), &context.to_string()),
        None => false,
    }
}

fn uses(tokens: TokenStream, context: &str) -> bool {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    trees.iter().enumerate().any(|(index, tree)| match tree {
        TokenTree::Group(group) => uses(group.stream(), context),
        TokenTree::Ident(ident) if ident == context => match (trees.get(index + 1), trees.get(index + 2)) {
            (Some(TokenTree::Punct(dot)), Some(TokenTree::Ident(method))) if dot.as_char() == '.' => method == "key",
            // On whole: as an argument, a field, a binding, or captured by a format string.
            _ => true,
        },
        _ => false,
    })
}

fn policy(settings: &Settings, errors: &mut Errors) {
    let Some(retry) = settings.inside("retry") else { return };
    if let (Some(at), Some(base), Some(cap)) = (retry.get("cap"), retry.micros("base"), retry.micros("cap"))
        && cap < base
    {
        errors.at(at, messages::CAP_BELOW_BASE);
    }
    if retry.number("times") == Some(&1) {
        for name in ["base", "factor", "cap", "jitter"] {
            if let Some(at) = retry.get(name) {
                errors.at(at, messages::DELAY_OF_ONE_ATTEMPT);
                return;
            }
        }
    }
}
