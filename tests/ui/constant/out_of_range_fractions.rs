use occ_runtime::launch_config;

const PERCENT: f64 = 50.0;

#[launch_config(arch = "sm_80", block = 256, registers = 168, min_lane_efficiency = PERCENT)]
fn lanes() {}

#[launch_config(gpu = "A100", block = 256, registers = 32, grid = 1000, max_tail_idle = f64::NAN)]
fn tail() {}

fn main() {
    lanes();
    tail();
}
