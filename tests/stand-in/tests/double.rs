//! The double itself: what it answers of its own accord, and what it can be told.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

use cuda_stand_in::{Arguments, DeviceModel, Emulation, KernelModel, Launch, NAMES, StandIn, UNRECORDED, stand_in};
use cust::context::legacy::{ContextFlags, ContextStack};
use cust::context::{CurrentContext, ResourceLimit, legacy};
use cust::error::CudaError;
use cust::memory::{DeviceBox, DevicePointer, cuda_malloc};
use cust::prelude::*;
use cust::sys;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

// As a program declares them that wants codes which cust does not know.
unsafe extern "C" {
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        to: *mut c_int,
        function: sys::CUfunction,
        threads: c_int,
        smem: usize,
    ) -> c_int;
    fn cuFuncSetAttribute(function: sys::CUfunction, attribute: c_int, value: c_int) -> c_int;
    fn cuOccupancyMaxActiveClusters(to: *mut c_int, function: sys::CUfunction, config: *const ClusterConfig) -> c_int;
    fn cuLaunchKernelEx(
        config: *const ClusterConfig,
        function: sys::CUfunction,
        arguments: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> c_int;
    fn cuGetErrorName(code: c_int, to: *mut *const c_char) -> c_int;
    fn cuGetProcAddress(name: *const c_char, to: *mut *mut c_void, version: c_int, flags: u64) -> c_int;
}

/// `CUlaunchConfig` of `cuda.h`, whose only attribute is a cluster (4).
#[repr(C)]
struct ClusterConfig {
    grid: [u32; 3],
    block: [u32; 3],
    dynamic_smem: u32,
    stream: *mut c_void,
    attributes: *const [u32; 18],
    attribute_count: u32,
}

/// The double is one for the process: tests take turns.
fn alone(device: DeviceModel) -> (&'static StandIn, MutexGuard<'static, ()>) {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    stand_in().reset();
    stand_in().devices([device]);
    (stand_in(), turn)
}

fn load(model: KernelModel) -> Module {
    stand_in().kernel("", "k", model);
    Module::from_ptx("any", &[]).unwrap()
}

/// The code or the blocks per SM that are answered.
fn blocks_per_sm(module: &Module, threads: i32, smem: usize) -> Result<i32, i32> {
    let (mut blocks, function) = (-1, module.get_function("k").unwrap().to_raw());
    match unsafe { cuOccupancyMaxActiveBlocksPerMultiprocessor(&raw mut blocks, function, threads, smem) } {
        0 => Ok(blocks),
        code => Err(code),
    }
}

/// Rows of `tests/data/readings.csv`, of profilers: capability 7.5, 1024 threads, 53 registers; 32 threads, 56 registers.
#[test]
fn what_was_read_is_answered() {
    let (_, _turn) = alone(DeviceModel::tesla_t4());
    let _context = cust::quick_init().unwrap();
    assert_eq!(blocks_per_sm(&load(KernelModel::new(53)), 1024, 0), Ok(1));
    assert_eq!(blocks_per_sm(&load(KernelModel::new(56)), 32, 0), Ok(16));
    let shared = KernelModel { static_smem: 4096, ..KernelModel::new(16) };
    assert_eq!(blocks_per_sm(&load(shared), 1024, 1020), Ok(1));
}

#[test]
fn what_nobody_recorded_is_an_error_and_listed() {
    let (stand_in, _turn) = alone(DeviceModel::h100());
    let _context = cust::quick_init().unwrap();
    let module = load(KernelModel::new(37));
    assert_eq!(blocks_per_sm(&module, 333, 0), Err(UNRECORDED));
    let [question] = &stand_in.unrecorded()[..] else { panic!("{:?}", stand_in.unrecorded()) };
    assert!(question.starts_with("k on NVIDIA H100 80GB HBM3 [9, 0]: Question { threads: 333"), "{question}");
    // A launch of it does not pass either.
    let (function, stream) = (module.get_function("k").unwrap(), Stream::new(StreamFlags::DEFAULT, None).unwrap());
    assert!(unsafe { launch!(function<<<1, 333, 0, stream>>>()) }.is_err());
    stand_in.lie(Some(3));
    assert_eq!(blocks_per_sm(&module, 333, 0), Ok(3));
}

