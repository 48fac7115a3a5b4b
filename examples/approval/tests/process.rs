//! The gateway as a process: it survives a kill, says where it listens, and says what was wrong with its input.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test ends where it fails")]

mod world;

use approval::gateway::GatewayError;
use approval::gateway::faults::FaultKind;
use approval::gateway::wire::{Lookup, Operation, Outcome};
use std::time::Duration;
use world::{World, command, submission, times};

#[tokio::test]
async fn a_killed_gateway_keeps_its_ledger_and_its_replies() {
    let mut world = World::start(&[]);
    let text = submission("a");
    let slot = world.gateway().reserve("r", &text).await.unwrap();
    world.gateway().release("u", "never-arrived", &text).await.unwrap();
    let before = world.gateway().ledger().await.unwrap();
    world.kill();
    world.start_again(&[]);
    assert_eq!(world.gateway().ledger().await.unwrap(), before);
    assert_eq!(world.gateway().reserve("r", &text).await.unwrap(), slot);
    let barred = world.gateway().reserve("never-arrived", &text).await.unwrap_err();
    assert!(matches!(&barred, GatewayError::Refused { code, .. } if code == "released"), "{barred:?}");
    world.gateway().publish("p", &slot, &text).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_between_commit_and_reply_it_gives_the_reply_afterwards() {
    let mut world = World::start(&[]);
    let text = submission("a");
    let slot = world.gateway().reserve("r", &text).await.unwrap();
    world.tell(&[times(1, Operation::Publish, FaultKind::DelayAfterCommit { milliseconds: 60_000 })]).await;
    let (gateway, sent) = (world.gateway().with_timeout(Duration::from_secs(60)), (slot.clone(), text.clone()));
    let waiting = tokio::spawn(async move { gateway.publish("p", &sent.0, &sent.1).await });
    world.landed("p").await;
    world.kill();
    let error = waiting.await.unwrap().unwrap_err();
    assert!(matches!(error, GatewayError::ReplyLost { .. }), "{error:?}");

    world.start_again(&[]);
    let Lookup::Applied { publication } = world.gateway().find_publication("p").await.unwrap() else { panic!("lost") };
    assert_eq!(world.gateway().publish("p", &slot, &text).await.unwrap(), publication);
    assert_eq!(world.outcomes("p").await, [Outcome::Applied, Outcome::Duplicate]);
}

#[tokio::test]
async fn it_says_where_it_listens_and_takes_faults_from_a_file() {
    let directory = tempfile::tempdir().unwrap();
    let faults = r#"{"faults": [{"operation": "reserve", "fault": {"refuse": {"code": "full"}}, "times": 1}]}"#;
    std::fs::write(directory.path().join("faults.json"), faults).unwrap();
    let arguments = ["--port", "0", "--faults", "faults.json", "--address-file", "address", "--ledger", "other.db"];
    let world = World::start_in(directory, &arguments);
    let address = std::fs::read_to_string(world.directory.path().join("address")).unwrap();
    assert_eq!(address, format!("{}\n", world.address));
    assert!(world.address.starts_with("http://127.0.0.1:"), "{}", world.address);
    assert!(world.directory.path().join("other.db").exists());
    let error = world.gateway().reserve("r", &submission("a")).await.unwrap_err();
    assert!(matches!(&error, GatewayError::Refused { code, .. } if code == "full"), "{error:?}");
}

#[test]
fn a_start_that_cannot_succeed_ends_with_a_reason() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("typo.json"), r#"{"faults": [{"operation": "publsh", "fault": "down"}]}"#)
        .unwrap();
    std::fs::write(
        directory.path().join("zero.json"),
        r#"{"faults": [{"operation": "find", "fault": "down", "times": 0}]}"#,
    )
    .unwrap();
    std::fs::write(directory.path().join("text.db"), "not a database, but long enough to look at ".repeat(200))
        .unwrap();
    for (arguments, code, reason) in [
        (vec!["--faults", "typo.json"], 1, "unknown variant `publsh`, expected one of `reserve`"),
        (vec!["--faults", "zero.json"], 1, "`times` is 0: expected at least 1"),
        (vec!["--faults", "absent.json"], 1, "absent.json: "),
        (vec!["--ledger", "text.db"], 1, "text.db: "),
        (vec!["--ledger", "no/such/folder.db"], 1, "no/such/folder.db: "),
        (vec!["--port", "99999"], 2, "99999"),
        (vec!["--slots", "many"], 2, "many"),
    ] {
        let output = command(&directory, &arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains(reason), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty());
    }
}

