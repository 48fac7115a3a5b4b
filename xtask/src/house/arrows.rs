//! The arrows of saga-core go down only: which room may name which, and which must stay pure.
//!
//! A new room is free to name all below it, but no room below may name it before it has a row here.

use super::paths::{exported, mentions};
use std::collections::BTreeMap;
use std::path::Path;

/// A room, what it may name besides itself and the shared names, and whether it must be a pure function of its inputs.
struct Room {
    name: &'static str,
    may_name: &'static [&'static str],
    pure: bool,
}

/// From the bottom up.
const ROOMS: &[Room] = &[
    Room { name: "contract", may_name: &[], pure: true },
    Room { name: "definition", may_name: &["contract"], pure: true },
    Room { name: "saga", may_name: &["contract", "definition"], pure: false },
    Room { name: "journal", may_name: &["contract", "definition", "saga"], pure: true },
    Room { name: "decide", may_name: &["contract", "definition", "saga", "journal"], pure: true },
    Room { name: "store", may_name: &["contract", "definition", "saga", "journal", "decide"], pure: false },
    Room { name: "engine", may_name: &["contract", "definition", "saga", "journal", "decide", "store"], pure: false },
    Room {
        name: "simulate",
        may_name: &["contract", "definition", "saga", "journal", "decide", "store", "engine"],
        pure: false,
    },
    // It asks all of them; built for the fuzzer only.
    Room {
        name: "fuzzing",
        may_name: &["contract", "definition", "saga", "journal", "decide", "store", "engine"],
        pure: true,
    },
];

/// Names without behaviour that every room may use. They name no room.
const SHARED: &[&str] = &["payload", "run", "canonical", "journaled"];

/// The one arrow that goes up: `#[saga]` implements `RunsOn::register`, which fills the table of the engine it will run on.
const UP: &[(&str, &[&str])] = &[("saga", &["crate", "engine", "StepTable"])];

/// What a pure room must not touch: clocks, randomness, an async runtime.
const IMPURE: &[&[&str]] = &[
    &["tokio"],
    &["rand"],
    &["std", "time", "SystemTime"],
    &["std", "time", "Instant"],
    &["std", "time", "*"],
    &["std", "time", "self"],
    &["uuid", "Uuid", "new_v4"],
    &["uuid", "Uuid", "now_v7"],
];

/// What is wrong in one file of a room, or of the shared names.
fn faults(
    room: &str,
    module: &[&str],
    source: &str,
    exported: &BTreeMap<String, String>,
    modules: &[String],
) -> Vec<String> {
    let rule = ROOMS.iter().find(|rule| rule.name == room);
    let mut faults = Vec::new();
    for mention in mentions(source, module, "saga_core") {
        let segments: Vec<&str> = mention.segments.iter().map(String::as_str).collect();
        let shown = segments.join("::");
        if let ["crate", first, ..] = segments.as_slice() {
            let target = exported.get(*first).map_or(*first, String::as_str);
            let is_module = modules.iter().any(|module| module == target);
            let allowed = target == room
                || SHARED.contains(&target)
                || rule.is_some_and(|rule| rule.may_name.contains(&target))
                || UP.iter().any(|(from, path)| *from == room && segments.starts_with(path));
            if (is_module || target == "*") && !allowed {
                faults.push(format!("{}: `{room}` must not name `{shown}`", mention.line));
            }
        }
        let is_impure = IMPURE.iter().any(|path| segments.starts_with(path)) || segments == ["std", "time"];
        if is_impure && rule.is_some_and(|rule| rule.pure) {
            faults.push(format!("{}: `{room}` is a pure function and must not name `{shown}`", mention.line));
        }
    }
    faults
}

#[test]
fn arrows_go_down_only() {
    let source = crate::workspace::root().unwrap().join("saga-core/src");
    let files = super::files_below(&source);
    let first = |path: &Path| path.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_owned();
    let inner = |path: &Path| path.strip_prefix(&source).unwrap().to_owned();
    let modules: Vec<String> = files.iter().map(|path| first(&inner(path))).collect();
    let exported = exported(&std::fs::read_to_string(source.join("lib.rs")).unwrap());
    let (mut wrong, mut read) = (Vec::new(), 0);
    for path in &files {
        let inner = inner(path);
        let room = first(&inner);
        if !ROOMS.iter().any(|rule| rule.name == room) && !SHARED.contains(&room.as_str()) {
            continue;
        }
        read += 1;
        let name = inner.with_extension("").to_string_lossy().into_owned();
        let module: Vec<&str> = name.split('/').filter(|segment| *segment != "mod").collect();
        let text = std::fs::read_to_string(path).unwrap();
        for fault in faults(&room, &module, &text, &exported, &modules) {
            wrong.push(format!("saga-core/src/{}:{fault}", inner.display()));
        }
    }
    assert!(read > 10, "only {read} files were read: the rooms have moved, and this test with them");
    assert!(wrong.is_empty(), "arrows go down only (see CONTRIBUTING.md, \"The house\"):\n{}", wrong.join("\n"));
}

#[test]
fn an_arrow_that_goes_up_is_found() {
    let modules: Vec<String> = ROOMS.iter().map(|rule| rule.name.to_owned()).chain(["simulator".to_owned()]).collect();
    let exported = BTreeMap::from([("Engine".to_owned(), "engine".to_owned())]);
    let count = |room: &str, source: &str| faults(room, &[room, "inner"], source, &exported, &modules).len();
    for (room, source) in [
        ("contract", "use crate::definition::Definition;"),
        ("contract", "use crate::run::{RunId};\nfn f() -> crate::saga::Saga {}"),
        ("definition", "use crate::saga::Saga;"),
        ("saga", "use crate::engine::{StepTable, Engine};"),
        ("journal", "use super::super::store::Store;"),
        ("decide", "use crate::{\n    journal::Journal,\n    engine::Engine,\n};"),
        ("decide", "use crate::Engine;"),
        ("decide", "use crate::simulator::World;"),
        ("decide", "use std::time::{Duration, Instant};"),
        ("decide", "fn now() { std::time::SystemTime::now(); }"),
        ("decide", "use std::time;"),
        ("decide", "use tokio::time::sleep;"),
        ("journal", "fn dice() -> u8 { rand::random() }"),
        ("run", "use crate::contract::Class;"),
    ] {
        assert_eq!(count(room, source), 1, "{room}: {source}");
    }
    for (room, source) in [
        ("definition", "use crate::contract::Class;"),
        ("saga", "use crate::engine::StepTable;\nuse std::time::Instant;\nuse tokio::sync::watch;"),
        (
            "decide",
            "use crate::journal::Journal;\nuse std::time::Duration;\nuse crate::run::RunId;\nuse super::other::Thing;",
        ),
        ("engine", "use crate::{store::Store, decide::decide};"),
    ] {
        assert_eq!(count(room, source), 0, "{room}: {source}");
    }
}
