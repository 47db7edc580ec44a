//! Host files and archives: the first byte chooses which kind the rest is read as.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((kind, rest)) = data.split_first() else {
        return;
    };
    let begin: &[u8] = match kind % 4 {
        0 => b"\x7fELF\x02\x01\x01",
        1 => b"MZ",
        2 => b"!<arch>\n",
        _ => b"\x64\x86",
    };
    let mut bytes = rest.to_vec();
    if bytes.len() < begin.len() {
        return;
    }
    bytes[..begin.len()].copy_from_slice(begin);
    let _ = occ_artifacts::read(&bytes);
});
