//! Durations and retry policies: the grammar of the macros, that of the library, and the arithmetic of delays.
//!
//! The two grammars are written twice, because a procedural macro cannot be called; here they are held against each other and
//! against a third that is slow and plain.
#![allow(clippy::panic, reason = "a target is a proof: it ends with a panic where a promise is broken")]

use crate::errors::Errors;
use crate::parse::{Settings, read};
use crate::table::{self, Place, Takes};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use saga_core::contract::Retry;
use saga_core::fuzzing::Bytes;
use saga_core::time::{DurationError, LONGEST, parse};
use std::time::Duration;

const UNITS: [(&str, u128); 6] =
    [("us", 1), ("ms", 1_000), ("s", 1_000_000), ("m", 60_000_000), ("h", 3_600_000_000), ("d", 86_400_000_000)];

/// Panics where a parser or a delay breaks a promise.
pub fn policy(data: &[u8]) {
    let mut bytes = Bytes::new(data);
    match bytes.below(4) {
        0 => duration(&String::from_utf8_lossy(bytes.rest())),
        1 => duration(&spoken(&mut bytes)),
        2 => delay(&mut bytes),
        _ => properties(&mut bytes),
    }
}

/// Mostly a duration, or nearly one.
fn spoken(bytes: &mut Bytes<'_>) -> String {
    let before = bytes.pick(&["", "", "", "", "", "0", "00", "-", "+", " ", "٥"]);
    let between = bytes.pick(&["", "", "", "", "", " ", ".5", "_", "e1"]);
    let unit = bytes.pick(&["us", "ms", "s", "m", "h", "d", "", "S", "ns", "days", "µs"]);
    let digits = "9".repeat(if bytes.rarely(8) { bytes.below(40) } else { 0 });
    format!("{before}{}{digits}{between}{unit}", bytes.number())
}

/// What a text means: digits, then one of the units, nothing else. In microseconds; too many digits are more than enough.
fn meant(text: &str) -> Option<u128> {
    UNITS.iter().find_map(|(unit, micros)| {
        let digits = text.strip_suffix(unit)?;
        let right = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let count = || digits.trim_start_matches('0').parse::<u128>();
        right.then(|| {
            if digits.bytes().all(|byte| byte == b'0') {
                0
            } else {
                count().unwrap_or(u128::MAX).saturating_mul(*micros)
            }
        })
    })
}

