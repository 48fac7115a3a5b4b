//! All fixed texts of the macros: what is wrong, and what to write instead. No logic.

use crate::parse::duration::Wrong;
use crate::table::{self, Place, Property, Takes};
use proc_macro2::Ident;

// ---- properties

pub(crate) fn not_a_property(place: Place) -> String {
    format!("`{}` takes properties by name: {}", place.words(), list(place))
}

pub(crate) fn unknown_property(place: Place, name: &str) -> String {
    let nearest = table::names(place).map(|known| (distance(name, known), known)).min();
    let elsewhere = table::PROPERTIES.iter().find(|property| property.name == name && property.place != place);
    let hint = match (nearest, elsewhere) {
        (Some((0..=2, known)), _) => format!("did you mean `{known}`?"),
        (_, Some(property)) => format!("it belongs in `{}`; here are", property.place.words()),
        _ => "it has only".to_owned(),
    };
    format!("`{}` has no property `{name}`: {hint} {}", place.words(), list(place))
}

fn list(place: Place) -> String {
    let names: Vec<String> = table::names(place).map(|name| format!("`{name}`")).collect();
    if names.len() > 1 { format!("({})", names.join(", ")) } else { names.concat() }
}

pub(crate) fn wrong_form(property: &Property) -> String {
    match property.takes {
        Takes::Nothing => format!("`{0}` takes nothing: write just `{0}`", property.name),
        _ => format!("`{}` is written `{}`", property.name, property.example),
    }
}

pub(crate) fn duplicate(name: &Ident) -> String {
    format!("`{name}` is given twice: remove one")
}

pub(crate) fn later(name: &str) -> String {
    format!(
        "`{name}` comes in a later release; until then write the step's outcome and yours separately, as `idempotent(key)`"
    )
}

pub(crate) fn empty_text(name: &str) -> String {
    format!("`{name}` is empty: name a person, a team or a rota that answers")
}

pub(crate) fn not_positive(name: &str) -> String {
    format!("`{name}` is a whole number from 1 to {}", u32::MAX)
}

pub(crate) fn bad_factor() -> String {
    "`factor` is a number from 1 to 1000: delays must not shrink".to_owned()
}

pub(crate) fn duration(text: &str, wrong: &Wrong) -> String {
    match wrong {
        Wrong::Malformed => format!(
            "\"{text}\" is not a duration: write a whole number and a unit, like \"200ms\", \"5s\", \"2m\", \"12h\" or \"7d\""
        ),
        Wrong::TooLong => format!("\"{text}\" is too long: the longest duration is \"36500d\""),
        Wrong::Zero => format!("\"{text}\" is no time at all: the shortest duration is \"1us\""),
    }
}

pub(crate) const CAP_BELOW_BASE: &str = "`cap` is shorter than `base`: the longest delay must not be below the first";
pub(crate) const DELAY_OF_ONE_ATTEMPT: &str =
    "with `times = 1` there is no second attempt, so this delay never applies: remove it, or allow more attempts";
pub(crate) const WITHIN_SHORTER_THAN_TIMEOUT: &str = "`within` bounds all attempts together and is shorter than `timeout`, which bounds one: raise `within` or lower `timeout`";
pub(crate) const WITHIN_SHORTER_THAN_DEFAULT_TIMEOUT: &str = "`within` bounds all attempts together and is shorter than one attempt may take (30s): also write a shorter `timeout = \"..\"`";

// ---- steps

pub(crate) const NOT_A_FUNCTION: &str = "this goes on an `async fn`";
pub(crate) const STEP_NOT_ASYNC: &str = "a step is an `async fn`: write `async fn`";
pub(crate) const STEP_GENERIC: &str =
    "a step has one journal name and one journaled form, so it cannot be generic: write one step per type";
pub(crate) const RECEIVER: &str =
    "a method cannot be a step or a saga: write a free function, and take what `self` holds from `cx.env()`";
pub(crate) const STEP_WITHOUT_CONTEXT: &str =
    "the first parameter of a step is its context: write `cx: &StepCx<YourEnvironment>`";
