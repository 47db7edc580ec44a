//! Cubins: whatever follows the first bytes, it is read as one.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let mut bytes = data.to_vec();
    if bytes.len() < 64 {
        return;
    }
    bytes[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    bytes[18..20].copy_from_slice(&190u16.to_le_bytes());
    let _ = occ_artifacts::read(&bytes);
});
