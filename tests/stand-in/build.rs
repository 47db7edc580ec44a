//! The shared library goes by the driver's name: who looks for `libcuda.so` finds it, once it is loaded.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so");
}
