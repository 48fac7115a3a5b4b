//! What compiles and what does not. Pass and fail are separate, so that a broken pass case cannot hide behind a golden.

#[test]
fn what_is_right_compiles_and_runs() {
    trybuild::TestCases::new().pass("ui/pass/*.rs");
}

#[test]
fn what_is_wrong_does_not_compile_and_says_why() {
    trybuild::TestCases::new().compile_fail("ui/fail/*.rs");
}
