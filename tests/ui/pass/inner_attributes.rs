#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use occ_runtime::launch_config;

const BLOCK: u32 = 256;

#[launch_config(arch = "sm_80", block = BLOCK, registers = 40)]
fn literal() -> u32 {
    #![allow(unused_variables)]
    //! Said inside.
    let unused = 2;
    1
}

fn main() {
    assert_eq!(literal(), 1);
}
