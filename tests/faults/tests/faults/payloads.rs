//! Kinds 20, 21 and 22: text, numbers and sizes of what is stored.
#![allow(missing_docs, reason = "a step's name and its properties say all there is")]

use crate::cell::{asked, ended, everywhere, inspect, row, stop_all, until_state, with_one_worker};
use crate::registry::{Fault, elsewhere, here};
use crate::steps::*;
use saga_core::journal::Reason;
use saga_core::store::{Page, RunFilter};
use saga_core::time::seconds;
use saga_core::{
    CancelAnswer, ClientError, EngineBuilder, Failure, Found, LARGEST_PAYLOAD, RunOutcome, Saga, Signal, StepCx,
    StepError, saga, signal, step,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        number: 39,
        source: "hatchet-dev/hatchet PR #4619; windmill-labs/windmill PR #10274; osbuild/osbuild-composer PR #4779",
        seen: "A NUL in an error text: storing the failure fails, and is tried again for ever.",
        right: "Text comes back as it was written, NUL included, in inputs, outputs, keys of maps and errors, on every store.",
        tests: &[here![a_nul_is_a_character_like_any_other]],
        waits: None,
    },
    Fault {
        number: 40,
        source: "astrid-runtime/astrid#73; vectordotdev/vector#1349; qltysh/qlty PR #1955",
        seen: "Shortening a text panics where the cut falls into a character.",
        right: "Cuts fall between characters and leave a mark.",
        tests: &[
            here![a_long_text_is_cut_between_characters_with_a_mark],
            elsewhere!["saga-core/src/saga/failure.rs": text_is_cut_on_a_character_boundary_with_a_mark],
        ],
        waits: None,
    },
    Fault {
        number: 41,
        source: "temporalio/ui#2670; cadence-workflow/cadence-web#28; riverqueue/riverui 0.18.0 (issue #593)",
        seen: "A console rounds a 64-bit number, and the run that is started from it addresses another entity.",
        right: "What a person sees, copies or sends again keeps its digits.",
        tests: &[elsewhere![
            "tests/tests/versions.rs": what_is_redacted_is_masked_for_people_and_numbers_keep_their_digits
        ]],
        waits: Some("a console; what it will show keeps its digits already"),
    },
    Fault {
        number: 42,
        source: "kurrent-io/KurrentDB#1541; ClickHouse/ClickHouse#103104; databricks/cli PR #5494",
        seen: "Decimals and large integers come back changed.",
        right: "What was written is what is read, to the next step and to the undo, also after a restart.",
        tests: &[here![numbers_keep_every_bit_over_a_restart]],
        waits: None,
    },
    Fault {
        number: 43,
        source: "Shopify/maintenance_tasks#493; datajoint/datajoint-python#265; Extra-Chill/data-machine#932",
        seen: "An error message longer than its column cannot be saved, so the failure is not, and the run stays `running`.",
        right: "No state depends on whether free text fits: it is cut, with a mark.",
        tests: &[
            here![a_failure_is_stored_however_long_its_words_are],
            elsewhere!["saga-core/src/saga/failure.rs": a_chain_of_sources_without_end_is_cut],
        ],
        waits: None,
    },
    Fault {
        number: 44,
        source: "temporalio/temporal#6638 and #1267",
        seen: "A run that is larger than the limit can neither go on nor be ended.",
        right: "Sizes are checked before anything is stored; what is too large fails in words, can be undone, and harms no other run.",
        tests: &[here![what_is_too_large_is_refused_or_undone_and_the_run_can_be_cancelled]],
        waits: None,
    },
];

type Texts = BTreeMap<String, String>;

#[step(compensable(undo = unecho), idempotent, retry(times = 1), timeout = "20s")]
pub async fn echo(cx: &StepCx<World>, texts: &Texts) -> Result<Texts, WorldError> {
    cx.env().note("echo");
    if texts.contains_key("fail") { Err(WorldError::Said(texts["fail"].clone())) } else { Ok(texts.clone()) }
}
pub async fn unecho(cx: &StepCx<World>, _texts: &Texts, _made: Option<&Texts>) -> Result<(), WorldError> {
    cx.env().note("unecho");
    Ok(())
}

