//! Fatbins: plain, compressed and concatenated.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut bytes = data.to_vec();
    if bytes.len() < 16 {
        return;
    }
    bytes[..8].copy_from_slice(b"\x50\xed\x55\xba\x01\x00\x10\x00");
    let _ = occ_artifacts::read(&bytes);
});
