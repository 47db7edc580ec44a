#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use occ_runtime::launch_config;

macro_rules! with_block {
    ($name:ident $body:block) => {
        #[launch_config(arch = "sm_80", block = 256, registers = 40)]
        fn $name() -> u32 $body
    };
}

macro_rules! with_item {
    ($item:item) => {
        #[launch_config(arch = "sm_80", block = 256, registers = 40)]
        $item
    };
}

with_block!(one { 1 });
with_item!(
    fn two() -> u32 {
        2
    }
);

fn main() {
    assert_eq!(one() + two(), 3);
}