/// `tests/data/golden/sm_75.csv`, the best block of a kernel with 32 registers and no shared memory: 1024 threads, one of
/// which an SM holds. A T4 has 40.
#[test]
fn the_best_block_is_the_headers() {
    let (_, _turn) = alone(DeviceModel::tesla_t4());
    let _context = cust::quick_init().unwrap();
    let module = load(KernelModel::new(32));
    let function = module.get_function("k").unwrap();
    assert_eq!(function.suggested_launch_configuration(0, 0.into()), Ok((40, 1024)));
    assert!(function.suggested_launch_configuration(0, 100.into()).is_err());
}

#[test]
fn launches_are_refused_as_a_driver_does() {
    let (stand_in, _turn) = alone(DeviceModel::tesla_t4());
    let _context = cust::quick_init().unwrap();
    let module = load(KernelModel { answers: vec![([1024, 0], 0)], max_threads: 1024, ..KernelModel::new(168) });
    let bounded = KernelModel { max_threads: 128, ..KernelModel::new(32) };
    stand_in.kernel("bounded", "k", bounded);
    let bounded = Module::from_ptx("stand-in bounded", &[]).unwrap();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let launch = |module: &Module, grid: (u32, u32, u32), block: (u32, u32, u32), smem: u32| unsafe {
        launch!(module.k<<<grid, block, smem, stream>>>())
    };
    for (grid, block, smem) in [
        ((0, 1, 1), (32, 1, 1), 0),
        ((1, 65_536, 1), (32, 1, 1), 0),
        ((1, 1, 65_536), (32, 1, 1), 0),
        ((1, 1, 1), (32, 0, 1), 0),
        ((1, 1, 1), (1, 1, 65), 0),
        ((1, 1, 1), (1024, 2, 1), 0),
        ((1, 1, 1), (32, 1, 1), 49_153),
    ] {
        assert_eq!(launch(&module, grid, block, smem), Err(CudaError::InvalidValue), "{grid:?} {block:?} {smem}");
    }
    assert_eq!(launch(&module, (1, 1, 1), (1024, 1, 1), 0), Err(CudaError::LaunchOutOfResources));
    assert_eq!(launch(&bounded, (1, 1, 1), (256, 1, 1), 0), Err(CudaError::InvalidValue));
    assert_eq!(stand_in.launches(), []);
    launch(&bounded, (1, 2, 3), (8, 4, 4), 0).unwrap();
    let made = stand_in.launches();
    let [Launch { kernel, grid: [1, 2, 3], block: [8, 4, 4], cluster: None, dynamic_smem: 0, max_dynamic_smem }] =
        &made[..]
    else {
        panic!("{made:?}")
    };
    assert_eq!((&kernel[..], *max_dynamic_smem), ("k", 49_152));
}

#[test]
fn clusters_are_refused_as_a_driver_does() {
    let mut device = DeviceModel::h100();
    device.active_clusters.extend([(2, 66), (4, 0), (16, 8)]);
    let (stand_in, _turn) = alone(device);
    let _context = cust::quick_init().unwrap();
    let module = load(KernelModel::new(32));
    let function = module.get_function("k").unwrap().to_raw();
    let ask = |grid: u32, blocks: u32| unsafe {
        let mut attribute = [0; 18];
        attribute[0] = 4;
        attribute[2..5].copy_from_slice(&[blocks, 1, 1]);
        let config = ClusterConfig {
            grid: [grid, 1, 1],
            block: [256, 1, 1],
            dynamic_smem: 0,
            stream: std::ptr::null_mut(),
            attributes: &raw const attribute,
            attribute_count: 1,
        };
        let mut clusters = -1;
        let asked = cuOccupancyMaxActiveClusters(&raw mut clusters, function, &raw const config);
        let launched = cuLaunchKernelEx(&raw const config, function, std::ptr::null_mut(), std::ptr::null_mut());
        (if asked == 0 { Ok(clusters) } else { Err(asked) }, launched)
    };
    assert_eq!(ask(4, 2), (Ok(66), 0));
    assert_eq!(ask(5, 2), (Ok(66), 912), "a grid of two and a half clusters");
    assert_eq!(ask(4, 4), (Ok(0), 701), "no cluster of 4 has room");
    assert_eq!(ask(16, 16), (Err(912), 912), "more than 8 blocks must be allowed");
    assert_eq!(unsafe { cuFuncSetAttribute(function, 14, 1) }, 0);
    assert_eq!(ask(16, 16), (Ok(8), 0));
    assert_eq!(ask(8, 8).0, Err(UNRECORDED));
    let clusters = stand_in.launches().into_iter().filter_map(|launch| launch.cluster);
    assert_eq!(clusters.map(|[x, ..]| x).collect::<Vec<_>>(), [2, 16, 8]);
    stand_in.devices([DeviceModel::a100()]);
    assert_eq!(ask(4, 2), (Err(912), 912), "8.0 has no clusters");
}

