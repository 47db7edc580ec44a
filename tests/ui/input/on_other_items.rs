use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 256)]
const BLOCK: u32 = 256;

#[launch_config(arch = "sm_80", block = 256)]
static GRID: u32 = 256;

#[launch_config(arch = "sm_80", block = 256)]
type Block = u32;

#[launch_config(arch = "sm_80", block = 256)]
pub trait Step {}

#[launch_config(arch = "sm_80", block = 256)]
pub use std::vec;

#[launch_config(arch = "sm_80", block = 256)]
macro_rules! nothing {
    () => {};
}

nothing!();

fn main() {
    let _kept: Block = BLOCK + GRID;
}
