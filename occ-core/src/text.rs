//! Text made by `const fn`: so that a build error and a run-time message say the same words.

use core::fmt;

/// A text of bounded length that can be written in a constant.
///
/// What does not fit is cut, and the text then ends in `...`.
///
/// ```
/// use occ_core::internal::Text;
///
/// const TEXT: Text<64> = {
///     let mut text = Text::new();
///     text.str("block ").num(256);
///     text
/// };
/// assert_eq!(TEXT.as_str(), "block 256");
/// ```
#[derive(Clone, Copy)]
pub struct Text<const CAPACITY: usize = 4096> {
    bytes: [u8; CAPACITY],
    length: usize,
}

const CUT: &[u8] = b"...";

impl<const CAPACITY: usize> Text<CAPACITY> {
    /// Most bytes of a text.
    pub const CAPACITY: usize = CAPACITY;

    /// Creates an empty text.
    pub const fn new() -> Self {
        Text { bytes: [0; CAPACITY], length: 0 }
    }

    /// Returns the text as a string.
    pub const fn as_str(&self) -> &str {
        let (written, _) = self.bytes.split_at(self.length);
        match core::str::from_utf8(written) {
            Ok(text) => text,
            Err(_) => "",
        }
    }

    /// Returns whether the text is empty.
    pub const fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Appends a text.
    pub const fn str(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    /// Appends whole characters of UTF-8.
    pub(crate) const fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        let mut at = 0;
        while at < bytes.len() {
            if self.length >= CAPACITY - CUT.len() {
                return self.cut();
            }
            self.bytes[self.length] = bytes[at];
            self.length += 1;
            at += 1;
        }
        self
    }

    /// Ends the text at a whole character and marks the cut.
    const fn cut(&mut self) -> &mut Self {
        if self.length == CAPACITY {
            return self;
        }
        // A continuation byte of UTF-8 is 10xxxxxx; the byte after the kept part may be any.
        while self.length > 0 && self.bytes[self.length - 1] >= 0x80 {
            self.length -= 1;
        }
        while self.length < CAPACITY {
            self.bytes[self.length] = b'.';
            self.length += 1;
        }
        self
    }

    /// Appends a whole number.
    pub const fn num(&mut self, value: u64) -> &mut Self {
        let mut digits = [0; 20];
        let mut at = digits.len();
        let mut rest = value;
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        let (_, digits) = digits.split_at(at);
        match core::str::from_utf8(digits) {
            Ok(digits) => self.str(digits),
            Err(_) => self,
        }
    }

    /// Appends a number ≥ 0 with up to `decimals` decimals (at most 9), rounded down, without trailing zeros.
    pub const fn decimal(&mut self, value: f64, decimals: u32) -> &mut Self {
        let mut scale = 1u64;
        let mut at = 0;
        while at < decimals && at < 9 {
            scale *= 10;
            at += 1;
        }
        // A fraction such as 0.29 lies below its decimal digits; half a millionth of the last one brings it back.
        let scaled = (value * scale as f64 + 0.000_000_5) as u64;
        self.num(scaled / scale);
        let mut fraction = scaled % scale;
        if fraction == 0 {
            return self;
        }
        self.str(".");
        while fraction > 0 {
            scale /= 10;
            self.num(fraction / scale);
            fraction %= scale;
        }
        self
    }

    /// Appends a fraction of 1 as a percentage, rounded to `decimals` decimals at most.
    pub const fn percent(&mut self, fraction: f64, decimals: u32) -> &mut Self {
        let mut half_of_last = 0.5;
        let mut at = 0;
        while at < decimals && at < 9 {
            half_of_last /= 10.0;
            at += 1;
        }
        self.decimal(fraction * 100.0 + half_of_last, decimals).str("%")
    }

    /// Appends the axes of a block, a cluster or a grid, as the attribute takes them: `256`, `(16, 16)`, `(8, 8, 4)`.
    pub const fn axes(&mut self, axes: [u32; 3]) -> &mut Self {
        let [x, y, z] = axes;
        if y == 1 && z == 1 {
            return self.num(x as u64);
        }
        self.str("(").num(x as u64).str(", ").num(y as u64);
        if z != 1 {
            self.str(", ").num(z as u64);
        }
        self.str(")")
    }
}

impl<const CAPACITY: usize> Default for Text<CAPACITY> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const CAPACITY: usize> fmt::Display for Text<CAPACITY> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl<const CAPACITY: usize> fmt::Debug for Text<CAPACITY> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

/// Returns whether two strings are equal: `==` is not `const`.
pub(crate) const fn same_text(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        let mut text = Text::<4096>::new();
        text.num(0).str(" ").num(u64::MAX).str(" ").decimal(12.5, 1).str(" ").decimal(0.29, 2).str(" ");
        text.decimal(66.666_666, 1).str(" ").decimal(3.05, 2).str(" ").percent(0.5, 1).str(" ").percent(2.0 / 3.0, 3);
        assert_eq!(text.as_str(), "0 18446744073709551615 12.5 0.29 66.6 3.05 50% 66.667%");
    }

    #[test]
    fn too_long_a_text_is_cut_at_a_character() {
        let mut text = Text::<4096>::new();
        for _ in 0..2000 {
            text.str("a×");
        }
        assert!(text.as_str().len() <= 4096);
        assert!(text.as_str().ends_with("a...") || text.as_str().ends_with("a...."), "{text}");
        text.str("more");
        assert!(!text.as_str().contains("more"));
    }
}
