#![deny(warnings, clippy::all, clippy::pedantic)]

use occ_runtime::launch_config;

const BLOCK: u32 = 256;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 256, registers = 64)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn above(x: *mut f32) {
    let _ = x;
}

#[unsafe(no_mangle)]
#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = BLOCK, registers = 64)]
pub unsafe extern "C" fn below(x: *mut f32) {
    let _ = x;
}

fn main() {
    let mut x = 1.0f32;
    // SAFETY: neither reads what it is given.
    unsafe {
        above(&raw mut x);
        below(&raw mut x);
    }
}
