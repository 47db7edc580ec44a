// Every item is kept, and its error is at the value.
use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 256, barriers = 17)]
fn function() -> u32 {
    1
}

#[launch_config(arch = "sm_80", block = 256, barriers = 17)]
pub async fn asynchronous(x: &u32) -> u32 {
    *x
}

#[launch_config(arch = "sm_80", block = 256, barriers = 17)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kernel(x: *mut f32) {
    let _ = x;
}

struct Solver;

impl Solver {
    #[launch_config(arch = "sm_80", block = 256, barriers = 17)]
    fn method(&self) -> u32 {
        7
    }
}

trait Step {
    #[launch_config(arch = "sm_80", block = 256, barriers = 17)]
    fn provided(&self) {}
}

impl Step for u32 {}

#[launch_config(arch = "sm_80", block = 256, barriers = 17)]
struct Saxpy;

#[launch_config(arch = "sm_80", block = 256, barriers = 17, spec = NAMED)]
fn named() {}

fn main() {
    let _kept: u32 = function();
    drop(asynchronous(&1));
    let _kept: unsafe extern "C" fn(*mut f32) = kernel;
    let _kept: u32 = Solver.method();
    1u32.provided();
    let _kept = Saxpy;
    let _ = Saxpy::SPEC.name();
    named();
    let _ = NAMED.shape();
}
