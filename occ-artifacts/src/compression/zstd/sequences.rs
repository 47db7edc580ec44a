//! Sequences: so many literals, then a copy of something earlier (RFC 8878, 3.1.1.3.2).

use super::bits::Backward;
use super::fse::{Counts, Table};

/// A table for one of the three numbers of a sequence.
pub(super) struct Numbers {
    table: Table,
    is_known: bool,
}

/// The tables of the three numbers, and the last three offsets.
pub(super) struct Sequences {
    literals: Numbers,
    offsets: Numbers,
    matches: Numbers,
    recent: [usize; 3],
}

impl Sequences {
    pub(super) fn new() -> Self {
        let numbers = || Numbers { table: Table::new(), is_known: false };
        Sequences { literals: numbers(), offsets: numbers(), matches: numbers(), recent: [1, 4, 8] }
    }

    /// Forgets the frame before.
    pub(super) fn reset(&mut self) {
        for numbers in [&mut self.literals, &mut self.offsets, &mut self.matches] {
            numbers.is_known = false;
        }
        self.recent = [1, 4, 8];
    }

    /// Carries out the sequences from `at` to the end of `data`. `content` is filled up to `filled`; returns up to where
    /// it is then. There are 16 bytes more in `literals` than its `length`.
    pub(super) fn run(
        &mut self,
        data: &[u8],
        at: usize,
        (literals, length): (&[u8], usize),
        content: &mut [u8],
        filled: usize,
    ) -> Option<usize> {
        let (count, at) = count(data, at)?;
        let mut literal = 0;
        let mut filled = filled;
        if count == 0 {
            (at == data.len()).then_some(())?;
        } else {
            let mut bits = self.tables(data, at)?;
            let [literals_table, offsets_table, matches_table] =
                [&self.literals.table, &self.offsets.table, &self.matches.table];
            let mut literals_state = literals_table.begin(&mut bits);
            let mut offset_state = offsets_table.begin(&mut bits);
            let mut match_state = matches_table.begin(&mut bits);
            let mut recent = self.recent;
            for index in 1..=count {
                bits.refill();
                let offset = offset_state.base + bits.read(offset_state.extra.into());
                let matched = (match_state.base + bits.read(match_state.extra.into())) as usize;
                bits.refill();
                let copied = (literals_state.base + bits.read(literals_state.extra.into())) as usize;
                if index < count {
                    literals_state = literals_table.next(literals_state, &mut bits);
                    match_state = matches_table.next(match_state, &mut bits);
                    offset_state = offsets_table.next(offset_state, &mut bits);
                }
                let offset = distance(offset, copied == 0, &mut recent)?;
                if copied > length - literal {
                    return None;
                }
                filled = copy_literals(content, filled, literals, literal, copied)?;
                literal += copied;
                filled = copy_match(content, filled, offset, matched)?;
            }
            self.recent = recent;
            bits.is_finished().then_some(())?;
        }
        copy_literals(content, filled, literals, literal, length - literal)
    }

    /// Reads which tables are to be used; the bit stream follows them.
    fn tables<'d>(&mut self, data: &'d [u8], at: usize) -> Option<Backward<'d>> {
        let modes = *data.get(at)?;
        if modes & 3 != 0 {
            return None;
        }
        let at = self.literals.read(modes >> 6, data, at + 1, 9, &LITERALS_COUNTS, literals_value)?;
        let at = self.offsets.read(modes >> 4 & 3, data, at, 8, &OFFSETS_COUNTS, offset_value)?;
        let at = self.matches.read(modes >> 2 & 3, data, at, 9, &MATCHES_COUNTS, match_value)?;
        Backward::new(data, at)
    }
}

/// How many sequences there are, and where that ends.
fn count(data: &[u8], at: usize) -> Option<(usize, usize)> {
    let byte = |index| data.get(at + index).map(|&byte| usize::from(byte));
    Some(match byte(0)? {
        few @ 0..128 => (few, at + 1),
        255 => (byte(1)? + (byte(2)? << 8) + 0x7f00, at + 3),
        high => (((high - 128) << 8) + byte(1)?, at + 2),
    })
}

impl Numbers {
    /// Makes the table ready, and returns where its description ends.
    fn read<const SYMBOLS: usize>(
        &mut self,
        mode: u8,
        data: &[u8],
        at: usize,
        most: u32,
        usual: &Counts<SYMBOLS>,
        value: impl Fn(u8) -> (u32, u8),
    ) -> Option<usize> {
        let size = match mode {
            0 => {
                self.table.fill(usual, value)?;
                0
            }
            1 => {
                let symbol = *data.get(at)?;
                if usize::from(symbol) >= SYMBOLS {
                    return None;
                }
                self.table.fill_single(value(symbol));
                1
            }
            2 => {
                let (counts, size) = Counts::<SYMBOLS>::read(data.get(at..)?, most)?;
                self.table.fill(&counts, value)?;
                size
            }
            _ if self.is_known => 0,
            _ => return None,
        };
        self.is_known = true;
        Some(at + size)
    }
}

