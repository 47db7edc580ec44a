use occ_runtime::launch_config;

macro_rules! launch {
    ($($tokens:tt)*) => {
        ()
    };
}

mod big {
    pub const BLOCK: u32 = 2048;
}

const BLOCK: u32 = 256;

#[launch_config(arch = "sm_80")]
fn imported() {
    {
        use big::BLOCK;
        launch!(module.k<<<1, BLOCK, 0, stream>>>());
        let _ = BLOCK;
    }
}

#[launch_config(arch = "sm_80")]
fn parameter() {
    fn inner<const BLOCK: u32>() {
        launch!(module.k<<<1, BLOCK, 0, stream>>>());
    }
    inner::<2048>()
}

fn main() {
    imported();
    parameter();
    assert_eq!(BLOCK, 256);
}
