//! The double's state: what a test scripts, and what it can read.

use crate::UNRECORDED;
use crate::codes::{INVALID_CLUSTER_SIZE, INVALID_HANDLE, INVALID_VALUE};
use crate::devices::DeviceModel;
use crate::exports::Call;
use crate::kernels::{KernelModel, Launch};
use crate::memory::Allocation;
use crate::modules::{Function, Module};
use crate::readings::reading;
use crate::recorded::{Question, Recorded};
use crate::scripts::Scripts;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::c_int;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// The double. All its methods can be called while other threads call the driver's functions.
pub struct StandIn {
    scripts: Scripts,
    state: Mutex<State>,
    launches_do_nothing: AtomicBool,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) devices: Vec<DeviceModel>,
    /// Kernels by module and name; modules that nobody named are "".
    pub(crate) kernels: HashMap<(String, String), KernelModel>,
    pub(crate) functions: Vec<Option<Function>>,
    /// Indices of unloaded functions; the last is reused first.
    pub(crate) free: Vec<usize>,
    pub(crate) modules: HashMap<usize, Module>,
    pub(crate) next: usize,
    /// Allocations by address.
    pub(crate) allocations: BTreeMap<usize, Allocation>,
    /// Limits that a program set, by number.
    pub(crate) limits: HashMap<c_int, usize>,
    pub(crate) forgotten: HashSet<String>,
    pub(crate) launches: Vec<Launch>,
    pub(crate) raised: Vec<i32>,
    /// The answer to every question about occupancy, if a test set one.
    pub(crate) lie: Option<i32>,
    pub(crate) unrecorded: Vec<String>,
}

/// Returns the double of this process. Until a test scripts it, it has the device that `CUDA_STAND_IN` names (a Tesla T4
/// by default) and the kernels in `CUDA_STAND_IN_KERNELS`, such as `add=24,tile=32:4096`: name, registers, static shared
/// memory.
pub fn stand_in() -> &'static StandIn {
    static STAND_IN: OnceLock<StandIn> = OnceLock::new();
    STAND_IN.get_or_init(|| {
        let (scripts, state) = (Scripts::new(), Mutex::default());
        let stand_in = StandIn { scripts, state, launches_do_nothing: AtomicBool::new(false) };
        stand_in.reset();
        stand_in
    })
}

/// Returns the double in the shared library, for a test that loads it and is built with the same types.
#[unsafe(no_mangle)]
pub fn cuda_stand_in() -> &'static StandIn {
    stand_in()
}

impl StandIn {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    pub(crate) fn enter(&self, call: Call) -> c_int {
        self.scripts.enter(call)
    }

    /// Resets scripts, counts, loaded functions and memory.
    pub fn reset(&self) {
        let kernels = KernelModel::parse(&std::env::var("CUDA_STAND_IN_KERNELS").unwrap_or_default());
        let kernels = kernels.into_iter().map(|(name, model)| ((String::new(), name), model)).collect();
        *self.lock() = State { devices: first_devices(), kernels, ..State::default() };
        self.scripts.reset();
        self.launches_do_nothing.store(false, Ordering::Relaxed);
    }

    /// Sets the devices, in the order of their ordinals.
    pub fn devices(&self, devices: impl IntoIterator<Item = DeviceModel>) {
        self.lock().devices = devices.into_iter().collect();
    }

    /// Sets a kernel of modules that are loaded from now on. A module has a name if its image is the text `stand-in NAME`;
    /// otherwise its name is `""`.
    pub fn kernel(&self, module: &str, name: &str, model: KernelModel) {
        self.lock().kernels.insert((module.to_owned(), name.to_owned()), model);
    }

    /// Makes a driver function return this code; 0 restores its own result.
    ///
    /// # Panics
    ///
    /// If the double has no function of that name ([`crate::NAMES`]).
    pub fn fail(&self, call: &str, code: i32) {
        self.scripts.fail(call, code);
    }

    /// Delays a driver function.
    ///
    /// # Panics
    ///
    /// If there is no such function.
    pub fn delay(&self, call: &str, delay: Duration) {
        self.scripts.delay(call, delay);
    }

    /// Hides a function from `cuGetProcAddress`, as an older driver lacks it.
    pub fn forget(&self, call: &str) {
        self.lock().forgotten.insert(call.to_owned());
    }

    /// Answers every question about occupancy with this number.
    pub fn lie(&self, blocks_per_sm: Option<i32>) {
        self.lock().lie = blocks_per_sm;
    }

    /// Sets whether `cuLaunchKernel` returns at once, without a lock and without counting, for measurements.
    pub fn launches_do_nothing(&self, nothing: bool) {
        self.launches_do_nothing.store(nothing, Ordering::Relaxed);
    }

    pub(crate) fn does_nothing(&self) -> bool {
        self.launches_do_nothing.load(Ordering::Relaxed)
    }

    /// Returns how often a driver function was called.
    ///
    /// # Panics
    ///
    /// If there is no such function.
    pub fn calls(&self, call: &str) -> u64 {
        self.scripts.calls(call)
    }

    /// Returns how often all driver functions together were called.
    pub fn all_calls(&self) -> u64 {
        self.scripts.all_calls()
    }

    /// Resets all counts.
    pub fn count_anew(&self) {
        self.scripts.count_anew();
        let mut state = self.lock();
        state.launches.clear();
        state.raised.clear();
    }

    /// Returns the launches that were made.
    pub fn launches(&self) -> Vec<Launch> {
        self.lock().launches.clone()
    }

