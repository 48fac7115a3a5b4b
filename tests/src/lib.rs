//! Nothing: this package is its tests. `tests/compile.rs` runs the cases under `ui`.
