//! What a test tells the double, and what the double tells a test.

use crate::UNRECORDED;
use crate::devices::DeviceModel;
use crate::kernels::{KernelModel, Launch};
use crate::recorded::{Question, Recorded};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// The double. All its methods can be called while other threads call the driver's functions.
pub struct StandIn {
    state: Mutex<State>,
    launches_do_nothing: AtomicBool,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) devices: Vec<DeviceModel>,
    /// Kernels by module and name; modules that nobody named are "".
    pub(crate) kernels: HashMap<(String, String), KernelModel>,
    pub(crate) functions: Vec<Option<Function>>,
    /// Places of functions that were unloaded: the last is the next to be taken.
    pub(crate) free: Vec<usize>,
    pub(crate) modules: HashMap<usize, Module>,
    pub(crate) next: usize,
    pub(crate) allocations: HashMap<usize, Box<[u64]>>,
    pub(crate) calls: BTreeMap<&'static str, u64>,
    pub(crate) failures: HashMap<&'static str, i32>,
    pub(crate) delays: HashMap<&'static str, Duration>,
    pub(crate) forgotten: HashSet<String>,
    pub(crate) launches: Vec<Launch>,
    pub(crate) raised: Vec<i32>,
    /// An occupancy to answer whatever is asked.
    pub(crate) lie: Option<i32>,
    pub(crate) unrecorded: Vec<String>,
}

pub(crate) struct Module {
    pub(crate) name: String,
    pub(crate) device: usize,
    pub(crate) functions: HashMap<String, usize>,
}

#[derive(Clone)]
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) device: usize,
    pub(crate) model: KernelModel,
    pub(crate) max_dynamic_smem: i32,
    pub(crate) carveout: i32,
    pub(crate) non_portable: i32,
}

/// The double of this process, with a Tesla T4 until it is told something else, or whatever the environment variable
/// `CUDA_STAND_IN` names, and with the kernels in `CUDA_STAND_IN_KERNELS`, such as `add=24,tile=32:4096`: name, registers,
/// static shared memory.
pub fn stand_in() -> &'static StandIn {
    static STAND_IN: OnceLock<StandIn> = OnceLock::new();
    STAND_IN.get_or_init(|| {
        let stand_in = StandIn { state: Mutex::default(), launches_do_nothing: AtomicBool::new(false) };
        stand_in.reset();
        stand_in
    })
}

/// The double inside of the shared library, for a test that loads it and is built with the same types.
#[unsafe(no_mangle)]
pub fn cuda_stand_in() -> &'static StandIn {
    stand_in()
}

impl StandIn {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets everything it was told and has counted, loaded functions included.
    pub fn reset(&self) {
        let device = std::env::var("CUDA_STAND_IN").ok().map(|name| {
            DeviceModel::named(&name).unwrap_or_else(|| panic!("the stand-in has no device `{name}`: see its README"))
        });
        let kernels = KernelModel::parse(&std::env::var("CUDA_STAND_IN_KERNELS").unwrap_or_default());
        let kernels = kernels.into_iter().map(|(name, model)| ((String::new(), name), model)).collect();
        let devices = vec![device.unwrap_or_else(DeviceModel::tesla_t4)];
        *self.lock() = State { devices, kernels, ..State::default() };
        self.launches_do_nothing.store(false, Ordering::Relaxed);
    }

    /// The devices it has, in the order of their ordinals.
    pub fn devices(&self, devices: impl IntoIterator<Item = DeviceModel>) {
        self.lock().devices = devices.into_iter().collect();
    }

    /// What a kernel is in modules that are loaded from now on. A module has a name if its image is the text
    /// `stand-in NAME`; any other is `""`.
    pub fn kernel(&self, module: &str, name: &str, model: KernelModel) {
        self.lock().kernels.insert((module.to_owned(), name.to_owned()), model);
    }

    /// Has a driver function return this code; 0 for what it returns otherwise.
    pub fn fail(&self, call: &'static str, code: i32) {
        self.lock().failures.insert(call, code);
    }

    /// Has a driver function take its time.
    pub fn delay(&self, call: &'static str, delay: Duration) {
        self.lock().delays.insert(call, delay);
    }

    /// Has `cuGetProcAddress` not find a function, as a driver that is older than it.
    pub fn forget(&self, call: &str) {
        self.lock().forgotten.insert(call.to_owned());
    }

    /// Answers every question about occupancy with this number.
    pub fn lie(&self, blocks_per_sm: Option<i32>) {
        self.lock().lie = blocks_per_sm;
    }

    /// Whether `cuLaunchKernel` returns at once, without a lock and without counting: for measuring what is around it.
    pub fn launches_do_nothing(&self, nothing: bool) {
        self.launches_do_nothing.store(nothing, Ordering::Relaxed);
    }

    pub(crate) fn does_nothing(&self) -> bool {
        self.launches_do_nothing.load(Ordering::Relaxed)
    }

    /// How often a driver function was called.
    pub fn calls(&self, call: &str) -> u64 {
        self.lock().calls.get(call).copied().unwrap_or(0)
    }

    /// How often any of the driver's functions was called.
    pub fn all_calls(&self) -> u64 {
        self.lock().calls.values().sum()
    }

    /// Starts counting anew.
    pub fn count_anew(&self) {
        let mut state = self.lock();
        state.calls.clear();
        state.launches.clear();
        state.raised.clear();
    }

    /// The launches that were made.
    pub fn launches(&self) -> Vec<Launch> {
        self.lock().launches.clone()
    }

    /// Every value that a function's limit on dynamic shared memory was set to, in order.
    pub fn raised(&self) -> Vec<i32> {
        self.lock().raised.clone()
    }

    /// Questions whose answers nobody recorded.
    pub fn unrecorded(&self) -> Vec<String> {
        self.lock().unrecorded.clone()
    }
}

impl State {
    pub(crate) fn handle(&mut self) -> usize {
        self.next += 1;
        self.next
    }

    /// What a kernel is, if the module has it.
    pub(crate) fn model(&self, module: &str, device: usize, name: &str) -> Option<KernelModel> {
        let known = |module: &str| self.kernels.get(&(module.to_owned(), name.to_owned())).cloned();
        let built_in = || (name == "saxpy").then(|| KernelModel::saxpy(self.devices[device].capability()));
        known(module).or_else(|| known("")).or_else(built_in)
    }

    /// Blocks per SM: as it was told, or as NVIDIA's header answered.
    pub(crate) fn blocks_per_sm(&mut self, function: usize, threads: i32, dynamic_smem: usize) -> Result<i32, i32> {
        if let Some(lie) = self.lie {
            return Ok(lie);
        }
        let Some(Some(function)) = self.functions.get(function) else {
            return Err(400);
        };
        let (Ok(threads @ 1..), Ok(dynamic_smem)) = (u32::try_from(threads), u32::try_from(dynamic_smem)) else {
            return Err(1);
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
        match Recorded::of(capability).and_then(|recorded| recorded.answer(&asked)) {
            Some(blocks) => Ok(blocks.cast_signed()),
            None => {
                self.unrecorded.push(format!("{}: {asked:?} on {capability:?}", function.name));
                Err(UNRECORDED)
            }
        }
    }
}
