//! Baseline files: what is read is written the same again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use occ_artifacts::Baseline;

fuzz_target!(|data: &str| {
    let Ok(baseline) = Baseline::parse(data) else {
        return;
    };
    let text = baseline.to_string();
    let again = Baseline::parse(&text).expect("what was written can be read");
    assert_eq!(again.to_string(), text);
});
