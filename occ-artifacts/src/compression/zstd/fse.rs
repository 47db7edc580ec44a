//! Finite state entropy: tables of states, built from how often each symbol occurs (RFC 8878, 4.1).

use super::bits::{Backward, Forward};

/// The largest table of sequences has 2^9 states.
const MOST_STATES: usize = 512;

/// How often each symbol occurs in a table of 2^`log` states; -1 is less than once.
pub(super) struct Counts<const SYMBOLS: usize> {
    log: u32,
    counts: [i16; SYMBOLS],
}

impl<const SYMBOLS: usize> Counts<SYMBOLS> {
    /// Counts that are known beforehand.
    pub(super) const fn new(log: u32, counts: [i16; SYMBOLS]) -> Self {
        Counts { log, counts }
    }

    /// Counts as they are described at the beginning of `data`, for at most 2^`most` states, and how long that is.
    pub(super) fn read(data: &[u8], most: u32) -> Option<(Self, usize)> {
        let mut bits = Forward::new(data);
        let log = bits.peek(4) + 5;
        bits.skip(4);
        if log > most {
            return None;
        }
        let mut counts = [0; SYMBOLS];
        let mut symbol = 0;
        let mut left = 1_u32 << log;
        while left > 0 {
            // Values up to `left` + 1: the lowest of them take a bit less.
            let width = (left + 1).ilog2() + 1;
            let (half, short) = (1 << (width - 1), (1 << width) - 1 - (left + 1));
            let value = bits.peek(width);
            let (value, width) = match value & (half - 1) {
                low if low < short => (low, width - 1),
                _ if value >= half => (value - short, width),
                _ => (value, width),
            };
            bits.skip(width);
            let count = value as i16 - 1;
            *counts.get_mut(symbol)? = count;
            symbol += 1;
            left = left.checked_sub(count.unsigned_abs().into())?;
            if count == 0 {
                symbol += zeros(&mut bits, SYMBOLS)?;
            }
        }
        Some((Counts { log, counts }, bits.bytes()?))
    }
}

/// How many further symbols do not occur.
fn zeros(bits: &mut Forward<'_>, most: usize) -> Option<usize> {
    let mut zeros = 0;
    loop {
        let more = bits.peek(2);
        bits.skip(2);
        zeros += more as usize;
        match more {
            3 if zeros <= most => {}
            3 => return None,
            _ => return Some(zeros),
        }
    }
}

/// What a state stands for, and which states can follow it.
#[derive(Clone, Copy, Default)]
pub(super) struct State {
    /// The least value.
    pub(super) base: u32,
    /// How many bits of the stream are added to it.
    pub(super) extra: u8,
    /// How many bits of the stream choose the next state, from `next` on.
    width: u8,
    next: u16,
}

/// A table of states.
pub(super) struct Table {
    log: u32,
    states: [State; MOST_STATES],
}

impl Table {
    pub(super) fn new() -> Self {
        Table { log: 0, states: [State::default(); MOST_STATES] }
    }

    /// A single state, for a symbol that is all there is.
    pub(super) fn fill_single(&mut self, (base, extra): (u32, u8)) {
        self.log = 0;
        self.states[0] = State { base, extra, width: 0, next: 0 };
    }

    /// The states for these counts; `value` gives what a symbol stands for.
    pub(super) fn fill<const SYMBOLS: usize>(
        &mut self,
        Counts { log, counts }: &Counts<SYMBOLS>,
        value: impl Fn(u8) -> (u32, u8),
    ) -> Option<()> {
        let size = 1_usize << log;
        let states = self.states.get_mut(..size)?;
        self.log = *log;
        // Until a state's followers are known, `next` holds its symbol.
        let mut rare = size;
        for (symbol, _) in counts.iter().enumerate().filter(|(_, count)| **count == -1) {
            rare = rare.checked_sub(1)?;
            states.get_mut(rare)?.next = symbol as u16;
        }
        let step = (size >> 1) + (size >> 3) + 3;
        let mut at = 0;
        for (symbol, &count) in counts.iter().enumerate() {
            for _ in 0..count.max(0) {
                states.get_mut(at)?.next = symbol as u16;
                at = (at + step) & (size - 1);
                while at >= rare && rare > 0 {
                    at = (at + step) & (size - 1);
                }
            }
        }
        let mut used = counts.map(i16::unsigned_abs);
        for state in states {
            let symbol = state.next;
            let used = used.get_mut(usize::from(symbol))?;
            let width = log - u32::from(*used).checked_ilog2()?;
            let next = (u32::from(*used) << width) - size as u32;
            let (base, extra) = value(symbol as u8);
            *state = State { base, extra, width: width as u8, next: next as u16 };
            *used += 1;
        }
        Some(())
    }

    /// The first state.
    pub(super) fn begin(&self, bits: &mut Backward<'_>) -> State {
        self.at(bits.read(self.log))
    }

    /// The state after `state`.
    #[inline(always)]
    pub(super) fn next(&self, state: State, bits: &mut Backward<'_>) -> State {
        self.at(u32::from(state.next) + bits.read(state.width.into()))
    }

    #[inline(always)]
    fn at(&self, state: u32) -> State {
        self.states[state as usize % MOST_STATES]
    }
}
