//! The text between the parentheses of an attribute. Decides whether each property is known, legal here, given once, and of
//! the right form; the table says what is. Every mistake is reported and the rest is still read.

use super::duration;
use crate::errors::Errors;
use crate::messages;
use crate::table::{self, Place, Property, Takes};
use proc_macro2::{Span, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Ident, Lit, LitStr, Path, Token};

/// The properties of one place.
#[derive(Default)]
pub(crate) struct Settings {
    given: Vec<Setting>,
    /// Names that were there but could not be read: that they are missing is not reported on top.
    unread: Vec<String>,
}

struct Setting {
    name: Ident,
    value: Value,
}

/// What a property was given.
pub(crate) enum Value {
    Nothing,
    Micros(u64),
    Text(LitStr),
    Number(u32),
    Factor(f64),
    Switch(bool),
    Path(Path),
    Inside(Settings),
    Paths(Vec<Path>),
    Names(Vec<Ident>),
}

macro_rules! getters {
    ($($name:ident: $variant:ident -> $of:ty;)*) => {$(
        pub(crate) fn $name(&self, name: &str) -> Option<&$of> {
            match self.value(name) {
                Some(Value::$variant(value)) => Some(value),
                _ => None,
            }
        }
    )*};
}

impl Settings {
    /// Where a property stands, if it was given.
    pub(crate) fn get(&self, name: &str) -> Option<&Ident> {
        self.given.iter().find(|setting| setting.name == name).map(|setting| &setting.name)
    }

    /// Whether a property was there but could not be read.
    pub(crate) fn mentioned(&self, name: &str) -> bool {
        self.unread.iter().any(|unread| unread == name)
    }

    fn value(&self, name: &str) -> Option<&Value> {
        self.given.iter().find(|setting| setting.name == name).map(|setting| &setting.value)
    }

    getters! {
        micros: Micros -> u64;
        text: Text -> LitStr;
        number: Number -> u32;
        factor: Factor -> f64;
        switch: Switch -> bool;
        path: Path -> Path;
        inside: Inside -> Settings;
        paths: Paths -> Vec<Path>;
        names: Names -> Vec<Ident>;
    }
}

/// Reads the properties of `place`.
pub(crate) fn read(place: Place, tokens: TokenStream, errors: &mut Errors) -> Settings {
    let mut settings = Settings::default();
    for entry in split(tokens) {
        let name = entry.clone().into_iter().next().map(|tree| tree.to_string()).unwrap_or_default();
        match (|input: ParseStream<'_>| one(place, input, errors)).parse2(entry) {
            Ok(Some(setting)) => match settings.get(&name) {
                Some(_) => errors.at(&setting.name, messages::duplicate(&setting.name)),
                None => settings.given.push(setting),
            },
            Ok(None) => settings.unread.push(name),
            Err(error) => {
                errors.push(error);
                settings.unread.push(name);
            }
        }
    }
    settings
}

/// At top-level commas: a mistake in one entry leaves the others readable.
fn split(tokens: TokenStream) -> Vec<TokenStream> {
    let mut entries = vec![Vec::new()];
    for tree in tokens {
        match &tree {
            TokenTree::Punct(comma) if comma.as_char() == ',' => entries.push(Vec::new()),
            _ => {
                if let Some(entry) = entries.last_mut() {
                    entry.push(tree);
                }
            }
        }
    }
    entries.into_iter().filter(|entry| !entry.is_empty()).map(|entry| entry.into_iter().collect()).collect()
}

