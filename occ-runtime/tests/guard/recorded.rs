//! A driver that answers from what was recorded, in plain Rust: no CUDA, no stand-in for its library, nothing of the
//! model. Device attributes are rows of `tests/data`, blocks per SM are answers of NVIDIA's header or listed by a test.

use crate::golden::{Golden, Question};
use occ_runtime::driver::{ClusterLaunch, Device, DeviceAttribute, Driver, DriverError, Function, FunctionAttribute};
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

pub(crate) const CURRENT_DEVICE: &str = "cuCtxGetDevice";
pub(crate) const DEVICE_NAME: &str = "cuDeviceGetName";
pub(crate) const DEVICE_ATTRIBUTE: &str = "cuDeviceGetAttribute";
pub(crate) const FUNCTION_ATTRIBUTE: &str = "cuFuncGetAttribute";
pub(crate) const SET_ATTRIBUTE: &str = "cuFuncSetAttribute";
pub(crate) const BLOCKS: &str = "cuOccupancyMaxActiveBlocksPerMultiprocessor";
pub(crate) const CLUSTERS: &str = "cuOccupancyMaxActiveClusters";
/// Every call there is.
pub(crate) const CALLS: [&str; 7] =
    [CURRENT_DEVICE, DEVICE_NAME, DEVICE_ATTRIBUTE, FUNCTION_ATTRIBUTE, SET_ATTRIBUTE, BLOCKS, CLUSTERS];

/// A call, as a script sees it before it is answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) name: &'static str,
    /// The attribute's number in `cuda.h`, of calls that have one.
    pub(crate) attribute: Option<i32>,
}

/// What happens at a call: it may fail with a code, wait, panic, or do something else.
type Script = dyn Fn(Call) -> Result<(), i32> + Send + Sync;

/// A device: its name, and what the driver answers to the attributes it knows.
#[derive(Clone, Debug)]
pub(crate) struct DeviceDouble {
    pub(crate) name: String,
    pub(crate) attributes: BTreeMap<i32, i32>,
}

/// Blocks per SM of a function.
#[derive(Clone, Debug)]
pub(crate) enum Blocks {
    /// NVIDIA's header's, for the capability of the device.
    Header,
    /// These: threads, dynamic shared memory, blocks.
    Listed(Vec<[u32; 3]>),
    /// The same to every question.
    Always(u32),
}

/// A loaded function.
#[derive(Clone, Debug)]
pub(crate) struct FunctionDouble {
    pub(crate) attributes: BTreeMap<i32, i32>,
    /// Static shared memory of the kernel, which [`Blocks::Header`] goes by, whatever the attribute says.
    pub(crate) static_smem: u32,
    pub(crate) blocks: Blocks,
    /// Clusters the device holds, or the code of the failure.
    pub(crate) clusters: Result<u32, i32>,
}

impl FunctionDouble {
    /// A kernel with these registers, and a driver's defaults for the rest.
    pub(crate) fn new(registers: i32) -> Self {
        let attributes = [(0, 1024), (1, 0), (3, 0), (4, registers), (5, 85), (6, 80), (8, 49_152), (9, -1)];
        let clusters = [(10, 0), (11, 0), (12, 0), (13, 0), (14, 0)];
        FunctionDouble {
            attributes: attributes.into_iter().chain(clusters).collect(),
            static_smem: 0,
            blocks: Blocks::Header,
            clusters: Ok(1),
        }
    }

    pub(crate) fn static_smem(self, bytes: u32) -> Self {
        let number = bytes.cast_signed();
        FunctionDouble { static_smem: bytes, ..self.with(1, number).with(8, (49_152 - number).max(0)) }
    }

    /// With this answer to an attribute.
    pub(crate) fn with(mut self, attribute: i32, value: i32) -> Self {
        self.attributes.insert(attribute, value);
        self
    }

    /// Of a driver that does not know these attributes.
    pub(crate) fn without(mut self, attributes: &[i32]) -> Self {
        self.attributes.retain(|attribute, _| !attributes.contains(attribute));
        self
    }

    pub(crate) fn cluster(self, [x, y, z]: [i32; 3]) -> Self {
        self.with(10, 1).with(11, x).with(12, y).with(13, z)
    }