pub(crate) const STEP_RESULT: &str = "a step says how it ends: write `-> Result<Output, Error>` with both types";
pub(crate) const PATTERN_PARAMETER: &str =
    "an input has a name in the journal: write a plain name here and take it apart in the body";
pub(crate) const CONDITIONAL_INPUT: &str = "`#[cfg]` on a parameter would give builds with different inputs for the same journal: take an `Option` in all of them";
pub(crate) const MUTABLE_INPUT: &str = "an input is read back from the journal, so what is changed in it is lost: take it by value or by `&`, and return the change";
pub(crate) const BORROWING_INPUT: &str =
    "an input is read back from the journal, so it is owned or a plain reference: write `T`, `&T`, `&str` or `&[T]`";

pub(crate) fn no_reversibility(name: &Ident) -> String {
    format!(
        "`{name}` does not say what can be done about its effect: add `compensable(undo = ..)`, `verifiable(check = ..)`, \
         `irreversible` or `read_only`"
    )
}

pub(crate) fn no_idempotency(name: &Ident) -> String {
    format!(
        "`{name}` does not say whether it may be sent twice: add `idempotent`, `idempotent(key)` or `not_idempotent`"
    )
}

pub(crate) fn contradiction(first: &Ident, other: &Ident) -> String {
    format!("`{other}` contradicts `{first}`: a step has exactly one of them")
}

pub(crate) const READ_ONLY_VERIFIABLE: &str =
    "a `read_only` step has no effect that could be looked up: remove one of them";
pub(crate) const NO_UNDO: &str = "`compensable` does not name its undo: write `compensable(undo = path_of_a_function)`";
pub(crate) const NO_CHECK: &str =
    "`verifiable` does not name its check: write `verifiable(check = path_of_a_function)`";
pub(crate) const NEEDS_OUTPUT: &str = "this undo needs an output that is lost with the reply: add `verifiable(check = ..)`, or \
                                       `unknown = review` so that a person decides";
pub(crate) const NOT_IDEMPOTENT_UNVERIFIED: &str = "after a lost reply nobody can tell whether this step happened: add `verifiable(check = ..)`, or `unknown = review` so \
     that a person decides";

pub(crate) fn key_unused(context: Option<&Ident>) -> String {
    let context = context.map_or_else(|| "cx".to_owned(), ToString::to_string);
    format!(
        "`idempotent(key)` promises that the other side drops duplicates by the key, but the body never uses `{context}.key()`: \
         send it along, or declare `idempotent` or `not_idempotent`"
    )
}

pub(crate) fn redacts_nothing(name: &Ident) -> String {
    format!("`{name}` is no input of this step: `redact` takes names of its parameters, or `output`")
}

// ---- sagas

pub(crate) const SAGA_NOT_ASYNC: &str = "a saga is an `async fn`: write `async fn`";
pub(crate) const SAGA_GENERIC: &str =
    "a saga has one journal name and one machine, so it cannot be generic: write one saga per type";
pub(crate) const SAGA_WITHOUT_HANDLE: &str = "the first parameter of a saga is its handle: write `cx: &mut Saga`";
pub(crate) const SAGA_RESULT: &str = "a saga says how it ends: write `-> Result<Output, Error>` with both types";
pub(crate) const SAGA_BORROWS: &str = "the parameters of a saga outlive the call that starts it: take this by value";
pub(crate) const EVIDENCE_PARAMETER: &str =
    "evidence holds only in the run that made it: a saga cannot be started with it; take the output's data instead";

pub(crate) fn no_version(name: &Ident) -> String {
    format!("`{name}` has no version: add `version = 1`, and raise it whenever the body changes while runs are open")
}

pub(crate) fn no_owner(name: &Ident) -> String {
    format!("`{name}` names nobody for its reviews: add `owner = \"..\"`, who is asked when evidence runs out")
}

pub(crate) fn too_long(name: &Ident, states: usize) -> String {
    format!("`{name}` has {states} states, and the limit is 256: split it into several sagas")
}

// ---- bodies

pub(crate) fn handle_used(handle: &str) -> String {
    format!(
        "`{handle}` is only the first argument of a step or a wait that is awaited right here: `step({handle}, ..).await`"
    )
}