#[test]
fn a_kernel_is_a_closure() {
    let (_, _turn) = alone(DeviceModel::tesla_t4());
    let _context = cust::quick_init().unwrap();
    let kernel = move |launch: &Launch, arguments: &Arguments| {
        let (place, value) = unsafe { (arguments.get::<*mut u32>(0), arguments.get::<u32>(1)) };
        unsafe { place.write(value * launch.grid[0]) };
    };
    let module = load(KernelModel { emulation: Some(Emulation::new(kernel)), ..KernelModel::new(32) });
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let place = DeviceBox::new(&0u32).unwrap();
    unsafe { launch!(module.k<<<3, 256, 0, stream>>>(place.as_device_ptr(), 14u32)) }.unwrap();
    assert_eq!(place.as_host_value(), Ok(42));
}

#[test]
fn attributes_are_answered_otherwise() {
    let (_, _turn) = alone(DeviceModel::tesla_t4());
    let _context = cust::quick_init().unwrap();
    let module = load(KernelModel { attributes: vec![(4, Some(40)), (5, None)], ..KernelModel::new(32) });
    let function = module.get_function("k").unwrap();
    assert_eq!(function.get_attribute(cust::function::FunctionAttribute::NumRegisters), Ok(40));
    let unknown = function.get_attribute(cust::function::FunctionAttribute::PtxVersion);
    assert_eq!(unknown, Err(CudaError::InvalidValue));
}

#[test]
fn memory_ends_where_it_was_allocated() {
    let (_, _turn) = alone(DeviceModel::tesla_t4());
    let _context = cust::quick_init().unwrap();
    let mut buffer = unsafe { DeviceBuffer::<u32>::uninitialized(8) }.unwrap();
    buffer.set_32(7).unwrap();
    assert_eq!(buffer.as_host_vec().unwrap(), [7; 8]);
    let start = buffer.as_device_ptr();
    assert_eq!(start.as_raw() % 256, 0);
    let mut host = [0u32; 9];
    let mut copy = |from: DevicePointer<u32>, bytes| unsafe {
        sys::cuMemcpyDtoH_v2(host.as_mut_ptr().cast(), from.as_raw(), bytes) as i32
    };
    assert_eq!((copy(start, 32), copy(start, 36), copy(start.wrapping_offset(8), 4)), (0, 1, 1));
    assert!(matches!(unsafe { cuda_malloc::<u8>(17 << 30) }, Err(CudaError::OutOfMemory)));
}

/// Contexts that a program creates itself, one above the other.
#[test]
fn contexts_are_a_stack() {
    let (stand_in, _turn) = alone(DeviceModel::tesla_t4());
    stand_in.devices([DeviceModel::tesla_t4(), DeviceModel::h100()]);
    cust::init(CudaFlags::empty()).unwrap();
    let current = || CurrentContext::get_device().map(|device| device.name().unwrap());
    let below = ContextStack::pop();
    assert_eq!((below.is_err(), current()), (true, Err(CudaError::InvalidContext)));
    let device = |ordinal| Device::get_device(ordinal).unwrap();
    let first = legacy::Context::create_and_push(ContextFlags::SCHED_AUTO, device(0)).unwrap();
    let second = legacy::Context::create_and_push(ContextFlags::SCHED_AUTO, device(1)).unwrap();
    assert_eq!(current().unwrap(), "NVIDIA H100 80GB HBM3");
    ContextStack::pop().unwrap();
    assert_eq!(current().unwrap(), "Tesla T4");
    CurrentContext::set_resource_limit(ResourceLimit::StackSize, 2048).unwrap();
    assert_eq!(CurrentContext::get_resource_limit(ResourceLimit::StackSize), Ok(2048));
    // Making one current takes the place of the one that was.
    legacy::CurrentContext::set_current(&second).unwrap();
    assert_eq!(current().unwrap(), "NVIDIA H100 80GB HBM3");
    ContextStack::pop().unwrap();
    assert_eq!(current(), Err(CudaError::InvalidContext));
    ContextStack::push(&first).unwrap();
    assert_eq!(current().unwrap(), "Tesla T4");
    drop((first, second));
    assert_eq!(current(), Err(CudaError::InvalidContext));
}