    pub(crate) fn always(self, blocks: u32) -> Self {
        FunctionDouble { blocks: Blocks::Always(blocks), ..self }
    }

    pub(crate) fn listed(self, blocks: &[[u32; 3]]) -> Self {
        FunctionDouble { blocks: Blocks::Listed(blocks.to_vec()), ..self }
    }

    pub(crate) fn clusters(self, clusters: Result<u32, i32>) -> Self {
        FunctionDouble { clusters, ..self }
    }
}

/// A row of a table with named columns.
pub(crate) struct DeviceRow<'a> {
    words: Vec<&'a str>,
}

const DEVICES: &str = include_str!("../../../tests/data/devices.csv");
const GPUS: &str = include_str!("../../../tests/data/gpus.csv");

impl DeviceRow<'_> {
    /// The row of a capability.
    pub(crate) fn of(capability: &str) -> DeviceRow<'static> {
        let words = |line: &'static str| line.split(',').collect::<Vec<_>>();
        let row = DEVICES.lines().map(words).find(|words| words[0] == capability);
        DeviceRow { words: row.unwrap_or_else(|| panic!("there is no capability {capability}")) }
    }

    fn text(&self, column: &str) -> &str {
        let at = DEVICES.lines().next().unwrap().split(',').position(|name| name == column).unwrap();
        self.words[at]
    }

    /// A number; 0 where the table has none.
    pub(crate) fn number(&self, column: &str) -> i32 {
        match self.text(column) {
            "" => 0,
            number => number.parse().unwrap(),
        }
    }
}

impl DeviceDouble {
    /// A product of `tests/data/gpus.csv`.
    pub(crate) fn named(name: &str) -> Self {
        let gpu: Vec<&str> =
            GPUS.lines().map(|line| line.split(',').collect()).find(|gpu: &Vec<_>| gpu[0] == name).unwrap();
        let (capability, sm_count) = (gpu[2], gpu[3].parse().unwrap());
        let (major, minor) = capability.split_once('.').unwrap();
        let row = DeviceRow::of(capability);
        let mut attributes = BTreeMap::from([
            (16, sm_count),
            (75, major.parse().unwrap()),
            (76, minor.parse().unwrap()),
            (120, i32::from(!row.text("cluster_max_portable").is_empty())),
        ]);
        for (attribute, column) in [
            (1, "max_threads_per_block"),
            (2, "max_block_x"),
            (3, "max_block_y"),
            (4, "max_block_z"),
            (5, "max_grid_x"),
            (6, "max_grid_yz"),
            (7, "max_grid_yz"),
            (8, "smem_per_block_default"),
            (10, "warp_size"),
            (12, "regs_per_block"),
            (39, "max_threads_per_sm"),
            (81, "smem_per_sm"),
            (82, "regs_per_sm"),
            (97, "smem_per_block_optin"),
            (106, "max_blocks_per_sm"),
            (111, "smem_reserved_per_block"),
        ] {
            attributes.insert(attribute, row.number(column));
        }
        DeviceDouble { name: name.to_owned(), attributes }
    }

    /// With this answer to an attribute.
    pub(crate) fn with(mut self, attribute: i32, value: i32) -> Self {
        self.attributes.insert(attribute, value);
        self
    }

    /// Of a driver that does not know these attributes.
    pub(crate) fn without(mut self, attributes: &[i32]) -> Self {
        self.attributes.retain(|attribute, _| !attributes.contains(attribute));
        self
    }
}

/// A set of an attribute that the driver was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Set {
    pub(crate) function: Function,
    pub(crate) attribute: i32,
    pub(crate) before: i32,
    pub(crate) value: i32,
    pub(crate) is_done: bool,
}

/// The driver.
pub(crate) struct Recorded {
    devices: Vec<DeviceDouble>,
    functions: RwLock<HashMap<(i32, Function), FunctionDouble>>,
    script: RwLock<Option<Arc<Script>>>,
    calls: [AtomicUsize; CALLS.len()],
    sets: Mutex<Vec<Set>>,
}

thread_local! {
    static CURRENT: Cell<i32> = const { Cell::new(0) };
}

