use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 256, cubin = "$OUT_DIR/saxpy.sm_80.cubin")]
fn saxpy() {}

fn main() {}
