//! Bit streams of zstd: headers of tables are read forwards, everything else backwards.

/// Reads bits from the first byte on, the lowest bit of a byte first. Beyond the end there are zeros.
pub(super) struct Forward<'a> {
    data: &'a [u8],
    bit: usize,
}

impl<'a> Forward<'a> {
    pub(super) fn new(data: &'a [u8]) -> Self {
        Forward { data, bit: 0 }
    }

    /// The next `count` bits, at most 16, which stay where they are.
    pub(super) fn peek(&self, count: u32) -> u32 {
        let byte = |index: usize| self.data.get(self.bit / 8 + index).map_or(0, |&byte| u32::from(byte));
        let bits = byte(0) | byte(1) << 8 | byte(2) << 16;
        (bits >> (self.bit % 8)) & ((1 << count) - 1)
    }

    pub(super) fn skip(&mut self, count: u32) {
        self.bit += count as usize;
    }

    /// Bytes that were read in part or in full; `None` if there were not as many.
    pub(super) fn bytes(&self) -> Option<usize> {
        let bytes = self.bit.div_ceil(8);
        (bytes <= self.data.len()).then_some(bytes)
    }
}

/// Reads bits from the last byte on, the highest bit of a byte first, below the bit that marks the end.
///
/// Reading beyond the beginning gives bits without meaning and is noticed afterwards.
pub(super) struct Backward<'a> {
    /// All that comes before the end of the stream, and at least 8 bytes that come before the stream.
    data: &'a [u8],
    /// Where the stream begins.
    start: usize,
    /// Where the 8 bytes in `window` begin.
    at: usize,
    window: u64,
    /// Bits of the window that were read.
    used: u32,
}

impl<'a> Backward<'a> {
    /// A stream from `start` to the end of `data`, with something of at least 8 bytes before it.
    pub(super) fn new(data: &'a [u8], start: usize) -> Option<Self> {
        let last = *data.get(start..)?.last()?;
        let at = data.len().checked_sub(8)?;
        if last == 0 || start < 8 {
            return None;
        }
        let window = window(data, at)?;
        Some(Backward { data, start, at, window, used: last.leading_zeros() + 1 })
    }

    /// Makes at least 57 bits readable, as long as the stream has them.
    #[inline(always)]
    pub(super) fn refill(&mut self) {
        let at = self.at.saturating_sub((self.used / 8) as usize);
        // 8 bytes before the beginning there is nothing left to read.
        if at + 8 < self.start {
            return;
        }
        if let Some(window) = window(self.data, at) {
            self.at = at;
            self.window = window;
            self.used %= 8;
        }
    }

    /// The next `count` bits, at most 31, which stay where they are.
    #[inline(always)]
    pub(super) fn peek(&self, count: u32) -> u32 {
        // In two steps: no bits at all are 0.
        (((self.window << (self.used & 63)) >> 1) >> (63 - (count & 63))) as u32
    }

    #[inline(always)]
    pub(super) fn skip(&mut self, count: u32) {
        self.used += count;
    }

    #[inline(always)]
    pub(super) fn read(&mut self, count: u32) -> u32 {
        let bits = self.peek(count);
        self.skip(count);
        bits
    }

    /// Whether exactly what there is was read.
    pub(super) fn is_finished(&self) -> bool {
        self.at * 8 + 64 == self.start * 8 + self.used as usize
    }

    /// Whether more was read than there is.
    pub(super) fn is_overrun(&self) -> bool {
        self.at * 8 + 64 < self.start * 8 + self.used as usize
    }
}

#[inline(always)]
fn window(data: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*data.get(at..)?.first_chunk()?))
}