/// How far back an offset reaches. The numbers 1 to 3 stand for recent ones.
#[inline(always)]
fn distance(offset: u32, no_literals: bool, recent: &mut [usize; 3]) -> Option<usize> {
    let [first, second, third] = *recent;
    if offset > 3 {
        let distance = offset as usize - 3;
        *recent = [distance, first, second];
        return Some(distance);
    }
    match offset + u32::from(no_literals) {
        1 => {}
        2 => *recent = [second, first, third],
        3 => *recent = [third, first, second],
        _ => *recent = [first.checked_sub(1)?, first, second],
    }
    Some(recent[0])
}

#[inline(always)]
fn copy_literals(content: &mut [u8], filled: usize, literals: &[u8], from: usize, count: usize) -> Option<usize> {
    let end = filled + count;
    // Most are few: 16 at once, what is too much is overwritten.
    if count <= 16
        && let Some(from) = literals.get(from..).and_then(|rest| rest.first_chunk::<16>())
        && let Some(to) = content.get_mut(filled..).and_then(|rest| rest.first_chunk_mut::<16>())
    {
        *to = *from;
    } else {
        content.get_mut(filled..end)?.copy_from_slice(literals.get(from..from + count)?);
    }
    Some(end)
}

#[inline(always)]
fn copy_match(content: &mut [u8], filled: usize, distance: usize, count: usize) -> Option<usize> {
    let end = filled + count;
    let from = filled.checked_sub(distance)?;
    if distance >= 16 && count <= 64 && end + 16 <= content.len() {
        copy_steps::<16>(content, from, filled, end)?;
    } else if end > content.len() || distance == 0 {
        return None;
    } else if distance >= count {
        content.copy_within(from..from + count, filled);
    } else if distance >= 8 && count <= 64 && end + 8 <= content.len() {
        copy_steps::<8>(content, from, filled, end)?;
    } else {
        // What was copied can be copied again: each step is twice as long as the last.
        let mut at = filled;
        while at < end {
            let step = (at - from).min(end - at);
            content.copy_within(from..from + step, at);
            at += step;
        }
    }
    Some(end)
}

/// Copies at least up to `end`, in steps that are not longer than the distance.
#[inline(always)]
fn copy_steps<const STEP: usize>(content: &mut [u8], mut from: usize, mut to: usize, end: usize) -> Option<()> {
    while to < end {
        let step: [u8; STEP] = *content.get(from..)?.first_chunk()?;
        *content.get_mut(to..)?.first_chunk_mut()? = step;
        from += STEP;
        to += STEP;
    }
    Some(())
}

fn offset_value(code: u8) -> (u32, u8) {
    (1_u32.wrapping_shl(code.into()), code)
}

fn literals_value(code: u8) -> (u32, u8) {
    const BASES: [u32; 20] =
        [16, 18, 20, 22, 24, 28, 32, 40, 48, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536];
    const EXTRA: [u8; 20] = [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
    value(code, 16, 0, &BASES, &EXTRA)
}

fn match_value(code: u8) -> (u32, u8) {
    const BASES: [u32; 21] =
        [35, 37, 39, 41, 43, 47, 51, 59, 67, 83, 99, 131, 259, 515, 1027, 2051, 4099, 8195, 16387, 32771, 65539];
    const EXTRA: [u8; 21] = [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
    value(code, 32, 3, &BASES, &EXTRA)
}

/// Codes up to `plain` are numbers from `least` on, those above have their own least number and extra bits.
fn value(code: u8, plain: u8, least: u32, bases: &[u32], extra: &[u8]) -> (u32, u8) {
    match code.checked_sub(plain).map(usize::from) {
        None => (u32::from(code) + least, 0),
        // Codes above the last are never asked for.
        Some(index) => bases.get(index).copied().zip(extra.get(index).copied()).unwrap_or_default(),
    }
}

const LITERALS_COUNTS: Counts<36> = Counts::new(
    6,
    [4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1],
);

const OFFSETS_COUNTS: Counts<32> = Counts::new(
    5,
    [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, 0, 0, 0],
);

const MATCHES_COUNTS: Counts<53> = Counts::new(
    6,
    [
        1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
    ],
);