pub(crate) fn handle_in_closure(handle: &str) -> String {
    format!(
        "a closure cannot use `{handle}`: the order of what it would await cannot be read; write a loop or a branch"
    )
}

pub(crate) fn not_awaited(handle: &str) -> String {
    format!("this call takes `{handle}` but is not awaited here, so it does not run: write `.await` directly behind it")
}

pub(crate) fn not_journaled(handle: &str) -> String {
    format!(
        "a saga may await only steps and waits, and each takes `{handle}` first: put this work into a `#[step]` and await \
         `step({handle}, ..)`; another saga is started through the engine, not awaited"
    )
}

pub(crate) fn chained_before_await(method: &Ident) -> String {
    format!(
        "`.{method}(..)` comes between a call and its `.await`: await the call first; limits are declared on the step"
    )
}

pub(crate) fn bound_inside(name: &Ident) -> String {
    format!(
        "`{name}` is bound inside the body, where the machine cannot see it: import or declare the step outside of the saga"
    )
}

pub(crate) fn await_in_macro(path: &syn::Path) -> String {
    let name = path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
    format!("what `{name}!` awaits cannot be read: await one step after the other, outside of a macro")
}

pub(crate) fn forbidden(path: &impl quote::ToTokens, substitute: &str) -> String {
    let name = path.to_token_stream().to_string().replace(' ', "");
    format!("`{name}` gives another answer when the body is replayed: {substitute}")
}

pub(crate) const ASYNC_BLOCK: &str =
    "an `async` block is not journaled: await the steps directly in the body, and put other work into a `#[step]`";
pub(crate) const CALLED_BY_VALUE: &str =
    "the awaited function must be named by a plain path, so that its contract can be read";
pub(crate) const SIGNAL_WITHOUT_TYPE: &str = "say which signal: write `signal::<YourSignal>(cx)`";
pub(crate) const CONDITIONAL_STEP: &str =
    "`#[cfg]` on a step would give builds with different machines for the same journal: use a plain `if`";
pub(crate) const UNREADABLE: &str =
    "the flow of this expression cannot be read: write it with `if`, `match`, `loop` and `?`";

// ---- derives

pub(crate) const FAILURE_FORM: &str = "write `#[failure(transient)]`, `#[failure(refused)]` or `#[failure(unknown)]`, and if you like `code = \"..\"` and `reference = field`";
pub(crate) const FAILURE_UNION: &str = "a union cannot be a failure: use an enum or a struct";
pub(crate) const TWO_CLASSES: &str =
    "a failure proves exactly one thing: keep one of `transient`, `refused` and `unknown`";
pub(crate) const SIGNAL_FORM: &str = "write `#[signal(name = \"..\")]`";
pub(crate) const SIGNAL_GENERIC: &str = "a signal has one name and one journaled form, so it cannot be generic";
pub(crate) const ENVIRONMENT_STRUCT: &str = "an environment is a struct: each field is what some steps work in";
pub(crate) const ENVIRONMENT_GENERIC: &str =
    "an environment cannot be generic here: implement `Provides<..>` for it by hand";

pub(crate) fn unclassified(name: &proc_macro2::TokenStream) -> String {
    format!(
        "`{name}` does not say what it proves about the effect: add `#[failure(transient)]` (not applied, try again), \
         `#[failure(refused)]` (not applied, for good) or `#[failure(unknown)]` (it may be there)"
    )
}

pub(crate) fn no_such_field(member: &syn::Member) -> String {
    let name = quote::ToTokens::to_token_stream(member);
    format!("there is no field `{name}` here: `reference` names the field that holds the other side's identifier")
}

pub(crate) fn empty_attribute(name: &str) -> String {
    format!("`{name}` is empty")
}

pub(crate) fn two_fields(ty: &proc_macro2::TokenStream) -> String {
    format!(
        "two fields are a `{ty}`, and a step that needs one could get either: wrap one of them in a type of its own"
    )
}

/// How many letters differ.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, l) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, r) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(l != *r);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}
