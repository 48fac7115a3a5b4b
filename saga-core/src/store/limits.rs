//! The limits that every store keeps, with the same answers: checked here, before anything is stored.

use super::error::Refused;
use super::writes::{AsideDecision, NewEntry, Poster, Write};

pub use crate::payload::LARGEST_PAYLOAD;

/// The longest key, saga name, signal name, owner or worker name: 255 bytes.
pub const LONGEST_NAME: usize = 255;

/// The largest entry: a payload, its escapes and what stands around it.
pub const LARGEST_ENTRY: usize = 8 * LARGEST_PAYLOAD;

/// The longest free text (reasons, notes, messages): 8 KiB. Longer texts are refused at the door, never stored cut.
pub const LONGEST_NOTE: usize = 8 * 1_024;

/// The most entries in one append, and items in one page.
pub const LONGEST_BATCH: u32 = 1_000;

/// A name: 1 to [`LONGEST_NAME`] bytes without control characters.
///
/// # Errors
/// [`Refused::BadText`].
pub fn name(what: &'static str, text: &str) -> Result<(), Refused> {
    if text.is_empty() || text.len() > LONGEST_NAME || text.chars().any(char::is_control) {
        return Err(Refused::BadText { what, limit: LONGEST_NAME });
    }
    Ok(())
}

fn size(what: &'static str, size: usize, limit: usize) -> Result<(), Refused> {
    if size > limit { Err(Refused::TooLarge { what, size, limit }) } else { Ok(()) }
}

fn entries(entries: &[NewEntry]) -> Result<(), Refused> {
    size("the number of entries of one append", entries.len(), LONGEST_BATCH as usize)?;
    entries.iter().try_for_each(|entry| size("an entry", entry.body.len(), LARGEST_ENTRY))
}

/// Checks a write before it is stored. Every store calls this first.
///
/// # Errors
/// [`Refused::TooLarge`] or [`Refused::BadText`].
pub fn check(write: &Write) -> Result<(), Refused> {
    match write {
        Write::Create(run) => {
            name("a key", &run.key)?;
            name("a saga's name", &run.definition.saga)?;
            name("an owner", &run.owner)?;
            size("the input", run.input_size, LARGEST_PAYLOAD)?;
            entries(&run.entries)
        }
        Write::Append(append) => entries(&append.entries),
        Write::Post(post) => {
            name("the sender", &post.by)?;
            size("the note", post.note.len(), LONGEST_NOTE)?;
            match &post.kind {
                Poster::Aside(AsideDecision::Escalate { owner }) => name("an owner", owner)?,
                Poster::Aside(AsideDecision::Abandon { entries: ending, .. }) => entries(ending)?,
                _ => {}
            }
            size("the message", post.body.len(), LARGEST_ENTRY)
        }
    }
}
