//! Bytes as a source of choices. A byte more or less changes one choice, so that a fuzzer which keeps what reached new code
//! climbs; where the bytes end every choice is the first one, so that everything ends.

/// The bytes that are left.
#[derive(Debug, Clone)]
pub struct Bytes<'a>(&'a [u8]);

impl<'a> Bytes<'a> {
    /// All of them.
    pub fn new(data: &'a [u8]) -> Bytes<'a> {
        Bytes(data)
    }

    /// Whether none are left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next one, or 0.
    pub fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// A number below `bound`, which is 1 to 256.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::from(self.byte()) % bound.max(1)
    }

    /// Yes or no.
    pub fn flag(&mut self) -> bool {
        self.byte() & 1 == 1
    }

    /// One time in `times`, and never when the bytes have ended.
    pub fn rarely(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    /// One of these.
    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// Mostly a small number; at times one at which arithmetic ends; at times any.
    pub fn number(&mut self) -> u64 {
        match self.byte() {
            small @ 0..200 => u64::from(small % 10),
            200..240 => self.pick(&[1_000, 65_536, 1 << 31, 1 << 32, i64::MAX as u64, u64::MAX, u64::MAX - 1]),
            _ => (0..8).fold(0, |number, _| number << 8 | u64::from(self.byte())),
        }
    }

    /// Mostly a short word; at times one that needs an escape somewhere; at times any text.
    pub fn text(&mut self) -> String {
        const WORDS: [&str; 16] =
            ["", "a", "go", "kept", "look", "null", "0", "\"", "\\", "\n", "}}", "é🦀", "\0", "<b>", "\u{2028}", "a b"];
        match self.byte() {
            word @ 0..224 => WORDS[usize::from(word) % WORDS.len()].to_owned(),
            _ => {
                let length = self.below(24);
                String::from_utf8_lossy(self.take(length)).into_owned()
            }
        }
    }

    /// The next `length` bytes, or as many as there are.
    pub fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length.min(self.0.len()));
        self.0 = rest;
        taken
    }

    /// All that are left.
    pub fn rest(&mut self) -> &'a [u8] {
        self.take(usize::MAX)
    }
}