/// Makes a device current on this thread.
pub(crate) fn switch_to(device: i32) {
    CURRENT.set(device);
}

/// The function at a handle.
#[allow(unsafe_code)]
pub(crate) fn handle(number: usize) -> Function {
    // SAFETY: the double never follows it.
    unsafe { Function::from_raw(std::ptr::without_provenance_mut::<u8>(number)) }
}

impl Recorded {
    /// A driver with these devices, of which the first is current on every thread.
    pub(crate) fn new(devices: impl Into<Vec<DeviceDouble>>) -> Self {
        Recorded {
            devices: devices.into(),
            functions: RwLock::default(),
            script: RwLock::default(),
            calls: [const { AtomicUsize::new(0) }; CALLS.len()],
            sets: Mutex::default(),
        }
    }

    /// Loads a function at a handle, in place of what was there.
    pub(crate) fn load(&self, device: i32, number: usize, function: FunctionDouble) -> Function {
        let handle = handle(number);
        self.functions.write().unwrap_or_else(PoisonError::into_inner).insert((device, handle), function);
        handle
    }

    /// Unloads a function.
    pub(crate) fn unload(&self, device: i32, handle: Function) {
        self.functions.write().unwrap_or_else(PoisonError::into_inner).remove(&(device, handle));
    }

