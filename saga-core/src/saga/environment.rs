//! Which environment an engine has, and which one a step needs: checked when the engine is built.

/// That an engine's environment provides `E` to the steps that need it. Derive it with `#[derive(Environment)]`.
#[diagnostic::on_unimplemented(
    message = "the engine's environment `{Self}` does not provide `{E}`",
    label = "a step of this saga needs `{E}`",
    note = "add a field of type `{E}` to `{Self}` and `#[derive(saga_core::Environment)]`, or implement `Provides<{E}>` for it"
)]
pub trait Provides<E>: Send + Sync + 'static {
    /// The part of the environment.
    fn provide(&self) -> &E;
}

/// An environment provides itself.
impl<E: Send + Sync + 'static> Provides<E> for E {
    fn provide(&self) -> &E {
        self
    }
}
