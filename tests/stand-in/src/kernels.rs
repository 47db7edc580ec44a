//! The kernels of modules, and the effect of their launches.

use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

/// A kernel as it is loaded: what `cuFuncGetAttribute` answers, and more.
#[derive(Clone, Debug)]
pub struct KernelModel {
    /// Registers per thread.
    pub registers: u32,
    /// Static shared memory per block, in bytes.
    pub static_smem: u32,
    /// Local memory per thread, in bytes.
    pub local: u32,
    /// Most threads of a block.
    pub max_threads: u32,
    /// Capability that its binary is for, as 10 × major + minor; 0 for the device's.
    pub binary: u32,
    /// Cluster that it was compiled for.
    pub required_cluster: Option<[u32; 3]>,
    /// Blocks per SM by threads and dynamic shared memory, where they come from elsewhere than NVIDIA's header.
    pub answers: Vec<([u32; 2], u32)>,
    /// Overridden attributes, by their numbers in `cuda.h`; `None` for an attribute that the driver does not know.
    pub attributes: Vec<(i32, Option<i32>)>,
    /// Effect of a launch.
    pub emulation: Option<Emulation>,
}

/// A kernel on the host.
#[derive(Clone)]
pub struct Emulation(Arc<HostKernel>);

type HostKernel = dyn Fn(&Launch, &Arguments) + Send + Sync;

impl Emulation {
    /// Makes a launch call `kernel` once for the whole grid, before it returns.
    pub fn new(kernel: impl Fn(&Launch, &Arguments) + Send + Sync + 'static) -> Self {
        Emulation(Arc::new(kernel))
    }

    pub(crate) fn run(&self, launch: &Launch, arguments: &Arguments) {
        (self.0)(launch, arguments);
    }
}

impl fmt::Debug for Emulation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Emulation")
    }
}

/// The arguments of a launch: `cuLaunchKernel`'s array of their addresses.
pub struct Arguments(*mut *mut c_void);

impl Arguments {
    pub(crate) fn of(arguments: *mut *mut c_void) -> Self {
        Arguments(arguments)
    }

    /// Returns the argument at an index.
    ///
    /// # Safety
    ///
    /// There are more arguments than that, and this one is a `T`.
    pub unsafe fn get<T: Copy>(&self, place: usize) -> T {
        // SAFETY: the caller's.
        unsafe { (*self.0.add(place)).cast::<T>().read_unaligned() }
    }
}

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
    /// Dynamic shared memory per block, in bytes.
    pub dynamic_smem: u32,
    /// The function's limit on it at that time.
    pub max_dynamic_smem: i32,
}

impl Launch {
    /// A launch as a program asks for it.
    pub(crate) fn asked(grid: [u32; 3], block: [u32; 3], dynamic_smem: u32) -> Self {
        Launch { kernel: String::new(), grid, block, cluster: None, dynamic_smem, max_dynamic_smem: 0 }
    }
}

impl KernelModel {
    /// Creates a kernel with this number of registers per thread.
    pub fn new(registers: u32) -> Self {
        KernelModel {
            registers,
            static_smem: 0,
            local: 0,
            max_threads: 1024,
            binary: 0,
            required_cluster: None,
            answers: Vec::new(),
            attributes: Vec::new(),
            emulation: None,
        }
    }

    /// Returns the kernel of `examples/saxpy` as `ptxas` compiled it for a capability: its logs are in `kernels/prebuilt`.
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
        KernelModel { max_threads: 256, answers, emulation: Some(Emulation::new(saxpy)), ..Self::new(registers) }
    }

    /// Parses kernels from a text such as `add=24,tile=32:4096`: name, registers, and static shared memory in bytes. Their launches
    /// do nothing, but with a `+` in front of the name they count threads as the probes of `gpu-check` do, and take what
    /// those take.
    pub(crate) fn parse(text: &str) -> Vec<(String, Self)> {
        let one = |text: &str| {
            let (name, numbers) = text.split_once('=')?;
            let counts = name.starts_with('+');
            let (registers, static_smem) = numbers.split_once(':').unwrap_or((numbers, "0"));
            let model = KernelModel {
                static_smem: static_smem.parse().ok()?,
                emulation: counts.then(|| Emulation::new(count)),
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
fn count(launch: &Launch, arguments: &Arguments) {
    // SAFETY: the kernel takes (unsigned *out, unsigned n).
    unsafe {
        let (out, n) = (arguments.get::<*mut u32>(0), arguments.get::<u32>(1));
        let threads = launch.grid.into_iter().chain(launch.block).map(u64::from).product::<u64>();
        for at in 0..u64::from(n).min(threads) as usize {
            *out.add(at) += 1;
        }
    }
}

/// y = a x + y: `examples/saxpy/kernels/saxpy.cu` on the host.
fn saxpy(_: &Launch, arguments: &Arguments) {
    // SAFETY: the kernel takes (unsigned n, float a, const float *x, float *y).
    unsafe {
        let (n, a) = (arguments.get::<u32>(0) as usize, arguments.get::<f32>(1));
        let (x, y) = (arguments.get::<*const f32>(2), arguments.get::<*mut f32>(3));
        for at in 0..n {
            *y.add(at) += a * *x.add(at);
        }
    }
}