fn duration(text: &str) {
    let by_library = parse(text);
    let literal = Literal::string(text);
    let mut errors = Errors::default();
    let settings = read(Place::Retry, quote!(base = #literal), &mut errors);
    let by_macro = settings.micros("base").copied();
    assert_eq!(by_macro.is_some(), errors.is_empty(), "{text:?} is refused without a word, or accepted with one");
    let words = errors.into_tokens().to_string();
    match meant(text) {
        None => {
            assert!(matches!(by_library, Err(DurationError::Malformed(_))), "{text:?}: {by_library:?}");
            assert!(words.contains("is not a duration"), "{text:?}: {words}");
        }
        Some(0) => {
            assert!(matches!(by_library, Err(DurationError::Zero(_))), "{text:?}: {by_library:?}");
            assert!(words.contains("is no time at all"), "{text:?}: {words}");
        }
        Some(micros) if micros > LONGEST.as_micros() => {
            assert!(matches!(by_library, Err(DurationError::TooLong(_))), "{text:?}: {by_library:?}");
            assert!(words.contains("is too long"), "{text:?}: {words}");
        }
        Some(micros) => {
            assert_eq!(by_library.map(|span| span.as_micros()), Ok(micros), "{text:?}");
            assert_eq!(by_macro.map(u128::from), Some(micros), "{text:?}");
        }
    }
}

fn span(bytes: &mut Bytes<'_>) -> Duration {
    let count = bytes.number();
    bytes.pick(&[
        Duration::from_nanos(count),
        Duration::from_micros(count),
        Duration::from_secs(count),
        Duration::ZERO,
        Duration::MAX,
        LONGEST,
    ])
}

fn delay(bytes: &mut Bytes<'_>) {
    let any = bytes.number();
    let factor = bytes.pick(&[2.0, 1.0, 1_000.0, 0.0, -1.0, f64::MAX, f64::NAN, f64::INFINITY, f64::from_bits(any)]);
    let (base, cap) = (span(bytes), span(bytes));
    let retry = Retry { times: any as u32, base, factor, cap, jitter: false };
    let made = bytes.pick(&[0, 1, 2, 3, 10, 1_000, u32::MAX, any as u32]);
    let full = retry.delay(made, 0.0);
    assert!(base <= full && full <= cap.max(base), "{full:?} after {made} attempts of {retry:?}");
    assert!(retry.delay(made.saturating_add(1), 0.0) >= full, "the delay shrinks after {made} attempts of {retry:?}");
    let luck = f64::from(bytes.byte()) / 255.0;
    let jittered = Retry { jitter: true, ..retry }.delay(made, luck);
    assert!(jittered <= full, "{jittered:?} is more than {full:?}: {retry:?}");
    // A float holds 53 bits of it.
    let half = full / 2;
    assert!(jittered >= half - half / 1_000_000_000, "{jittered:?} is less than half of {full:?}: {retry:?}");
    assert!(full.is_zero() || full < Duration::from_nanos(4) || !jittered.is_zero(), "no delay at all: {retry:?}");
}

const PLACES: [Place; 6] =
    [Place::Retry, Place::Verifiable, Place::Compensable, Place::Idempotent, Place::Step, Place::Saga];

/// Properties as they are declared: those that are right are read as written, those that are not are refused in words.
fn properties(bytes: &mut Bytes<'_>) {
    let place = bytes.pick(&PLACES);
    let mut declared = Vec::new();
    let mut all_right = true;
    for _ in 0..bytes.below(6) {
        let name = pick_name(bytes, place);
        let known = table::find(place, &name).filter(|property| property.takes != Takes::Later);
        all_right &= known.is_some() && declared.iter().all(|(other, _, _)| *other != name);
        let wanted = known.map_or(Takes::Nothing, |property| property.takes);
        let wrongly = bytes.rarely(8);
        all_right &= !wrongly;
        let (text, value) = if wrongly { (noise(bytes), None) } else { form(bytes, wanted) };
        declared.push((name, text, value));
    }
    let text: Vec<String> = declared.iter().map(|(name, text, _)| format!("{name}{text}")).collect();
    let Ok(tokens) = text.join(", ").parse::<TokenStream>() else { return };
    let mut errors = Errors::default();
    let settings = read(place, tokens, &mut errors);
    if all_right {
        assert!(errors.is_empty(), "{} is refused: {}", text.join(", "), errors.into_tokens());
        for (name, text, value) in &declared {
            assert!(settings.get(name).is_some(), "`{name}{text}` is lost");
            value.iter().for_each(|value| kept(&settings, name, value));
        }
    } else {
        let count = errors.count();
        let words = errors.into_tokens().to_string();
        assert_eq!(words.matches("compile_error").count(), count);
        declared.iter().for_each(|(name, _, _)| in_bounds(&settings, name));
    }
}

/// One that is legal here, one that is legal elsewhere, or none.
fn pick_name(bytes: &mut Bytes<'_>, place: Place) -> String {
    let here: Vec<&str> = table::names(place).collect();
    match bytes.below(16) {
        0 => table::PROPERTIES[bytes.below(table::PROPERTIES.len())].name.to_owned(),
        1 => bytes.pick(&["base2", "tims", "r#fn", "_", "кап", "self", "transactional"]).to_owned(),
        _ => bytes.pick(&here).to_owned(),
    }
}

/// A value that was written.
enum Value {
    Micros(u64),
    Number(u32),
    Factor(f64),
    Switch(bool),
    Text(String),
}

/// What stands behind the name of a property that takes this.
fn form(bytes: &mut Bytes<'_>, takes: Takes) -> (String, Option<Value>) {
    match takes {
        Takes::Duration => {
            let (unit, micros) = bytes.pick(&UNITS);
            let count = 1 + u128::from(bytes.byte());
            (format!(" = \"{count}{unit}\""), Some(Value::Micros((count * micros) as u64)))
        }
        Takes::Number => {
            let number = (bytes.number() as u32).max(1);
            (format!(" = {number}"), Some(Value::Number(number)))
        }
        Takes::Factor => {
            let factor = 1.0 + f64::from(bytes.byte()) / 4.0;
            (format!(" = {factor:?}"), Some(Value::Factor(factor)))
        }
        Takes::Switch if bytes.flag() => (String::new(), Some(Value::Switch(true))),
        Takes::Switch => {
            let on = bytes.flag();
            (format!(" = {on}"), Some(Value::Switch(on)))
        }
        Takes::Text => {
            let text = format!("a{}", bytes.text());
            (format!(" = {}", Literal::string(&text)), Some(Value::Text(text)))
        }
        Takes::Path => (" = a::b::c".to_owned(), None),
        Takes::Word(word) => (format!(" = {word}"), None),
        Takes::Inside(place) | Takes::MaybeInside(place) => {
            let inner: Vec<&str> = table::names(place).collect();
            let name = bytes.pick(&inner);
            let takes = table::find(place, name).map_or(Takes::Nothing, |property| property.takes);
            let (text, _) = form(bytes, takes);
            (format!("({name}{text})"), None)
        }
        Takes::Paths | Takes::Names => ("(one, two)".to_owned(), None),
        Takes::Nothing | Takes::Later => (String::new(), None),
    }
}

/// Something that stands where it should not.
fn noise(bytes: &mut Bytes<'_>) -> String {
    const PIECES: [&str; 20] = [
        " = ",
        "(",
        ")",
        "\"5s\"",
        "\"0s\"",
        "5",
        "0",
        "-1",
        "4294967296",
        "1e400",
        "0.5",
        "true",
        ",",
        "::",
        "a",
        "'a'",
        "b\"x\"",
        "[]",
        "{",
        "}",
    ];
    (0..bytes.below(6)).map(|_| if bytes.rarely(8) { bytes.text() } else { bytes.pick(&PIECES).to_owned() }).collect()
}

fn kept(settings: &Settings, name: &str, value: &Value) {
    match value {
        Value::Micros(micros) => assert_eq!(settings.micros(name), Some(micros)),
        Value::Number(number) => assert_eq!(settings.number(name), Some(number)),
        Value::Factor(factor) => assert_eq!(settings.factor(name), Some(factor)),
        Value::Switch(on) => assert_eq!(settings.switch(name), Some(on)),
        Value::Text(text) => assert_eq!(settings.text(name).map(syn::LitStr::value).as_ref(), Some(text)),
    }
}

fn in_bounds(settings: &Settings, name: &str) {
    let longest = LONGEST.as_micros();
    assert!(settings.micros(name).is_none_or(|micros| *micros > 0 && u128::from(*micros) <= longest));
    assert!(settings.number(name).is_none_or(|number| *number > 0));
    assert!(settings.factor(name).is_none_or(|factor| (1.0..=1_000.0).contains(factor)));
    assert!(settings.text(name).is_none_or(|text| !text.value().trim().is_empty()));
}
