//! Messages that a run can wait for.

use crate::journaled::Journaled;

/// A message that a saga can wait for. Derive it: `#[derive(Signal)]`; `#[signal(name = "..")]` gives it another name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a signal",
    label = "add `#[derive(saga_core::Signal)]` to it, with serde's Serialize and Deserialize"
)]
pub trait Signal: Journaled + Send + 'static {
    /// Its name in the journal and the inbox.
    const NAME: &'static str;
}
