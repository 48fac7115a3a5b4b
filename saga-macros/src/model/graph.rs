//! The machine under construction: nodes, transitions, and the loose ends from which the walk goes on.

use proc_macro2::TokenStream;
use syn::{AngleBracketedGenericArguments, Path};

/// A machine read from a body. Node 0 is the start.
#[derive(Default)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<GraphNode>,
    /// The distinct awaited paths, without generic arguments.
    pub(crate) paths: Vec<Path>,
}

/// One state.
pub(crate) struct GraphNode {
    pub(crate) kind: Kind,
    pub(crate) next: Vec<GraphEdge>,
    /// The user's tokens, where a fault of this node is reported.
    pub(crate) at: TokenStream,
}

/// What happens in a state.
pub(crate) enum Kind {
    Start,
    Site(Site),
    Branch(String),
    Return(Returned),
}

/// An awaited call.
pub(crate) struct Site {
    /// The index into [`Graph::paths`].
    pub(crate) path: usize,
    pub(crate) generics: Option<AngleBracketedGenericArguments>,
    /// `.within(..)` or `.forever()` was said, or it needs no end.
    pub(crate) bounded: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Returned {
    Ok,
    Err,
    Either,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum On {
    Any,
    Done,
    Refused,
}

/// A transition.
pub(crate) struct GraphEdge {
    pub(crate) to: usize,
    pub(crate) on: On,
    pub(crate) label: String,
}

/// A loose end: where the flow stands, not yet connected.
#[derive(Debug, Clone)]
pub(crate) struct Exit {
    pub(crate) from: usize,
    pub(crate) on: On,
    pub(crate) label: String,
}

pub(crate) type Frontier = Vec<Exit>;

/// Where the flow stands after an expression, by what is known of its value.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    /// The value is `Ok`.
    pub(crate) ok: Frontier,
    /// The value is `Err`.
    pub(crate) err: Frontier,
    /// Nothing is known of the value.
    pub(crate) other: Frontier,
}

impl Outcome {
    pub(crate) fn unknown(other: Frontier) -> Outcome {
        Outcome { other, ..Outcome::default() }
    }

    pub(crate) fn all(self) -> Frontier {
        let Outcome { mut ok, err, other } = self;
        ok.extend(err);
        ok.extend(other);
        ok
    }

    pub(crate) fn join(&mut self, other: Outcome) {
        self.ok.extend(other.ok);
        self.err.extend(other.err);
        self.other.extend(other.other);
    }

    pub(crate) fn exits(&self) -> impl Iterator<Item = &Exit> {
        self.ok.iter().chain(&self.err).chain(&self.other)
    }
}

impl Graph {
    /// Adds a state to which all of `from` lead.
    pub(crate) fn place(&mut self, kind: Kind, at: TokenStream, from: Frontier) -> usize {
        let node = self.nodes.len();
        self.nodes.push(GraphNode { kind, next: Vec::new(), at });
        self.connect(from, node);
        node
    }

    /// Leads all of `from` to `to`. "Completed" and "refused" together are "always".
    pub(crate) fn connect(&mut self, from: Frontier, to: usize) {
        for Exit { from, on, label } in from {
            let next = &mut self.nodes[from].next;
            match next.iter_mut().find(|edge| edge.to == to) {
                Some(edge) => {
                    if edge.on != on {
                        edge.on = On::Any;
                    }
                    if !edge.label.is_empty() && !label.is_empty() && edge.label != label {
                        edge.label = cut(&format!("{} | {label}", edge.label));
                    } else if label.is_empty() {
                        edge.label.clear();
                    }
                }
                None => next.push(GraphEdge { to, on, label }),
            }
        }
    }

    /// Whether a node is an awaited call.
    pub(crate) fn is_site(&self, node: usize) -> bool {
        matches!(self.nodes[node].kind, Kind::Site(_))
    }

    /// The index of a path, which is added if it is new.
    pub(crate) fn path(&mut self, path: &Path) -> usize {
        match self.paths.iter().position(|known| known == path) {
            Some(index) => index,
            None => {
                self.paths.push(path.clone());
                self.paths.len() - 1
            }
        }
    }
}

/// The words on an arrow or in a diamond.
pub(crate) fn label(tokens: impl quote::ToTokens) -> String {
    let mut text = tokens.to_token_stream().to_string();
    for (from, to) in [
        (" :: ", "::"),
        (" (", "("),
        ("( ", "("),
        (" )", ")"),
        (" . ", "."),
        (" ,", ","),
        ("&& ", "\u{1}"),
        ("& ", "&"),
        ("\u{1}", "&& "),
        ("! ", "!"),
    ] {
        text = text.replace(from, to);
    }
    cut(&text)
}

fn cut(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        text.to_owned()
    } else {
        text.chars().take(LONGEST - 1).chain(['…']).collect()
    }
}