fn one(place: Place, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Option<Setting>> {
    let Ok(name) = input.call(Ident::parse_any) else {
        return Err(syn::Error::new(input.span(), messages::not_a_property(place)));
    };
    let Some(property) = table::find(place, &name.to_string()) else {
        let _: TokenStream = input.parse()?;
        return Err(syn::Error::new(name.span(), messages::unknown_property(place, &name.to_string())));
    };
    let rest: TokenStream = input.parse()?;
    let wrong = || syn::Error::new(name.span(), messages::wrong_form(property));
    let value = (|input: ParseStream<'_>| value(property, input, errors, &wrong)).parse2(rest);
    value.map(|value| value.map(|value| Setting { name: name.clone(), value }))
}

fn value(
    property: &Property,
    input: ParseStream<'_>,
    errors: &mut Errors,
    wrong: &dyn Fn() -> syn::Error,
) -> syn::Result<Option<Value>> {
    let value = match property.takes {
        Takes::Later => {
            let _: TokenStream = input.parse()?;
            errors.push(syn::Error::new(wrong().span(), messages::later(property.name)));
            return Ok(None);
        }
        Takes::Nothing => Value::Nothing,
        Takes::MaybeInside(_) if input.is_empty() => Value::Nothing,
        Takes::Switch if input.is_empty() => Value::Switch(true),
        Takes::Inside(place) | Takes::MaybeInside(place) => {
            Value::Inside(read(place, in_parentheses(input, wrong)?, errors))
        }
        Takes::Paths => {
            let parser = Punctuated::<Path, Token![,]>::parse_terminated;
            let paths = parser.parse2(in_parentheses(input, wrong)?).map_err(|_| wrong())?;
            Value::Paths(paths.into_iter().collect())
        }
        Takes::Names => {
            let parser = Punctuated::<Ident, Token![,]>::parse_terminated;
            let names = parser.parse2(in_parentheses(input, wrong)?).map_err(|_| wrong())?;
            Value::Names(names.into_iter().collect())
        }
        Takes::Path => Value::Path(after_equals(input, Path::parse_mod_style, wrong)?),
        Takes::Word(word) => {
            let given = after_equals(input, Ident::parse_any, wrong)?;
            if given != word {
                return Err(syn::Error::new(given.span(), messages::wrong_form(property)));
            }
            Value::Nothing
        }
        Takes::Duration | Takes::Text | Takes::Number | Takes::Factor | Takes::Switch => {
            let literal = after_equals(input, |input: ParseStream<'_>| input.parse::<Lit>(), wrong)?;
            let span = literal.span();
            literal_value(property, literal).map_err(|message| syn::Error::new(span, message))?
        }
    };
    if !input.is_empty() { Err(wrong()) } else { Ok(Some(value)) }
}

fn in_parentheses(input: ParseStream<'_>, wrong: &dyn Fn() -> syn::Error) -> syn::Result<TokenStream> {
    match input.parse::<proc_macro2::Group>() {
        Ok(group) if group.delimiter() == proc_macro2::Delimiter::Parenthesis && !group.stream().is_empty() => {
            Ok(group.stream())
        }
        _ => Err(wrong()),
    }
}

fn after_equals<T>(
    input: ParseStream<'_>,
    parse: impl FnOnce(ParseStream<'_>) -> syn::Result<T>,
    wrong: &dyn Fn() -> syn::Error,
) -> syn::Result<T> {
    input.parse::<Token![=]>().map_err(|_| wrong())?;
    let at: Span = input.span();
    let missing = input.is_empty();
    parse(input).map_err(|_| if missing { wrong() } else { syn::Error::new(at, wrong()) })
}

fn literal_value(property: &Property, literal: Lit) -> Result<Value, String> {
    match (property.takes, &literal) {
        (Takes::Duration, Lit::Str(text)) => duration::micros(&text.value())
            .map(Value::Micros)
            .map_err(|wrong| messages::duration(&text.value(), &wrong)),
        (Takes::Text, Lit::Str(text)) if text.value().trim().is_empty() => Err(messages::empty_text(property.name)),
        (Takes::Text, Lit::Str(text)) => Ok(Value::Text(text.clone())),
        (Takes::Number, Lit::Int(number)) => match number.base10_parse::<u32>() {
            Ok(number) if number > 0 => Ok(Value::Number(number)),
            _ => Err(messages::not_positive(property.name)),
        },
        (Takes::Factor, Lit::Float(_) | Lit::Int(_)) => {
            let factor = match &literal {
                Lit::Float(number) => number.base10_parse::<f64>().ok(),
                Lit::Int(number) => number.base10_parse::<u32>().ok().map(f64::from),
                _ => None,
            };
            factor.filter(|factor| (1.0..=1000.0).contains(factor)).map(Value::Factor).ok_or_else(messages::bad_factor)
        }
        (Takes::Switch, Lit::Bool(on)) => Ok(Value::Switch(on.value)),
        _ => Err(messages::wrong_form(property)),
    }
}
