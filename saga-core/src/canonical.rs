//! JSON with its object keys in order, for comparing values whose maps were written in another order.
//!
//! Decides equality of journaled values. Numbers keep their digits: nothing passes through a float.

/// Deeper nesting is compared as plain bytes.
const DEEPEST: usize = 128;

/// The same JSON with sorted keys and no white space, or `None` if the text is not JSON (then only bytes compare).
pub(crate) fn canonical(text: &[u8]) -> Option<Vec<u8>> {
    let mut reader = Reader { text, at: 0 };
    let mut out = Vec::with_capacity(text.len());
    reader.value(&mut out, 0)?;
    reader.space();
    (reader.at == text.len()).then_some(out)
}

struct Reader<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn space(&mut self) {
        while self.text.get(self.at).is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn take(&mut self, wanted: u8) -> Option<()> {
        self.space();
        (self.text.get(self.at) == Some(&wanted)).then(|| self.at += 1)
    }

    fn value(&mut self, out: &mut Vec<u8>, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        self.space();
        match self.text.get(self.at)? {
            b'{' => self.object(out, depth),
            b'[' => self.array(out, depth),
            b'"' => {
                out.extend_from_slice(self.string()?);
                Some(())
            }
            _ => {
                let start = self.at;
                while self.text.get(self.at).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte)) {
                    self.at += 1;
                }
                out.extend_from_slice(&self.text[start..self.at]);
                (self.at > start).then_some(())
            }
        }
    }

    fn string(&mut self) -> Option<&'a [u8]> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.text.get(self.at)? {
                b'\\' => self.at += 2,
                b'"' => {
                    self.at += 1;
                    return self.text.get(start..self.at);
                }
                _ => self.at += 1,
            }
        }
    }

    fn array(&mut self, out: &mut Vec<u8>, depth: usize) -> Option<()> {
        self.take(b'[')?;
        out.push(b'[');
        if self.take(b']').is_none() {
            loop {
                self.value(out, depth + 1)?;
                if self.take(b',').is_some() {
                    out.push(b',');
                } else {
                    self.take(b']')?;
                    break;
                }
            }
        }
        out.push(b']');
        Some(())
    }

    fn object(&mut self, out: &mut Vec<u8>, depth: usize) -> Option<()> {
        self.take(b'{')?;
        let mut members: Vec<(&'a [u8], Vec<u8>)> = Vec::new();
        if self.take(b'}').is_none() {
            loop {
                self.space();
                if self.text.get(self.at) != Some(&b'"') {
                    return None;
                }
                let key = self.string()?;
                self.take(b':')?;
                let mut value = Vec::new();
                self.value(&mut value, depth + 1)?;
                members.push((key, value));
                if self.take(b',').is_none() {
                    self.take(b'}')?;
                    break;
                }
            }
        }
        members.sort();
        out.push(b'{');
        for (index, (key, value)) in members.into_iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(key);
            out.push(b':');
            out.extend(value);
        }
        out.push(b'}');
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::canonical;

    fn same(left: &str, right: &str) -> bool {
        canonical(left.as_bytes()).is_some() && canonical(left.as_bytes()) == canonical(right.as_bytes())
    }

    #[test]
    fn key_order_and_space_do_not_matter_but_digits_do() {
        assert!(same(r#"{"a":1,"b":[true,{"d":"x","c":null}]}"#, r#" { "b" : [true, {"c":null,"d":"x"}], "a":1 }"#));
        assert!(!same("10", "10.0"));
        assert!(!same("18446744073709551615", "18446744073709551614"));
        assert!(!same(r#"["a","b"]"#, r#"["b","a"]"#));
    }

    #[test]
    fn what_is_not_json_has_no_canonical_form_and_ends() {
        for text in ["", "{", "[1,", "\"open", "\"\\", "{1:2}", "[1] 2", "{\"a\"}", "]"] {
            assert_eq!(canonical(text.as_bytes()), None, "{text}");
        }
        assert_eq!(canonical("[".repeat(100_000).as_bytes()), None);
    }
}