#[saga(version = 1, owner = "desk")]
pub async fn echoing(cx: &mut Saga, texts: Texts) -> Result<Texts, Failed> {
    Ok(echo(cx, &texts).await?.into_inner())
}

/// hatchet-dev/hatchet PR #4619. The recipe refuses a start with NUL; here every store keeps it exactly, so there is nothing
/// to refuse. A lone surrogate is no text in Rust.
#[test]
pub(crate) fn a_nul_is_a_character_like_any_other() {
    everywhere(|at| async move {
        let world = World::default();
        let _workers = at.workers(&world, sagas).await;
        let client = at.client();
        let texts: Texts = [("k\0ey", "v\0alue"), ("\u{FFFF}", "\\u0000"), ("", "\u{1F980}")]
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .into();
        let run = client.start(echoing(texts.clone())).await.unwrap();
        assert_eq!(run.outcome().await.unwrap(), RunOutcome::Completed(texts));
        let bad: Texts = [("fail".to_owned(), "bad\0byte".to_owned())].into();
        let run = client.start(echoing(bad)).await.unwrap();
        let said = WorldError::Said("bad\0byte".to_owned());
        assert_eq!(run.outcome().await.unwrap(), RunOutcome::Refused(StepError::Failed(said)));
        assert_eq!(row(&client, run.run()).await.error.as_deref(), Some("bad\0byte"));
        assert_eq!(world.notes(), ["echo", "echo"]);
    });
}

