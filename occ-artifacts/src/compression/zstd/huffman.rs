//! The Huffman code of literals (RFC 8878, 4.2).

use super::bits::Backward;
use super::fse;

/// Codes are at most this long.
const MOST_BITS: u32 = 11;
const MOST_SYMBOLS: usize = 256;
/// How many codes a refilled stream has for certain.
const CODES: usize = 57 / MOST_BITS as usize;

/// A code: the next bits of a stream are an index, and lead to the symbol whose code they begin with.
pub(super) struct Code {
    bits: u32,
    /// The symbol and the length of its code.
    table: [(u8, u8); 1 << MOST_BITS],
}

impl Code {
    pub(super) fn new() -> Self {
        Code { bits: 0, table: [(0, 0); 1 << MOST_BITS] }
    }

    /// Reads the description of a code that begins at `at`, and returns where it ends.
    pub(super) fn read(&mut self, data: &[u8], at: usize) -> Option<usize> {
        let mut weights = [0; MOST_SYMBOLS];
        let header = usize::from(*data.get(at)?);
        let begin = at + 1;
        let (count, end) = if header < 128 {
            let end = begin + header;
            (packed_weights(data.get(..end)?, begin, &mut weights)?, end)
        } else {
            let count = header - 127;
            let end = begin + count.div_ceil(2);
            let nibbles = data.get(begin..end)?.iter().flat_map(|byte| [byte >> 4, byte & 15]);
            weights.iter_mut().take(count).zip(nibbles).for_each(|(weight, nibble)| *weight = nibble);
            (count, end)
        };
        self.fill(&mut weights, count)?;
        Some(end)
    }

    /// The code in which a symbol of weight w > 0 has 2^(w - 1) places. The last symbol takes the places that are left.
    fn fill(&mut self, weights: &mut [u8; MOST_SYMBOLS], count: usize) -> Option<()> {
        let places = |weight: u8| if weight == 0 { 0 } else { 1_usize.checked_shl(u32::from(weight) - 1).unwrap_or(0) };
        let taken: usize = weights.iter().map(|&weight| places(weight)).sum();
        let bits = taken.checked_ilog2()? + 1;
        let left = (1 << bits) - taken;
        if bits > MOST_BITS || !left.is_power_of_two() {
            return None;
        }
        *weights.get_mut(count)? = left.ilog2() as u8 + 1;
        self.bits = bits;
        let mut begin = 0;
        for weight in 1..=bits as u8 {
            let length = bits as u8 + 1 - weight;
            for (symbol, _) in weights.iter().enumerate().filter(|(_, other)| **other == weight) {
                let end = begin + places(weight);
                self.table.get_mut(begin..end)?.fill((symbol as u8, length));
                begin = end;
            }
        }
        (begin == 1 << bits).then_some(())
    }

    /// Decodes one stream, from `start` to the end of `data`.
    pub(super) fn decode(&self, data: &[u8], start: usize, literals: &mut [u8]) -> Option<()> {
        let mut stream = Backward::new(data, start)?;
        self.decode_rest(&mut stream, literals)
    }

    /// Decodes four streams at once, each from its start to its end.
    pub(super) fn decode_four(&self, data: &[u8], streams: [(usize, usize); 4], literals: &mut [u8]) -> Option<()> {
        let quarter = literals.len().div_ceil(4);
        let (first, rest) = literals.split_at_mut_checked(quarter)?;
        let (second, rest) = rest.split_at_mut_checked(quarter)?;
        let (third, fourth) = rest.split_at_mut_checked(quarter)?;
        let stream = |(start, end): (usize, usize)| Backward::new(data.get(..end)?, start);
        let [one, two, three, four] = streams.map(stream);
        let mut streams = [one?, two?, three?, four?];
        let mut done = 0;
        // The last stream is the shortest.
        for (((first, second), third), fourth) in (first.chunks_exact_mut(CODES).zip(second.chunks_exact_mut(CODES)))
            .zip(third.chunks_exact_mut(CODES))
            .zip(fourth.chunks_exact_mut(CODES))
        {
            streams.iter_mut().for_each(Backward::refill);
            for (((first, second), third), fourth) in first.iter_mut().zip(second).zip(third).zip(fourth) {
                let [one, two, three, four] = &mut streams;
                *first = self.symbol(one);
                *second = self.symbol(two);
                *third = self.symbol(three);
                *fourth = self.symbol(four);
            }
            done += CODES;
        }
        for (mut stream, literals) in streams.into_iter().zip([first, second, third, fourth]) {
            self.decode_rest(&mut stream, literals.get_mut(done..)?)?;
        }
        Some(())
    }

    /// Decodes what is left of a stream, which must be all there is.
    fn decode_rest(&self, stream: &mut Backward<'_>, literals: &mut [u8]) -> Option<()> {
        for literals in literals.chunks_mut(CODES) {
            stream.refill();
            literals.fill_with(|| self.symbol(stream));
        }
        stream.is_finished().then_some(())
    }

    #[inline(always)]
    fn symbol(&self, stream: &mut Backward<'_>) -> u8 {
        let (symbol, length) = self.table[stream.peek(self.bits) as usize % (1 << MOST_BITS)];
        stream.skip(length.into());
        symbol
    }
}

/// Weights that two states of one table give in turn, from `at` to the end of `data`. Returns how many there are.
fn packed_weights(data: &[u8], at: usize, weights: &mut [u8; MOST_SYMBOLS]) -> Option<usize> {
    let (counts, size) = fse::Counts::<{ MOST_BITS as usize + 1 }>::read(data.get(at..)?, 6)?;
    let mut table = fse::Table::new();
    table.fill(&counts, |weight| (weight.into(), 0))?;
    let mut bits = Backward::new(data, at + size)?;
    let (mut state, mut other) = (table.begin(&mut bits), table.begin(&mut bits));
    // The last of all symbols has its weight not from here.
    let mut count = 0;
    let mut push = |state: fse::State| {
        *weights.get_mut(..MOST_SYMBOLS - 1)?.get_mut(count)? = state.base as u8;
        count += 1;
        Some(())
    };
    loop {
        push(state)?;
        bits.refill();
        let next = table.next(state, &mut bits);
        if bits.is_overrun() {
            push(other)?;
            return Some(count);
        }
        (state, other) = (other, next);
    }
}