#[tokio::test]
async fn bad_input_is_told_what_was_expected_and_changes_nothing() {
    let world = World::start(&[]);
    let key = "idempotency-key: k\r\n";
    let text = r#"{"id": "a", "revision": 1, "title": "t", "body": ""}"#;
    let reserve = format!(r#"{{"submission": {text}}}"#);
    let long_key = format!("idempotency-key: {}\r\n", "k".repeat(256));
    let no_title = reserve.replace(r#""t""#, r#"" ""#);
    let no_id = reserve.replace(r#""a""#, r#""""#);
    let long_id = reserve.replace(r#""a""#, &format!("{:?}", "a".repeat(201)));
    let negative = reserve.replace(": 1", ": -1");
    let extra = reserve.replace(r#""id""#, r#""ID": 1, "id""#);
    // One byte over the limit, so that the gateway has read it all before it answers.
    let huge = format!("\"{}", "x".repeat(2 << 20));
    let own_key = format!(r#"{{"reserve_key": "k", "submission": {text}}}"#);
    let cases: &[(&str, &str, &str, &str)] = &[
        ("/reserve", "", &reserve, "`Idempotency-Key` is missing: expected"),
        ("/reserve", "idempotency-key: \r\n", &reserve, "expected 1 to 255 visible ASCII"),
        ("/reserve", "idempotency-key: a b\r\n", &reserve, "expected 1 to 255 visible ASCII"),
        ("/reserve", "idempotency-key: ключ\r\n", &reserve, "expected 1 to 255 visible ASCII"),
        ("/reserve", &long_key, &reserve, "expected 1 to 255 visible ASCII"),
        ("/reserve", key, "", "expected JSON like"),
        ("/reserve", key, "{", "expected JSON like"),
        ("/reserve", key, "{}", "missing field `submission`"),
        ("/reserve", key, text, "unknown field `id`, expected `submission`"),
        ("/reserve", key, &extra, "unknown field `ID`"),
        ("/reserve", key, &negative, "expected u32"),
        ("/reserve", key, &no_title, "`submission.title` is empty"),
        ("/reserve", key, &no_id, "`submission.id` is empty"),
        ("/reserve", key, &long_id, "at most 200"),
        ("/reserve", key, &huge, "cannot be read"),
        ("/publish", key, &reserve, "missing field `slot`"),
        ("/release", key, &reserve, "missing field `reserve_key`"),
        ("/release", key, &own_key, "an undo has its own"),
        ("/release", key, &own_key.replace(r#""k""#, r#""""#), "`reserve_key` is not a key"),
        ("/faults", "", r#"{"faults": [{"operation": "publish", "fault": "explode"}]}"#, "unknown variant `explode`"),
        ("/faults", "", r#"{"faults": [{"operation": "publish", "fault": "lag"}]}"#, "only a lookup can lag"),
        (
            "/faults",
            "",
            r#"{"faults": [{"operation": "publish", "fault": "down", "time": 1}]}"#,
            "unknown field `time`",
        ),
        ("/faults", "", r#"[]"#, "expected JSON like"),
    ];
    for (path, headers, body, expected) in cases {
        let (status, said) = world.raw("POST", path, headers, body);
        assert_eq!(status, 400, "{path} {headers}{body:.200}: {said}");
        let problem: serde_json::Value = serde_json::from_str(&said).unwrap();
        assert_eq!(problem["code"], "bad_request");
        let message = problem["message"].as_str().unwrap();
        assert!(message.contains(expected), "{path} {headers}{body:.200}: {message}");
    }
    for (method, path) in [("GET", "/"), ("GET", "/reserve"), ("DELETE", "/ledger"), ("GET", "/publications/by-key/")] {
        let (status, said) = world.raw(method, path, "", "");
        assert_eq!(status, 404, "{method} {path}");
        assert!(said.contains("expected one of POST /reserve"), "{said}");
    }
    let ledger = world.gateway().ledger().await.unwrap();
    assert!(ledger.reservations.is_empty() && ledger.effects.is_empty());

    let unsent = world.gateway().reserve("a\nb", &submission("a")).await.unwrap_err();
    assert!(matches!(&unsent, GatewayError::Refused { code, .. } if code == "not_sent"), "{unsent:?}");
    let refused = world.gateway().reserve("a b", &submission("a")).await.unwrap_err();
    assert!(matches!(&refused, GatewayError::Refused { code, .. } if code == "bad_request"), "{refused:?}");
}
