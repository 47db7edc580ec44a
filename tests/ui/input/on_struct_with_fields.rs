use occ_runtime::launch_config;

#[launch_config(arch = "sm_80", block = 256)]
struct Named {
    n: u32,
}

#[launch_config(arch = "sm_80", block = 256)]
struct Tuple(u32);

#[launch_config(arch = "sm_80", block = 256)]
struct Generic<T>(T);

fn main() {
    let _kept = Named { n: 1 }.n + Tuple(2).0 + Generic(1).0;
}
