//! How `#[saga]` writes a machine down: short texts, read while the user's crate compiles.
//!
//! Decides that form and nothing else. It exists for the compiler's sake: a machine of three steps spelled out as nested
//! struct literals costs `cargo check` more than the user's own body does. Generated code only: what it cannot read ends the
//! compilation.
//!
//! States: a letter each (`^` start, `s` site, `b` branch, `o` returns `Ok`, `e` returns `Err`, `x` returns either), then how
//! many transitions leave it. Transitions, in the order of the states they leave: the number of the state they lead to, then
//! `.` always, `+` done, `-` refused, then `'` if they have a label. Labels and the words of branches: one to a line.

use super::{Edge, Node, NodeKind, On, Returned};

/// Reads the states; `sites` are what is awaited, in the order of the text.
pub const fn nodes<const N: usize>(text: &str, sites: &[NodeKind], mut words: &'static str) -> [Node; N] {
    let text = text.as_bytes();
    let mut nodes = [Node { kind: NodeKind::Start, first: 0, edges: 0 }; N];
    let (mut at, mut site, mut first, mut index) = (0, 0, 0, 0);
    while index < N {
        let kind = match text[at] {
            b'^' => NodeKind::Start,
            b's' => {
                site += 1;
                sites[site - 1]
            }
            b'b' => {
                let (line, rest) = first_line(words);
                words = rest;
                NodeKind::Branch(line)
            }
            b'o' => NodeKind::Return(Returned::Ok),
            b'e' => NodeKind::Return(Returned::Err),
            _ => NodeKind::Return(Returned::Either),
        };
        let (edges, after) = number(text, at + 1);
        nodes[index] = Node { kind, first, edges };
        first += edges;
        at = after;
        index += 1;
    }
    nodes
}

/// Reads the transitions.
pub const fn edges<const N: usize>(text: &str, mut labels: &'static str) -> [Edge; N] {
    let text = text.as_bytes();
    let mut edges = [Edge { to: 0, on: On::Any, label: "" }; N];
    let (mut at, mut index) = (0, 0);
    while index < N {
        let (to, after) = number(text, at);
        let on = match text[after] {
            b'+' => On::Done,
            b'-' => On::Refused,
            _ => On::Any,
        };
        at = after + 1;
        let mut label = "";
        if at < text.len() && text[at] == b'\'' {
            (label, labels) = first_line(labels);
            at += 1;
        }
        edges[index] = Edge { to, on, label };
        index += 1;
    }
    edges
}

const fn number(text: &[u8], mut at: usize) -> (u16, usize) {
    let mut number = 0;
    while at < text.len() && text[at].is_ascii_digit() {
        number = number * 10 + (text[at] - b'0') as u16;
        at += 1;
    }
    (number, at)
}

const fn first_line(text: &'static str) -> (&'static str, &'static str) {
    let bytes = text.as_bytes();
    let mut end = 0;
    while end < bytes.len() {
        if bytes[end] == b'\n' {
            return (text.split_at(end).0, text.split_at(end + 1).1);
        }
        end += 1;
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_read_as_it_was_written() {
        const SITES: &[NodeKind] = &[NodeKind::Sleep, NodeKind::Value("now")];
        let nodes = nodes::<6>("^1s2b2s1o0e0", SITES, "if late");
        let edges = edges::<6>("1.5-2+3.'4.'4.", "yes\nno | maybe");
        let kinds: Vec<NodeKind> = nodes.iter().map(|node| node.kind).collect();
        let returns = [NodeKind::Return(Returned::Ok), NodeKind::Return(Returned::Err)];
        assert_eq!(kinds[..4], [NodeKind::Start, SITES[0], NodeKind::Branch("if late"), SITES[1]]);
        assert_eq!(kinds[4..], returns);
        let leaving: Vec<(u16, u16)> = nodes.iter().map(|node| (node.first, node.edges)).collect();
        assert_eq!(leaving, [(0, 1), (1, 2), (3, 2), (5, 1), (6, 0), (6, 0)]);
        let edge = |to, on, label| Edge { to, on, label };
        let expected = [
            edge(1, On::Any, ""),
            edge(5, On::Refused, ""),
            edge(2, On::Done, ""),
            edge(3, On::Any, "yes"),
            edge(4, On::Any, "no | maybe"),
            edge(4, On::Any, ""),
        ];
        assert_eq!(edges, expected);
    }

    #[test]
    fn numbers_have_more_than_one_digit() {
        assert_eq!(edges::<2>("12.255-", "")[1].to, 255);
        assert_eq!(nodes::<2>("b12o0", &[], "match")[0].edges, 12);
    }
}
