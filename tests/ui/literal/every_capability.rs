// One failing launch for every compute capability; each limited by registers.
use occ_runtime::launch_config;

// kepler

#[launch_config(arch = "sm_35", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_35() {}

#[launch_config(arch = "sm_37", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_37() {}

// maxwell

#[launch_config(arch = "sm_50", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_50() {}

#[launch_config(arch = "sm_52", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_52() {}

#[launch_config(arch = "sm_53", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_53() {}

// pascal

#[launch_config(arch = "sm_60", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_60() {}

#[launch_config(arch = "sm_61", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_61() {}

#[launch_config(arch = "sm_62", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_62() {}

// volta_turing

#[launch_config(arch = "sm_70", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_70() {}

#[launch_config(arch = "sm_72", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_72() {}

#[launch_config(arch = "sm_75", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_75() {}

// ampere_ada

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_80() {}

#[launch_config(arch = "sm_86", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_86() {}

#[launch_config(arch = "sm_87", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_87() {}

#[launch_config(arch = "sm_88", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_88() {}

#[launch_config(arch = "sm_89", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_89() {}

// hopper

#[launch_config(arch = "sm_90", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_90() {}

// blackwell

#[launch_config(arch = "sm_100", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_100() {}

#[launch_config(arch = "sm_103", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_103() {}

#[launch_config(arch = "sm_107", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_107() {}

#[launch_config(arch = "sm_110", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_110() {}

#[launch_config(arch = "sm_120", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_120() {}

#[launch_config(arch = "sm_121", min_occupancy = 0.5, block = 256, registers = 128)]
fn on_sm_121() {}

fn main() {
    on_sm_35();
    on_sm_37();
    on_sm_50();
    on_sm_52();
    on_sm_53();
    on_sm_60();
    on_sm_61();
    on_sm_62();
    on_sm_70();
    on_sm_72();
    on_sm_75();
    on_sm_80();
    on_sm_86();
    on_sm_87();
    on_sm_88();
    on_sm_89();
    on_sm_90();
    on_sm_100();
    on_sm_103();
    on_sm_107();
    on_sm_110();
    on_sm_120();
    on_sm_121();
}
