//! The README's picture is the machine that the compiler checked.
#![allow(clippy::unwrap_used)]

use approval_example::workflow::approval;
use saga_core::SagaType;

#[test]
fn the_picture_is_the_machine_of_the_saga() {
    let readme = include_str!("../../../README.md");
    let (_, picture) = readme.split_once("```mermaid\n").unwrap();
    let (picture, rest) = picture.split_once("```\n").unwrap();
    assert_eq!(picture, approval::DEFINITION.to_string());
    assert!(!rest.contains("```mermaid"), "one picture");
}

/// `cargo xtask test` runs them; that they are these two is what the README promises.
#[test]
fn there_are_exactly_two_commands() {
    let readme = include_str!("../../../README.md");
    let (_, commands) = readme.split_once("```sh\n").unwrap();
    let (commands, rest) = commands.split_once("```\n").unwrap();
    let names: Vec<&str> = commands.lines().map(|line| line.split('#').next().unwrap().trim()).collect();
    assert_eq!(names, ["cargo run -p approval", "cargo xtask test"]);
    assert!(!rest.contains("```sh"), "two commands");
}