/// astrid-runtime/astrid#73. Around 2,048 bytes, where words of a failure are cut; and a cut at each byte of a character.
#[test]
pub(crate) fn a_long_text_is_cut_between_characters_with_a_mark() {
    with_one_worker(|at| async move {
        let world = World::default();
        let _workers = at.workers(&world, sagas).await;
        let client = at.client();
        for (length, crabs) in (2_036..2_052).map(|length| (length, 1)).chain((0..4).map(|length| (length, 600))) {
            let text = "a".repeat(length) + &"\u{1F980}".repeat(crabs);
            let run = client.start(echoing([("fail".to_owned(), text.clone())].into())).await.unwrap();
            assert_eq!(
                run.outcome().await.unwrap(),
                RunOutcome::Refused(StepError::Failed(WorldError::Said(text.clone())))
            );
            let shown = row(&client, run.run()).await.error.unwrap();
            assert!(shown.len() <= 2_048 && (shown == text || shown.ends_with(" [cut]")), "{length}: {shown}");
            assert_eq!(shown == text, text.len() <= 2_048, "{length}");
        }
    });
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Numbers {
    small: i64,
    large: u64,
    smallest: i128,
    largest: u128,
    tiny: f64,
    third: f64,
    decimals: Vec<String>,
}

fn numbers() -> Numbers {
    let decimals = ["0.1000", "12345678901234567890.123456789", "16.4"].map(str::to_owned).to_vec();
    Numbers {
        small: i64::MIN,
        large: u64::MAX,
        smallest: i128::MIN,
        largest: u128::MAX,
        tiny: f64::from_bits(1),
        third: 1.0 / 3.0,
        decimals,
    }
}

#[derive(Debug, Clone, Serialize, Deserialize, Signal)]
pub struct Go;

#[step(compensable(undo = uncount), idempotent, retry(times = 1), timeout = "20s")]
pub async fn count(cx: &StepCx<World>, numbers: &Numbers) -> Result<Numbers, WorldError> {
    cx.env().note("count");
    Ok(numbers.clone())
}
pub async fn uncount(cx: &StepCx<World>, numbers: &Numbers, made: Option<&Numbers>) -> Result<(), WorldError> {
    let exact = *numbers == self::numbers() && made == Some(&self::numbers());
    cx.env().note(format!("undone: {exact}"));
    Ok(())
}

#[saga(version = 1, owner = "desk")]
pub async fn counting(cx: &mut Saga, numbers: Numbers) -> Result<u64, Failed> {
    let first = count(cx, &numbers).await?.into_inner();
    let _ = signal::<Go>(cx).within(seconds(600)).await;
    let _second = count(cx, &first).await?;
    Ok(close(cx, "the books").await?.into_inner())
}

/// kurrent-io/KurrentDB#1541. Floats are bitwise the same, the smallest subnormal too; decimals are text, as their types write
/// them.
#[test]
pub(crate) fn numbers_keep_every_bit_over_a_restart() {
    everywhere(|at| async move {
        let world = World::default();
        world.always("close", Act::Refuse);
        let workers = at.workers(&world, sagas).await;
        let client = at.client();
        let run = client.start(counting(numbers())).await.unwrap();
        until_state(&client, run.run(), "waiting").await;
        stop_all(workers).await;
        run.send(Go).await.unwrap();
        let _workers = at.workers(&world, sagas).await;
        assert!(matches!(run.outcome().await.unwrap(), RunOutcome::Refused(_)));
        assert_eq!(world.notes(), ["count", "count", "undone: true", "undone: true"]);
    });
}

#[derive(Debug, Clone, thiserror::Error, Serialize, Deserialize, Failure)]
pub enum Wordy {
    #[failure(refused)]
    #[error("{0}")]
    Refused(String),
    #[failure(unknown)]
    #[error("{0}")]
    Lost(String),
}

fn words() -> String {
    "\u{e9}".repeat(5 << 20)
}

/// `how`: where it fails with ten megabytes of words.
#[step(
    compensable(undo = unshout, needs = output, retry(times = 1)),
    verifiable(check = find_shout, settle = "10ms", retry(times = 1)),
    not_idempotent,
    retry(times = 1),
    timeout = "20s"
)]
pub async fn shout(cx: &StepCx<World>, how: &str) -> Result<u64, Wordy> {
    cx.env().note("shout");
    match how {
        "forward" => Err(Wordy::Refused(words())),
        "check" => Err(Wordy::Lost(words())),
        _ => Ok(7),
    }
}
pub async fn unshout(cx: &StepCx<World>, _how: &str, _made: &u64) -> Result<(), Wordy> {
    cx.env().note("unshout");
    Err(Wordy::Refused(words()))
}
pub async fn find_shout(cx: &StepCx<World>, _how: &str) -> Result<Found<u64>, Wordy> {
    cx.env().note("find");
    Err(Wordy::Refused(words()))
}

#[derive(Debug, Clone, PartialEq, thiserror::Error, Serialize, Deserialize)]
pub enum Over {
    #[error("in words: {0}")]
    Words(String),
}

#[saga(version = 1, owner = "desk")]
pub async fn shouting(cx: &mut Saga, how: String) -> Result<u64, Over> {
    match shout(cx, &how).await {
        Ok(_) => Err(Over::Words("enough".to_owned())),
        Err(StepError::Failed(_)) => Err(Over::Words("an error that large was kept".to_owned())),
        Err(StepError::Unanswered(cut)) => Err(Over::Words(cut.message)),
    }
}

/// Shopify/maintenance_tasks#493: ten megabytes, in the step, in its check and in its undo.
#[test]
pub(crate) fn a_failure_is_stored_however_long_its_words_are() {
    with_one_worker(|at| async move {
        let world = World::default();
        let _workers = at.workers(&world, sagas).await;
        let client = at.client();
        let cut = |text: &str| text.len() <= 2_048 && text.ends_with("\u{e9} [cut]");
        let run = client.start(shouting("forward".to_owned())).await.unwrap();
        match run.outcome().await.unwrap() {
            RunOutcome::Refused(Over::Words(kept)) => assert!(cut(&kept), "{} bytes", kept.len()),
            other => panic!("{other:?}"),
        }
        for (how, reason) in [("check", Reason::UnknownOutcome), ("undo", Reason::UndoRefused)] {
            let run = client.start(shouting(how.to_owned())).await.unwrap().run();
            let review = asked(&client, run).await;
            assert_eq!(review.reason, reason, "{how}");
            assert!(cut(&review.last.message), "{how}: {} bytes", review.last.message.len());
        }
        for row in client.store().list(RunFilter::default(), Page::first(9)).await.unwrap() {
            let shown = row.error.unwrap_or_default().len() + row.why.unwrap_or_default().len();
            assert!(shown < 6_000, "a list stays small: {shown} bytes");
        }
    });
}