    /// Has this happen at every call from now on.
    pub(crate) fn script(&self, script: impl Fn(Call) -> Result<(), i32> + Send + Sync + 'static) {
        *self.script.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(script));
    }

    /// Has each call of a name fail with a code.
    pub(crate) fn fail(&self, name: &'static str, code: i32) {
        self.script(move |call| if call.name == name { Err(code) } else { Ok(()) });
    }

    /// Has everything work again.
    pub(crate) fn recover(&self) {
        *self.script.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Calls of a name since [`Recorded::count_anew`].
    pub(crate) fn calls(&self, name: &str) -> usize {
        let at = CALLS.iter().position(|call| *call == name).unwrap();
        self.calls[at].load(Relaxed)
    }

    /// Functions of devices without clusters that were checked: that reads eight attributes and asks for the blocks once,
    /// a launch after it one and once.
    pub(crate) fn checks(&self) -> usize {
        (self.calls(FUNCTION_ATTRIBUTE) - self.calls(BLOCKS)) / 7
    }

    pub(crate) fn all_calls(&self) -> usize {
        self.calls.iter().map(|calls| calls.load(Relaxed)).sum()
    }

    pub(crate) fn count_anew(&self) {
        self.calls.iter().for_each(|calls| calls.store(0, Relaxed));
    }

    /// Every set it was asked for, in order.
    pub(crate) fn sets(&self) -> Vec<Set> {
        self.sets.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What an attribute of a function is now.
    pub(crate) fn attribute(&self, function: Function, attribute: i32) -> i32 {
        let functions = self.functions.read().unwrap_or_else(PoisonError::into_inner);
        functions[&(CURRENT.get(), function)].attributes[&attribute]
    }

    fn called(&self, name: &'static str, attribute: Option<i32>) -> Result<(), DriverError> {
        let at = CALLS.iter().position(|call| *call == name).unwrap();
        self.calls[at].fetch_add(1, Relaxed);
        let script = self.script.read().unwrap_or_else(PoisonError::into_inner).clone();
        match script {
            Some(script) => script(Call { name, attribute }).map_err(|code| DriverError { call: name, code }),
            None => Ok(()),
        }
    }

    fn device(&self, call: &'static str, device: Device) -> Result<&DeviceDouble, DriverError> {
        let found = usize::try_from(device.0).ok().and_then(|at| self.devices.get(at));
        found.ok_or(DriverError { call, code: 101 })
    }

    fn function<T>(
        &self,
        call: &'static str,
        function: Function,
        answer: impl FnOnce(&mut FunctionDouble) -> Result<T, i32>,
    ) -> Result<T, DriverError> {
        let mut functions = self.functions.write().unwrap_or_else(PoisonError::into_inner);
        let function = functions.get_mut(&(CURRENT.get(), function)).ok_or(DriverError { call, code: 400 })?;
        answer(function).map_err(|code| DriverError { call, code })
    }
}

impl Driver for Recorded {
    fn current_device(&self) -> Result<Device, DriverError> {
        self.called(CURRENT_DEVICE, None)?;
        Ok(Device(CURRENT.get()))
    }

    fn device_name(&self, device: Device) -> Result<String, DriverError> {
        self.called(DEVICE_NAME, None)?;
        Ok(self.device(DEVICE_NAME, device)?.name.clone())
    }

    fn device_attribute(&self, device: Device, attribute: DeviceAttribute) -> Result<i32, DriverError> {
        self.called(DEVICE_ATTRIBUTE, Some(attribute.number()))?;
        let answer = self.device(DEVICE_ATTRIBUTE, device)?.attributes.get(&attribute.number());
        answer.copied().ok_or(DriverError { call: DEVICE_ATTRIBUTE, code: 1 })
    }

    fn function_attribute(&self, function: Function, attribute: FunctionAttribute) -> Result<i32, DriverError> {
        self.called(FUNCTION_ATTRIBUTE, Some(attribute.number()))?;
        let answer = |double: &mut FunctionDouble| double.attributes.get(&attribute.number()).copied().ok_or(1);
        self.function(FUNCTION_ATTRIBUTE, function, answer)
    }

    /// Dynamic shared memory of more than the device's opt-in less the static one is refused, as a driver does.
    fn set_function_attribute(
        &self,
        function: Function,
        attribute: FunctionAttribute,
        value: i32,
    ) -> Result<(), DriverError> {
        let number = attribute.number();
        let most = self.devices[CURRENT.get() as usize].attributes.get(&97).copied().unwrap_or(49_152);
        let asked = self.called(SET_ATTRIBUTE, Some(number));
        self.function(SET_ATTRIBUTE, function, |double| {
            let before = *double.attributes.get(&number).ok_or(1)?;
            let is_allowed = number != 8 || (0..=most - double.static_smem.cast_signed()).contains(&value);
            let done = asked.map_err(|error| error.code).and(if is_allowed { Ok(()) } else { Err(1) });
            let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
            sets.push(Set { function, attribute: number, before, value, is_done: done.is_ok() });
            done?;
            double.attributes.insert(number, value);
            Ok(())
        })
    }

    fn max_active_blocks_per_sm(&self, function: Function, threads: u32, smem: u32) -> Result<u32, DriverError> {
        self.called(BLOCKS, None)?;
        let device = self.device(BLOCKS, Device(CURRENT.get()))?;
        let capability = [75, 76].map(|attribute| device.attributes[&attribute].cast_unsigned());
        self.function(BLOCKS, function, |double| Ok(double.blocks_per_sm(capability, threads, smem)))
    }

    fn max_active_clusters(&self, function: Function, _: &ClusterLaunch) -> Result<u32, DriverError> {
        self.called(CLUSTERS, None)?;
        self.function(CLUSTERS, function, |double| double.clusters)
    }
}

impl FunctionDouble {
    fn blocks_per_sm(&self, capability: [u32; 2], threads: u32, dynamic_smem: u32) -> u32 {
        let number = |attribute, unknown| self.attributes.get(&attribute).copied().unwrap_or(unknown);
        match &self.blocks {
            Blocks::Always(blocks) => *blocks,
            // Without the opt-in it does not run.
            _ if i64::from(dynamic_smem) > i64::from(number(8, 49_152)) => 0,
            Blocks::Listed(listed) => {
                let answer = listed.iter().find(|answer| answer[..2] == [threads, dynamic_smem]);
                answer.unwrap_or_else(|| panic!("{threads} threads, {dynamic_smem} bytes: not listed"))[2]
            }
            Blocks::Header => {
                let question = Question {
                    threads,
                    registers: number(4, 0).cast_unsigned(),
                    smem: self.static_smem + dynamic_smem,
                    is_opted_in: true,
                    carveout: u32::try_from(number(9, -1)).unwrap_or(101),
                };
                let golden = Golden::of(capability).expect("the header knows the device");
                golden.blocks(&question).unwrap_or_else(|| panic!("the header was not asked {question:?}"))
            }
        }
    }
}