    /// Returns every value that a function's limit on dynamic shared memory was set to, in order.
    pub fn raised(&self) -> Vec<i32> {
        self.lock().raised.clone()
    }

    /// Returns the questions whose answers nobody recorded.
    pub fn unrecorded(&self) -> Vec<String> {
        self.lock().unrecorded.clone()
    }
}

impl State {
    pub(crate) fn handle(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    /// Returns a kernel of a module.
    pub(crate) fn model(&self, module: &str, device: usize, name: &str) -> Option<KernelModel> {
        let known = |module: &str| self.kernels.get(&(module.to_owned(), name.to_owned())).cloned();
        let built_in = || (name == "saxpy").then(|| KernelModel::saxpy(self.devices[device].capability()));
        known(module).or_else(|| known("")).or_else(built_in)
    }

    /// Returns a loaded function.
    pub(crate) fn function(&self, place: usize) -> Result<&Function, i32> {
        self.functions.get(place).and_then(Option::as_ref).ok_or(INVALID_HANDLE)
    }

    /// Returns blocks per SM: the scripted number, or the recorded one.
    pub(crate) fn blocks_per_sm(&mut self, place: usize, threads: i32, dynamic_smem: usize) -> Result<i32, i32> {
        match self.lie {
            Some(lie) => Ok(lie),
            None => self.true_blocks_per_sm(place, threads, dynamic_smem),
        }
    }

    /// Returns blocks per SM as the test set them for the kernel, NVIDIA's header answered, or a profiler printed.
    pub(crate) fn true_blocks_per_sm(&mut self, place: usize, threads: i32, dynamic_smem: usize) -> Result<i32, i32> {
        let function = self.function(place)?;
        let (Ok(threads @ 1..), Ok(dynamic_smem)) = (u32::try_from(threads), u32::try_from(dynamic_smem)) else {
            return Err(INVALID_VALUE);
        };
        let model = &function.model;
        // As a driver: nothing fits until the limit was raised, or above the function's own bound.
        if i64::from(dynamic_smem) > i64::from(function.max_dynamic_smem) || threads > model.max_threads {
            return Ok(0);
        }
        let told = model.answers.iter().find(|(asked, _)| *asked == [threads, dynamic_smem]);
        if let Some((_, blocks)) = told {
            return Ok(blocks.cast_signed());
        }
        let (registers, static_smem) = (model.registers, model.static_smem);
        let asked = Question { threads, registers, static_smem, dynamic_smem, is_opted_in: true };
        let capability = self.devices[function.device].capability();
        let header = Recorded::of(capability).and_then(|recorded| recorded.answer(&asked));
        match header.or_else(|| reading(capability, &asked)) {
            Some(blocks) => Ok(blocks.cast_signed()),
            None => Err(self.not_recorded(place, &format!("{asked:?}"))),
        }
    }

    /// Returns the blocks that fill the device and the threads of the block that fills an SM best: `[blocks, threads]`. The
    /// header was only asked without a bound.
    pub(crate) fn best_block(&mut self, place: usize, dynamic_smem: usize, is_plain: bool) -> Result<[i32; 2], i32> {
        let function = self.function(place)?;
        let device = &self.devices[function.device];
        let model = &function.model;
        let dynamic_smem = u32::try_from(dynamic_smem).map_err(|_| INVALID_VALUE)?;
        let smem = model.static_smem.checked_add(dynamic_smem).ok_or(INVALID_VALUE)?;
        let is_plain = is_plain && model.max_threads >= 1024 && model.answers.is_empty();
        let best = Recorded::of(device.capability()).filter(|_| is_plain);
        match best.and_then(|recorded| recorded.best_block(model.registers, smem)) {
            Some([threads, blocks]) => {
                let blocks = blocks.cast_signed().saturating_mul(device.attribute(16));
                Ok([blocks, threads.cast_signed()])
            }
            None => Err(self.not_recorded(place, &format!("best block with {dynamic_smem} bytes"))),
        }
    }

    /// Returns the clusters that the device holds, or 912 for those that cannot be launched.
    pub(crate) fn active_clusters(&mut self, place: usize, cluster: [u32; 3]) -> Result<i32, i32> {
        let function = self.function(place)?;
        let device = &self.devices[function.device];
        let blocks = cluster.into_iter().fold(1, u32::saturating_mul);
        if device.attribute(120) == 0 || !function.may_have_clusters_of(blocks) {
            return Err(INVALID_CLUSTER_SIZE);
        }
        match device.active_clusters.get(&blocks) {
            Some(clusters) => Ok(clusters.cast_signed()),
            None => Err(self.not_recorded(place, &format!("clusters of {cluster:?}"))),
        }
    }

    /// Lists a question whose answer nobody recorded.
    fn not_recorded(&mut self, place: usize, question: &str) -> i32 {
        let asked = self.function(place).map_or_else(
            |_| question.to_owned(),
            |function| {
                let device = &self.devices[function.device];
                format!("{} on {} {:?}: {question}", function.name, device.name, device.capability())
            },
        );
        self.unrecorded.push(asked);
        UNRECORDED
    }
}

/// Returns the device that the environment names. With an unknown name there is none, and the driver does not initialize.
fn first_devices() -> Vec<DeviceModel> {
    let Ok(name) = std::env::var("CUDA_STAND_IN") else {
        return vec![DeviceModel::tesla_t4()];
    };
    let device = DeviceModel::named(&name);
    if device.is_none() {
        eprintln!("error: the stand-in for CUDA has no device `{name}`, but {:?}", DeviceModel::NAMES);
    }
    device.into_iter().collect()
}
