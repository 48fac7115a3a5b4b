//! What the compile tests share: `tests/compile.rs` runs the cases under `ui`, and they import this.

#[path = "../ui/support/prelude.rs"]
pub mod prelude;
