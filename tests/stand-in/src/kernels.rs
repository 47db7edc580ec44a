//! The kernels that modules have, and what a launch of one does.

use std::ffi::c_void;

/// A kernel as it is loaded: what `cuFuncGetAttribute` answers, and more.
#[derive(Clone, Debug)]
pub struct KernelModel {
    /// Registers per thread.
    pub registers: u32,
    /// Static shared memory in bytes.
    pub static_smem: u32,
    /// Local memory per thread in bytes.
    pub local: u32,
    /// Most threads of a block.
    pub max_threads: u32,
    /// The capability its binary is for, as 10 × major + minor; 0: that of the device.
    pub binary: u32,
    /// The cluster it was compiled for.
    pub required_cluster: Option<[u32; 3]>,
    /// Blocks per SM by threads and dynamic shared memory, where they come from elsewhere than NVIDIA's header.
    pub answers: Vec<([u32; 2], u32)>,
    /// What a launch does.
    pub emulation: Option<Emulation>,
}

/// A kernel on the host: the launch, and its arguments.
///
/// # Safety
///
/// The arguments are those that the kernel takes.
pub type Emulation = unsafe fn(&Launch, *mut *mut c_void);

/// A launch that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launch {
    /// The kernel.
    pub kernel: String,
    /// Blocks of the grid.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Blocks of a cluster, where one was passed.
    pub cluster: Option<[u32; 3]>,
    /// Dynamic shared memory in bytes.
    pub dynamic_smem: u32,
    /// The function's limit on it at that time.
    pub max_dynamic_smem: i32,
}

impl KernelModel {
    /// A kernel of so many registers.
    pub fn new(registers: u32) -> Self {
        KernelModel {
            registers,
            static_smem: 0,
            local: 0,
            max_threads: 1024,
            binary: 0,
            required_cluster: None,
            answers: Vec::new(),
            emulation: None,
        }
    }

    /// The kernel of `examples/saxpy` as `ptxas` compiled it for a capability: its logs are in `kernels/prebuilt`.
    pub(crate) fn saxpy(capability: [u32; 2]) -> Self {
        let registers = match capability {
            [9, 0] => 20,
            [10, _] => 24,
            _ => 22,
        };
        // The header's answer for 24 registers, to which an SM rounds these up (`tests/data/golden`).
        let blocks = match capability {
            [7, 5] => 4,
            [8, 0] | [9 | 10, 0] => 8,
            _ => 6,
        };
        let answers = vec![([256, 0], blocks)];
        KernelModel { max_threads: 256, answers, emulation: Some(saxpy), ..Self::new(registers) }
    }

    /// Kernels in a text such as `add=24,tile=32:4096`: name, registers, and static shared memory in bytes. Their launches
    /// do nothing, but with a `+` in front of the name they count threads as the probes of `gpu-check` do, and take what
    /// those take.
    pub(crate) fn parse(text: &str) -> Vec<(String, Self)> {
        let one = |text: &str| {
            let (name, numbers) = text.split_once('=')?;
            let counts = name.starts_with('+');
            let (registers, static_smem) = numbers.split_once(':').unwrap_or((numbers, "0"));
            let model = KernelModel {
                static_smem: static_smem.parse().ok()?,
                emulation: counts.then_some(count as Emulation),
                ..Self::new(registers.parse().ok()?)
            };
            Some((name.trim_start_matches('+').to_owned(), model))
        };
        text.split(',').filter_map(one).collect()
    }

    /// The kernel of a published measurement on a Tesla T4 (driver 595.84, CUDA 12.6): blocks of 256 threads, with a
    /// reservation of dynamic shared memory that is never read.
    pub fn t4_ladder() -> Self {
        let answers = [(0, 4), (21_760, 3), (32_768, 2), (49_152, 1)];
        let answers = answers.into_iter().map(|(smem, blocks)| ([256, smem], blocks)).collect();
        KernelModel { answers, ..Self::new(32) }
    }
}

/// `gpu-check/kernels/probes.cu` on the host.
unsafe fn count(launch: &Launch, arguments: *mut *mut c_void) {
    // SAFETY: the kernel takes (unsigned *out, unsigned n).
    unsafe {
        let out = *(*arguments).cast::<*mut u32>();
        let n = *(*arguments.add(1)).cast::<u32>();
        let threads = launch.grid.into_iter().chain(launch.block).map(u64::from).product::<u64>();
        for at in 0..u64::from(n).min(threads) as usize {
            *out.add(at) += 1;
        }
    }
}

/// y = a x + y: `examples/saxpy/kernels/saxpy.cu` on the host.
unsafe fn saxpy(_: &Launch, arguments: *mut *mut c_void) {
    // SAFETY: the kernel takes (unsigned n, float a, const float *x, float *y).
    unsafe {
        let n = *(*arguments).cast::<u32>() as usize;
        let a = *(*arguments.add(1)).cast::<f32>();
        let x = std::slice::from_raw_parts(*(*arguments.add(2)).cast::<*const f32>(), n);
        let y = std::slice::from_raw_parts_mut(*(*arguments.add(3)).cast::<*mut f32>(), n);
        for (y, x) in y.iter_mut().zip(x) {
            *y += a * x;
        }
    }
}
