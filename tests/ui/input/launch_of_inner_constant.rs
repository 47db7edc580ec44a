use occ_runtime::launch_config;

macro_rules! launch {
    ($($tokens:tt)*) => {
        ()
    };
}

const BLOCK: u32 = 256;

#[launch_config(arch = "sm_80")]
fn inner() {
    {
        const BLOCK: u32 = 2048;
        launch!(module.k<<<1, BLOCK, 0, stream>>>());
    }
}

fn main() {
    inner();
    assert_eq!(BLOCK, 256);
}
