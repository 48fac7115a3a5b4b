//! What compiles and what does not. Pass and fail are separate, so that a broken pass case cannot hide behind a golden.

#[test]
fn what_is_right_compiles_and_runs() {
    trybuild::TestCases::new().pass("ui/pass/*.rs");
}
