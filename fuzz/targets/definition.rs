//! The target `definition` for libFuzzer; in an ordinary build, for the files that are named on the command line.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| saga_core::fuzzing::definition(data));

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    saga_fuzz::replay(saga_core::fuzzing::definition)
}
