use occ_runtime::launch_config;

#[launch_config(
    arch = ["sm_80", "sm_90"],
    block = 32,
    cubin = ["kernels/float.sm_80.log", "kernels/double.sm_90.log"],
)]
fn scale() {}

fn main() {}