/// Modules from every kind of image; only the test's own name is read of one.
#[test]
fn images_of_every_kind() {
    let (_, _turn) = alone(DeviceModel::tesla_t4());
    let _context = cust::quick_init().unwrap();
    let path =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/saxpy/kernels/prebuilt/unroll-32/saxpy.sm_75.cubin");
    let cubin = std::fs::read(path).unwrap();
    for module in [Module::from_cubin(&cubin, &[]), Module::from_fatbin(&cubin, &[]), Module::from_file(path)] {
        assert!(module.unwrap().get_function("saxpy").is_ok());
    }
    assert_eq!(Module::from_file("nowhere").err(), Some(CudaError::FileNotFound));
    let module = Module::from_ptx("any", &[]).unwrap();
    assert_eq!(module.get_function("nobody").err(), Some(CudaError::NotFound));
}

#[test]
fn codes_have_names() {
    let name = |code| {
        let mut name = std::ptr::null();
        let result = unsafe { cuGetErrorName(code, &raw mut name) };
        (result == 0).then(|| unsafe { CStr::from_ptr(name) }.to_str().unwrap())
    };
    assert_eq!(name(701), Some("CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"));
    assert_eq!(name(100_000), None);
    assert_eq!(CudaError::LaunchOutOfResources.to_string(), "\"too many resources requested for launch\"");
}

/// Every function is found, under its name and under that without its version, until it is forgotten.
#[test]
fn functions_are_found() {
    let (stand_in, _turn) = alone(DeviceModel::tesla_t4());
    let find = |name: &str| {
        let (name, mut address) = (format!("{name}\0"), std::ptr::null_mut());
        unsafe { cuGetProcAddress(name.as_ptr().cast(), &raw mut address, 12_080, 0) }
    };
    for name in NAMES {
        assert_eq!((find(name), find(name.trim_end_matches("_v2"))), (0, 0), "{name}");
    }
    assert_eq!(find("cuNothing"), 500);
    stand_in.forget("cuLaunchKernelEx");
    assert_eq!(find("cuLaunchKernelEx"), 500);
}

#[test]
#[should_panic = "the stand-in has no driver function `cuLaunchKernal`"]
fn a_misspelt_function_is_noticed() {
    stand_in().fail("cuLaunchKernal", 1);
}

#[test]
fn a_reset_forgets_everything() {
    let (stand_in, _turn) = alone(DeviceModel::h100());
    stand_in.fail("cuInit", 999);
    stand_in.delay("cuInit", Duration::from_millis(20));
    let before = Instant::now();
    assert_eq!(cust::init(CudaFlags::empty()), Err(CudaError::UnknownError));
    assert!(before.elapsed() >= Duration::from_millis(20));
    assert_eq!((stand_in.calls("cuInit"), stand_in.all_calls()), (1, 1));
    stand_in.lie(Some(7));
    stand_in.forget("cuInit");
    stand_in.kernel("", "k", KernelModel::new(255));
    stand_in.launches_do_nothing(true);
    stand_in.reset();
    assert_eq!((stand_in.all_calls(), cust::init(CudaFlags::empty())), (0, Ok(())));
    let _context = cust::quick_init().unwrap();
    assert_eq!(Device::get_device(0).unwrap().name().unwrap(), "Tesla T4");
    assert!(Module::from_ptx("any", &[]).unwrap().get_function("k").is_err());
    assert_eq!(blocks_per_sm(&load(KernelModel::new(32)), 256, 0), Ok(4));
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let module = load(KernelModel::new(32));
    assert!(unsafe { launch!(module.k<<<0, 256, 0, stream>>>()) }.is_err());
}

/// Without a device the driver does not initialize, as where `CUDA_STAND_IN` names none that there is.
#[test]
fn no_device() {
    let (stand_in, _turn) = alone(DeviceModel::tesla_t4());
    stand_in.devices([]);
    assert_eq!(cust::quick_init().err(), Some(CudaError::NoDevice));
    assert!(DeviceModel::NAMES.iter().all(|name| DeviceModel::named(name).is_some()));
    assert!(DeviceModel::named("T4").is_none());
}
