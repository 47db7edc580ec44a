use occ_runtime::launch_config;

#[launch_config(
    arch = ["sm_80", "sm_81"],
    block = (0, "16"),
    registers = -1,
    min_occupancy = 75,
    dynamic_smem = 1 << 40,
    carveout = "most",
    barriers = 1.5,
    on_mismatch = "panic",
    allow = (nothing),
    spec = 1,
    crate = runtime,
    colour = "red"
)]
fn saxpy() {}

fn main() {
    saxpy();
}
