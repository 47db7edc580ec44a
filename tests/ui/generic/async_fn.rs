use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", min_occupancy = 0.5, block = N, registers = 64)]
async fn reduce<const N: u32>() -> u32 {
    N
}

fn main() {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};
    let _ = pin!(reduce::<768>()).poll(&mut Context::from_waker(Waker::noop()));
}
