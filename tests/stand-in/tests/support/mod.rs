//! The shared library, for tests of cudarc.

use cuda_stand_in::StandIn;
use std::path::Path;
use std::sync::OnceLock;

/// The double inside of the shared library. Once it is loaded, whoever looks for `libcuda.so` finds it.
pub(crate) fn loaded() -> &'static StandIn {
    static STAND_IN: OnceLock<&StandIn> = OnceLock::new();
    STAND_IN.get_or_init(|| {
        let deps = std::env::current_exe().unwrap().parent().unwrap().to_owned();
        let places = [deps.join("libcuda_stand_in.so"), deps.parent().unwrap().join("libcuda_stand_in.so")];
        let place = places.iter().find(|place| Path::exists(place)).expect("cargo builds the shared library");
        // SAFETY: the library is built from the same types, by the same compiler.
        unsafe {
            let library = libloading::Library::new(place).unwrap();
            let get: fn() -> &'static StandIn = *library.get(b"cuda_stand_in").unwrap();
            std::mem::forget(library);
            get()
        }
    })
}
