#![deny(warnings, clippy::all, clippy::pedantic)]
#![forbid(unsafe_code)]

use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 256, registers = 40, spec = LOOP)]
fn r#loop() {}

fn main() {
    r#loop();
    assert_eq!(LOOP.name(), "loop");
}
