#![deny(warnings)]
#![forbid(unsafe_code)]
#![allow(non_upper_case_globals)]

// Names the expansion might use, taken by the user, in a crate without the prelude.
#![no_implicit_prelude]

extern crate occ_runtime;
extern crate std;

use ::occ_runtime::launch_config;

const block: u32 = 256;
const check: u32 = 32;
const launch: u32 = 64;
const kernel: u32 = 32;
const notes: u32 = 32;

mod core {}
#[allow(dead_code)]
struct Option;
#[allow(dead_code, non_camel_case_types)]
struct u32_;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = (launch, 2), registers = check, spec = one)]
fn first() {}

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = block, registers = kernel, dynamic_smem = notes)]
struct Second;

fn main() {
    first();
    let _ = Second;
    ::std::assert_eq!(one.shape().block, [64, 2, 1]);
}
