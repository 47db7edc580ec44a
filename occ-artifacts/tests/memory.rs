//! The memory that reading takes, measured at the allocator, against what its documentation promises.
#![cfg(feature = "containers")]
#![allow(unsafe_code, reason = "an allocator that counts")]

use occ_artifacts::{Error, Problem, read};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes allocated now, and the most there were.
static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counted;

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller upholds the contract of `GlobalAlloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller upholds the contract of `GlobalAlloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counted = Counted;

/// A fatbin of zstd entries: frame and declared size of each.
fn fatbin(entries: &[(Vec<u8>, u64)]) -> Vec<u8> {
    let mut list = Vec::new();
    for (frame, size) in entries {
        let stored = frame.len().next_multiple_of(8);
        let mut header = [0; 64];
        header[..8].copy_from_slice(&[2, 0, 1, 1, 64, 0, 0, 0]);
        header[8..16].copy_from_slice(&(stored as u64).to_le_bytes());
        header[16..20].copy_from_slice(&(frame.len() as u32).to_le_bytes());
        header[0x1c] = 80;
        header[0x29] = 0x80;
        header[0x38..0x40].copy_from_slice(&size.to_le_bytes());
        list.extend(header);
        list.extend(frame);
        list.resize(list.len() + stored - frame.len(), 0);
    }
    let mut bytes = vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0];
    bytes.extend((list.len() as u64).to_le_bytes());
    bytes.extend(list);
    bytes
}

/// The header of a frame without a size, with a window of `1 << log` bytes.
fn header(log: u8) -> Vec<u8> {
    vec![0x28, 0xb5, 0x2f, 0xfd, 0, (log - 10) << 3]
}

/// A frame of `count` blocks of 128 KiB of one byte each, which are also the content's size.
fn of_one_byte(log: u8, count: usize) -> (Vec<u8>, u64) {
    let mut frame = [header(log), [0x02, 0, 0x10, 0].repeat(count)].concat();
    let last = frame.len() - 4;
    frame[last] |= 1;
    (frame, (count << 17) as u64)
}

/// A frame whose every block claims 1 MiB of literals, eight times what a block may hold.
fn of_long_literals(log: u8, count: usize) -> (Vec<u8>, u64) {
    // A compressed block of 5 bytes: a header of literals of one byte, the byte, and no sequences.
    let block = [5 << 3 | 4, 0, 0, 0xfd, 0xff, 0xff, 0, 0];
    let mut frame = [header(log), block.repeat(count)].concat();
    let last = frame.len() - 8;
    frame[last] |= 1;
    (frame, count as u64 * 0xf_ffff)
}

/// A frame of one block of 98,047 sequences, more than a block may hold.
fn of_many_sequences(log: u8) -> (Vec<u8>, u64) {
    // 4 literals, the count, and every code once for all sequences: no literals, the second last offset, 3 bytes.
    let block = [&[13 << 3 | 5, 0, 0, 0x20], &b"abcd"[..], &[0xff, 0xff, 0xff, 0x54, 0, 0, 0, 1]].concat();
    ([header(log), block].concat(), 1 << 20)
}

/// Most bytes that reading a fatbin of these frames takes at once, and what was wrong.
fn taken(entries: &[(Vec<u8>, u64)]) -> (u64, Problem) {
    let bytes = fatbin(entries);
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let Err(Error { problem, .. }) = read(&bytes) else { panic!("no frame holds a cubin") };
    let taken = (PEAK.load(Ordering::Relaxed) - before) as u64;
    assert!(taken <= 4 * bytes.len() as u64 + (32 << 20), "{taken} bytes: {problem:?}");
    (taken, problem)
}

/// One test, since others would be counted with it.
#[test]
fn reading_stays_within_the_budget() {
    for log in 10..=23 {
        for frame in [of_one_byte(log.max(17), 24), of_long_literals(log, 3), of_many_sequences(log)] {
            let size = frame.1;
            let (taken, problem) = taken(&[frame]);
            // The decompressed content is not a cubin.
            assert!(!matches!(problem, Problem::TooLarge { .. }), "{problem:?}");
            let most = size + (3 << log.max(17)) + (4 << 20);
            assert!(taken <= most, "{taken} of {most} bytes, log {log}: {problem:?}");
        }
    }
    for log in [24, 30, 41] {
        let (taken, problem) = taken(&[of_one_byte(log, 24)]);
        assert!(matches!(problem, Problem::TooLarge { what: "the window of a zstd frame", .. }), "{problem:?}");
        assert!(taken < 4 << 20, "{taken} bytes");
    }
}
