//! The words of the example: what is submitted, what is reserved for it, and what is published.
//!
//! Decides their form and which submissions make sense. Knows no HTTP and no database.

use serde::{Deserialize, Serialize};

/// The longest identity of a submission, in bytes.
const LONGEST_ID: usize = 200;

/// A text that somebody wants published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submission {
    /// Its identity, the same for all revisions.
    pub id: String,
    /// Which revision of it: approval of one says nothing about the next.
    pub revision: u32,
    /// The title.
    pub title: String,
    /// The text.
    pub body: String,
}

/// A place at the publishing desk, held for one revision of a submission until it is published or released.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slot {
    /// The number of the place: 1 for the first.
    pub number: u32,
    /// The reservation that holds it.
    pub reservation: String,
}

/// A published submission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Publication {
    /// Its identity at the gateway.
    pub id: String,
    /// Where it can be read: a path on the gateway, so that it outlives a change of port.
    pub url: String,
    /// The submission.
    pub submission: String,
    /// The revision that was published.
    pub revision: u32,
}

impl Submission {
    /// Whether the gateway can take it.
    ///
    /// # Errors
    /// In words for the person who sent it: what is wrong, and what was expected.
    pub fn check(&self) -> Result<(), String> {
        if self.id.trim().is_empty() {
            return Err("`submission.id` is empty: expected a text that identifies the submission".to_owned());
        }
        if self.id.len() > LONGEST_ID {
            return Err(format!(
                "`submission.id` has {} bytes: expected at most {LONGEST_ID}; put the text itself into `submission.body`",
                self.id.len()
            ));
        }
        if self.title.trim().is_empty() {
            return Err("`submission.title` is empty: expected the title to publish".to_owned());
        }
        Ok(())
    }
}
