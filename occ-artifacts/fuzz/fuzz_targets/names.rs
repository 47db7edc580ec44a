//! Mangled names, and what may be meant by them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use occ_artifacts::{Format, KernelImage, Origin};

fuzz_target!(|data: (&str, &str)| {
    let (mangled, wanted) = data;
    let images = [KernelImage::new(mangled, Origin::whole(Format::Cubin))];
    let _ = images[0].demangled();
    let _ = occ_artifacts::find(&images, wanted);
});
