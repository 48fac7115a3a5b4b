//! The one table of which property is legal where, and what it takes. Every macro reads it, so that the same mistake has the
//! same message everywhere.

/// Where a property can stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Step,
    Saga,
    Compensable,
    Verifiable,
    Idempotent,
    Retry,
}

impl Place {
    /// How a message names it.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Place::Step => "#[step(..)]",
            Place::Saga => "#[saga(..)]",
            Place::Compensable => "compensable(..)",
            Place::Verifiable => "verifiable(..)",
            Place::Idempotent => "idempotent(..)",
            Place::Retry => "retry(..)",
        }
    }
}

/// What follows a property's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    Nothing,
    Duration,
    Text,
    /// A whole number, at least 1.
    Number,
    /// A number, at least 1.
    Factor,
    /// Nothing, or `= true`, or `= false`.
    Switch,
    Path,
    /// `= word`, this word only.
    Word(&'static str),
    /// Properties of its own in parentheses.
    Inside(Place),
    /// Properties of its own in parentheses, or nothing.
    MaybeInside(Place),
    Paths,
    Names,
    /// Reserved: it comes in a later release.
    Later,
}

/// One row.
#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) place: Place,
    pub(crate) name: &'static str,
    pub(crate) takes: Takes,
    /// How it is written, for messages.
    pub(crate) example: &'static str,
}

const fn row(place: Place, name: &'static str, takes: Takes, example: &'static str) -> Property {
    Property { place, name, takes, example }
}

/// All properties.
pub(crate) static PROPERTIES: &[Property] = &[
    row(Place::Step, "compensable", Takes::MaybeInside(Place::Compensable), "compensable(undo = release)"),
    row(Place::Step, "verifiable", Takes::MaybeInside(Place::Verifiable), "verifiable(check = find)"),
    row(Place::Step, "irreversible", Takes::Nothing, "irreversible"),
    row(Place::Step, "read_only", Takes::Nothing, "read_only"),
    row(Place::Step, "idempotent", Takes::MaybeInside(Place::Idempotent), "idempotent` or `idempotent(key)"),
    row(Place::Step, "not_idempotent", Takes::Nothing, "not_idempotent"),
    row(Place::Step, "retry", Takes::Inside(Place::Retry), "retry(times = 5, base = \"200ms\")"),
    row(Place::Step, "timeout", Takes::Duration, "timeout = \"5s\""),
    row(Place::Step, "within", Takes::Duration, "within = \"2m\""),
    row(Place::Step, "retriable", Takes::Nothing, "retriable"),
    row(Place::Step, "unknown", Takes::Word("review"), "unknown = review"),
    row(Place::Step, "requires", Takes::Paths, "requires(reserve_slot)"),
    row(Place::Step, "owner", Takes::Text, "owner = \"payments\""),
    row(Place::Step, "redact", Takes::Names, "redact(card, output)"),
    row(Place::Step, "transactional", Takes::Later, "transactional"),
    row(Place::Step, "crate", Takes::Path, "crate = path::to::saga_core"),
    row(Place::Compensable, "undo", Takes::Path, "undo = release"),
    row(Place::Compensable, "needs", Takes::Word("output"), "needs = output"),
    row(Place::Compensable, "retry", Takes::Inside(Place::Retry), "retry(times = 8)"),
    row(Place::Verifiable, "check", Takes::Path, "check = find"),
    row(Place::Verifiable, "settle", Takes::Duration, "settle = \"10s\""),
    row(Place::Verifiable, "retry", Takes::Inside(Place::Retry), "retry(times = 20)"),
    row(Place::Idempotent, "key", Takes::Nothing, "key"),
    row(Place::Retry, "times", Takes::Number, "times = 5"),
    row(Place::Retry, "base", Takes::Duration, "base = \"200ms\""),
    row(Place::Retry, "factor", Takes::Factor, "factor = 2.0"),
    row(Place::Retry, "cap", Takes::Duration, "cap = \"30s\""),
    row(Place::Retry, "jitter", Takes::Switch, "jitter` or `jitter = false"),
    row(Place::Saga, "version", Takes::Number, "version = 1"),
    row(Place::Saga, "owner", Takes::Text, "owner = \"editors\""),
    row(Place::Saga, "deadline", Takes::Duration, "deadline = \"7d\""),
    row(Place::Saga, "crate", Takes::Path, "crate = path::to::saga_core"),
];

/// The property of this name at this place.
pub(crate) fn find(place: Place, name: &str) -> Option<&'static Property> {
    PROPERTIES.iter().find(|property| property.place == place && property.name == name)
}

/// The names that are legal at this place.
pub(crate) fn names(place: Place) -> impl Iterator<Item = &'static str> {
    let offered = move |property: &&Property| property.place == place && property.takes != Takes::Later;
    PROPERTIES.iter().filter(offered).map(|property| property.name)
}