#[step(compensable(undo = unemit), idempotent, retry(times = 2, base = "1ms"), timeout = "20s")]
pub async fn emit(cx: &StepCx<World>, length: usize) -> Result<String, WorldError> {
    cx.env().note("emit");
    Ok("x".repeat(length))
}
pub async fn unemit(cx: &StepCx<World>, _length: usize, _made: Option<&String>) -> Result<(), WorldError> {
    cx.env().note("unemit");
    Ok(())
}

/// Emits as much, and ends with its length.
#[saga(version = 1, owner = "desk")]
pub async fn emitting(cx: &mut Saga, length: usize, filling: String) -> Result<usize, Failed> {
    let _ = filling;
    let made = emit(cx, length).await?.into_inner().len();
    let _ = signal::<Go>(cx).within(seconds(600)).await;
    Ok(made)
}

/// What a payload takes besides a text in it.
fn around(start: &str) -> usize {
    start.len()
}

/// temporalio/temporal#6638: exactly the limit, a byte more, and ten times as much; of an input and of an output.
#[test]
pub(crate) fn what_is_too_large_is_refused_or_undone_and_the_run_can_be_cancelled() {
    everywhere(|at| async move {
        let world = World::default();
        let client = at.client();
        let most = LARGEST_PAYLOAD - around(r#"{"length":1,"filling":""}"#);
        for length in [most + 1, 10 * most] {
            let error = client.start(emitting(1, "y".repeat(length))).await.unwrap_err();
            assert!(matches!(error, ClientError::Inputs(_)), "{error}");
            assert!(error.to_string().contains("the limit is 1048576"), "{error}");
        }
        assert!(
            client.store().list(RunFilter::default(), Page::first(9)).await.unwrap().is_empty(),
            "nothing is stored"
        );
        let largest = client.start(emitting(1, "y".repeat(most))).await.unwrap();
        let _workers = at.workers(&world, sagas).await;
        until_state(&client, largest.run(), "waiting").await;
        assert_eq!(largest.cancel("anna", "").await.unwrap(), CancelAnswer::Accepted);
        assert_eq!(ended(&client, largest.run()).await, "cancelled");

        let most = LARGEST_PAYLOAD - around(r#""""#);
        let fits = client.start(emitting(most, String::new())).await.unwrap();
        fits.send(Go).await.unwrap();
        assert_eq!(fits.outcome().await.unwrap(), RunOutcome::Completed(most));
        for length in [most + 1, 10 * most] {
            let before = world.notes().len();
            let run = client.start(emitting(length, String::new())).await.unwrap();
            let outcome = run.outcome().await.unwrap();
            let RunOutcome::Refused(StepError::Unanswered(why)) = outcome else { panic!("{outcome:?}") };
            assert!(why.message.contains("the limit is 1048576"), "{why}");
            assert_eq!(world.notes()[before..], ["emit", "emit", "unemit"], "it may be there, so it is undone");
            let last = inspect(&client, run.run()).await.step(saga_core::CallNumber(0)).unwrap().forward.last.clone();
            assert_eq!(last.unwrap().0.code.as_deref(), Some("unrecordable_output"));
        }
    });
}

fn sagas(builder: EngineBuilder<World>) -> EngineBuilder<World> {
    builder.saga::<echoing>().saga::<counting>().saga::<shouting>().saga::<emitting>()
}
