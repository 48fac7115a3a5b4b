//! How steps fail: errors that carry their class, the answers of a check, and what a body sees.
//!
//! Decides what is kept of a failure: class, code, reference and a cut message. Free text can never keep a state from being
//! stored (Shopify/maintenance_tasks#493), so it is cut here, on a character boundary, with a mark.

use crate::contract::Class;
use crate::journaled::Journaled;
use crate::payload::Payload;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The longest message, code or reference kept of a failure, in bytes.
pub(crate) const LONGEST_TEXT: usize = 2_048;

/// An error that says what it proves. Derive it: `#[derive(Failure)]` with `#[failure(transient)]`, `#[failure(refused)]` or
/// `#[failure(unknown)]` on every variant.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say what its failures prove",
    label = "add `#[derive(saga_core::Failure)]` to it and mark every variant transient, refused or unknown"
)]
pub trait Failure: Journaled + std::error::Error + Send + Sync + 'static {
    /// What is known of the effect.
    fn class(&self) -> Class;

    /// A short code for operators and metrics.
    fn code(&self) -> Option<&str> {
        None
    }

    /// The external reference (a payment id, a request id) under which the other side knows this call.
    fn reference(&self) -> Option<String> {
        None
    }
}

/// What is kept of a failure for people: never the payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureReport {
    /// What is known of the effect.
    pub class: Class,
    /// A short code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The external reference.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The error's words with its sources, cut to 2 KiB.
    pub message: String,
}

impl FailureReport {
    /// Reports an error.
    pub fn of<E: Failure>(error: &E) -> FailureReport {
        FailureReport {
            class: error.class(),
            code: error.code().map(cut),
            reference: error.reference().as_deref().map(cut),
            message: with_sources(error),
        }
    }

    /// A failure that the runtime saw itself: a timeout, a panic, a lost worker.
    pub(crate) fn seen(class: Class, code: &str, message: impl AsRef<str>) -> FailureReport {
        FailureReport { class, code: Some(code.to_owned()), reference: None, message: cut(message.as_ref()) }
    }
}

/// The error and its sources, joined with `: `, at most [`LONGEST_TEXT`] bytes; a chain without end is not followed for ever.
fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = cut(&error.to_string());
    let mut source = error.source();
    while let Some(inner) = source {
        let words = inner.to_string();
        // `#[error(transparent)]` repeats its source's words.
        if !text.ends_with(words.as_str()) {
            if text.len() >= LONGEST_TEXT {
                break;
            }
            text = cut(&format!("{text}: {words}"));
        }
        source = inner.source();
        if text.contains(CUT) {
            break;
        }
    }
    text
}

const CUT: &str = " [cut]";

/// At most [`LONGEST_TEXT`] bytes of `text`, on a character boundary, with a mark if anything was dropped.
pub(crate) fn cut(text: &str) -> String {
    if text.len() <= LONGEST_TEXT {
        return text.to_owned();
    }
    let end = (0..=LONGEST_TEXT - CUT.len()).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}{CUT}", &text[..end])
}

/// The answer of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Found<T> {
    /// The effect is there, and this is its output.
    Applied(T),
    /// The effect is not there. Believed only after the settle window.
    NotApplied,
    /// The other side is still working on it.
    Pending,
    /// The other side cannot tell: it has no record, and that proves nothing.
    CannotTell,
}

/// What a body sees of a failed step. **The effect is known not to be there**: not applied, or already neutralised.
///
/// There is not always an `E`: a step whose attempts all timed out never returned one. Let a saga's error be made from it:
///
/// ```
/// # use saga_core::{Failure, StepError};
/// # #[derive(Debug, thiserror::Error, serde::Serialize, serde::Deserialize, Failure)]
/// # enum GatewayError { #[failure(refused)] #[error("refused")] Refused }
/// #[derive(Debug, thiserror::Error, serde::Serialize, serde::Deserialize)]
/// enum Refusal {
///     #[error("rejected: {0}")]
///     Rejected(String),
///     #[error(transparent)]
///     Gateway(#[from] StepError<GatewayError>),
/// }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepError<E> {
    /// The step returned this error, and it will not be tried again.
    Failed(E),
    /// The step returned nothing that could be kept.
    Unanswered(Unanswered),
}

/// A failure without an error value: a timeout, a panic, a lost worker, or a decision by a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Unanswered {
    /// What happened, for people.
    pub message: String,
}

impl<E> StepError<E> {
    /// The step's own error, if it returned one.
    pub fn error(&self) -> Option<&E> {
        match self {
            StepError::Failed(error) => Some(error),
            StepError::Unanswered(_) => None,
        }
    }
}

impl<E: fmt::Display> fmt::Display for StepError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StepError::Failed(error) => error.fmt(f),
            StepError::Unanswered(unanswered) => unanswered.fmt(f),
        }
    }
}

impl<E: std::error::Error + 'static> std::error::Error for StepError<E> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            StepError::Failed(error) => error.source(),
            StepError::Unanswered(_) => None,
        }
    }
}

/// A [`StepError`] as the journal and the core know it: the error is a payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepErrorRecord {
    /// The step's error.
    Failed(Payload),
    /// No error value; the words for people.
    Unanswered(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_on_a_character_boundary_with_a_mark() {
        for length in LONGEST_TEXT - 12..LONGEST_TEXT + 12 {
            let text = format!("{}🦀", "a".repeat(length));
            let kept = cut(&text);
            assert!(kept.len() <= LONGEST_TEXT);
            assert_eq!(kept == text, text.len() <= LONGEST_TEXT);
            assert!(kept == text || kept.ends_with(CUT));
        }
    }

    #[derive(Debug)]
    struct Endless;
    impl fmt::Display for Endless {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{}", "x".repeat(300))
        }
    }
    impl std::error::Error for Endless {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&Wrapper)
        }
    }
    #[derive(Debug)]
    struct Wrapper;
    impl fmt::Display for Wrapper {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{}", "y".repeat(300))
        }
    }
    impl std::error::Error for Wrapper {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&Endless)
        }
    }

    #[test]
    fn a_chain_of_sources_without_end_is_cut() {
        assert!(with_sources(&Endless).len() <= LONGEST_TEXT);
    }
}
