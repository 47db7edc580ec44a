//! Compiler logs, `cuobjdump -res-usage` text and PTX, told apart by content.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = occ_artifacts::read(data);
});
