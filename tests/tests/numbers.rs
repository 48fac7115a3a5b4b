//! The numbers that the macros repeat, because a macro cannot ask the library that uses it.

use saga_core::{contract, definition, time};

#[test]
fn the_macros_repeat_the_librarys_numbers() {
    assert_eq!(contract::DEFAULT_TIMEOUT, time::seconds(30), "saga-macros/src/check/step.rs says 30 s");
    assert_eq!(definition::LONGEST_BODY, 256, "saga-macros/src/check/saga.rs says 256");
    assert_eq!(time::LONGEST, time::days(36_500), "saga-macros/src/parse/duration.rs says 36500d");
}
