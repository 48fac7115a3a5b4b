//! Finds the paths that Rust source names, without compiling it: `use` trees and paths in code alike.
//!
//! Decides what a file mentions; knows nothing of what it may mention. Comments and literals are no code.

use std::collections::BTreeMap;

/// A path as it was found: its line, and its segments from the crate's root, or from the name of another crate.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mention {
    /// The line on which it begins, from 1.
    pub(super) line: usize,
    /// `crate` first for paths into this crate; `*` last for globs.
    pub(super) segments: Vec<String>,
}

/// All paths in a file whose module is `module` (segments below the crate's root). `own` is the crate's name for itself.
pub(super) fn mentions(source: &str, module: &[&str], own: &str) -> Vec<Mention> {
    let tokens = tokens(source);
    let mut reader = Reader { tokens: &tokens, at: 0, found: Vec::new() };
    let mut scope: Vec<String> = module.iter().map(|&segment| segment.to_owned()).collect();
    // The depth of braces at which each inline module ends, so that `super` in it is read from where it stands.
    let (mut depth, mut inline) = (0usize, Vec::new());
    let mut resolved = 0;
    while let Some(token) = reader.tokens.get(reader.at) {
        match token.text.as_str() {
            "mod" if reader.text(2) == "{" => {
                scope.push(reader.text(1).to_owned());
                inline.push(depth);
                depth += 1;
                reader.at += 3;
            }
            "{" => {
                depth += 1;
                reader.at += 1;
            }
            "}" => {
                depth = depth.saturating_sub(1);
                if inline.last() == Some(&depth) {
                    inline.pop();
                    scope.pop();
                }
                reader.at += 1;
            }
            _ if is_word(&token.text) && reader.text(1) == "::" => reader.tree(&mut Vec::new(), token.line),
            "use" => {
                reader.at += 1;
                let line = token.line;
                reader.tree(&mut Vec::new(), line);
            }
            _ => reader.at += 1,
        }
        for mention in &mut reader.found[resolved..] {
            resolve(&mut mention.segments, &scope, own);
        }
        resolved = reader.found.len();
    }
    reader.found
}

/// The module that every name of a `use` in the root file comes from: re-exports must not hide where an arrow leads.
pub(super) fn exported(root: &str) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for mention in mentions(&root.replace("pub use ", "pub use self::"), &[], "") {
        if let [_, module, .., name] = mention.segments.as_slice() {
            names.insert(name.clone(), module.clone());
        }
    }
    names
}

fn resolve(segments: &mut Vec<String>, scope: &[String], own: &str) {
    let relative = matches!(segments[0].as_str(), "self" | "super");
    let mut rest = std::mem::take(segments).into_iter().peekable();
    let mut base: Vec<String> = vec!["crate".to_owned()];
    if relative {
        base.extend(scope.iter().cloned());
        while let Some(word) = rest.next_if(|word| word == "self" || word == "super") {
            if word == "super" && base.len() > 1 {
                base.pop();
            }
        }
    } else if rest.peek().is_some_and(|first| first == own) {
        rest.next();
    } else {
        base.clear();
    }
    base.extend(rest);
    *segments = base;
}

struct Token {
    line: usize,
    text: String,
}

struct Reader<'a> {
    tokens: &'a [Token],
    at: usize,
    found: Vec<Mention>,
}

impl Reader<'_> {
    fn text(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", |token| token.text.as_str())
    }

    /// Reads one tree, `a::b::{c, d::*}`, below `prefix`.
    fn tree(&mut self, prefix: &mut Vec<String>, line: usize) {
        let before = prefix.len();
        if self.text(0) == "::" {
            self.at += 1;
        }
        loop {
            if self.text(0) == "{" {
                self.at += 1;
                while !matches!(self.text(0), "}" | "") {
                    let (start, line) = (self.at, self.tokens[self.at].line);
                    self.tree(prefix, line);
                    // Code that is no tree is stepped over, so that reading always ends.
                    self.at += usize::from(self.at == start || self.text(0) == ",");
                }
                self.at += 1;
                break;
            }
            if !is_word(self.text(0)) && self.text(0) != "*" {
                break;
            }
            prefix.push(self.text(0).to_owned());
            self.at += 1;
            if self.text(0) == "::" && (is_word(self.text(1)) || matches!(self.text(1), "{" | "*")) {
                self.at += 1;
                continue;
            }
            self.found.push(Mention { line, segments: prefix.clone() });
            if self.text(0) == "as" {
                self.at += 2;
            }
            break;
        }
        prefix.truncate(before);
    }
}

fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Words, `::`, braces, commas and stars; everything else is a token that means nothing here.
fn tokens(source: &str) -> Vec<Token> {
    let text: Vec<char> = source.chars().collect();
    let (mut at, mut line, mut tokens) = (0, 1, Vec::new());
    let get = |index: usize| text.get(index).copied().unwrap_or('\0');
    while at < text.len() {
        let start = at;
        match (get(at), get(at + 1)) {
            ('/', '/') => at += text[at..].iter().take_while(|letter| **letter != '\n').count(),
            ('/', '*') => at = after_comment(&text, at),
            ('"', _) => at = after_string(&text, at + 1),
            ('r', '"' | '#') if is_raw_string(&text, at) => at = after_raw_string(&text, at + 1),
            // A character literal, not a lifetime.
            ('\'', letter) if letter == '\\' || get(at + 2) == '\'' => {
                at += 2;
                while at < text.len() && (get(at) != '\'' || (get(at - 1) == '\\' && get(at - 2) != '\\')) {
                    at += 1;
                }
                at += 1;
            }
            (':', ':') => {
                tokens.push(Token { line, text: "::".to_owned() });
                at += 2;
            }
            (letter, _) if letter.is_alphanumeric() || letter == '_' => {
                at += text[at..].iter().take_while(|letter| letter.is_alphanumeric() || **letter == '_').count();
                tokens.push(Token { line, text: text[start..at].iter().collect() });
            }
            (letter, _) => {
                if !letter.is_whitespace() {
                    tokens.push(Token { line, text: letter.to_string() });
                }
                at += 1;
            }
        }
        line += text[start..at.min(text.len())].iter().filter(|letter| **letter == '\n').count();
    }
    tokens
}

fn after_comment(text: &[char], start: usize) -> usize {
    let (mut at, mut depth) = (start, 0usize);
    while at < text.len() {
        match text[at..].get(..2) {
            Some(['/', '*']) => (depth, at) = (depth + 1, at + 2),
            Some(['*', '/']) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn after_string(text: &[char], mut at: usize) -> usize {
    while at < text.len() && text[at] != '"' {
        at += if text[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

fn is_raw_string(text: &[char], at: usize) -> bool {
    let hashes = text[at + 1..].iter().take_while(|letter| **letter == '#').count();
    text.get(at + 1 + hashes) == Some(&'"')
}

fn after_raw_string(text: &[char], at: usize) -> usize {
    let hashes = text[at..].iter().take_while(|letter| **letter == '#').count();
    let end: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let body = at + hashes + 1;
    let length = text[body.min(text.len())..].windows(end.len()).position(|window| window == end);
    length.map_or(text.len(), |length| body + length + end.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(source: &str, module: &[&str]) -> Vec<String> {
        let mentions = mentions(source, module, "saga_core");
        mentions.into_iter().map(|mention| format!("{} {}", mention.line, mention.segments.join("::"))).collect()
    }

    #[test]
    fn trees_paths_and_own_names_are_all_found() {
        let source = "use crate::{store::Store,\n    engine::{self, Engine as E}};\nuse saga_core::run::RunId;\nfn f() { std::time::Instant::now() }\nuse tokio;";
        let expected = [
            "1 crate::store::Store",
            "2 crate::engine::self",
            "2 crate::engine::Engine",
            "3 crate::run::RunId",
            "4 std::time::Instant::now",
            "5 tokio",
        ];
        assert_eq!(found(source, &["decide"]), expected);
    }

    #[test]
    fn super_is_read_from_the_module_in_which_it_stands() {
        let source =
            "use super::store::A;\nmod tests {\n use super::*;\n fn f() { {} }\n}\nuse super::super::engine::B;";
        assert_eq!(
            found(source, &["decide", "unwind"]),
            ["1 crate::decide::store::A", "3 crate::decide::unwind::*", "6 crate::engine::B",]
        );
    }

    #[test]
    fn comments_and_literals_are_no_code() {
        let source = "// use crate::a::A;\n/* crate::b /* crate::c */ crate::d */ '\"' \"crate::e\" r#\"crate::f\"# 'x' '\\'' b\"::g\"\ncrate::h";
        assert_eq!(found(source, &[]), ["3 crate::h"]);
    }

    #[test]
    fn re_exports_lead_to_their_module() {
        let names =
            exported("mod store;\npub use store::{Store, memory::Memory as M};\npub use contract::duration as time;");
        assert_eq!(names.get("Store").map(String::as_str), Some("store"));
        assert_eq!(names.get("Memory").map(String::as_str), Some("store"));
        assert_eq!(names.get("duration").map(String::as_str), Some("contract"));
    }
}
