use occ_runtime::launch_config;

macro_rules! launch {
    ($($tokens:tt)*) => {
        ()
    };
}

#[launch_config(arch = "sm_80", block = 64, registers = 40, spec = SPEC)]
fn more() {
    launch!(module.k<<<1, 64, SPEC.shape().dynamic_smem + 200_000, stream>>>());
}

fn main() {
    more();
    let _ = SPEC;
}
