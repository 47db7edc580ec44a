//! cust and cudarc in one program: cust is linked with the double, cudarc loads the shared library.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

mod support;

use cuda_stand_in::{DeviceModel, stand_in};
use cudarc::driver::{CudaContext, PushKernelArg};
use cudarc::nvrtc::Ptx;
use cust::prelude::*;
use occ_runtime::{Arch, Kernel, LaunchSpec, Requirement};

const SAXPY: LaunchSpec =
    LaunchSpec::new("saxpy", &[Arch::SM_75, Arch::SM_90], Kernel::new().registers(22), occ_runtime::Launch::new(256))
        .require(Requirement::new().min_occupancy(1.0));

/// Each binding has its own driver, and its guard asks that one.
#[test]
fn cust_and_cudarc_side_by_side() {
    let loaded = support::loaded();
    loaded.devices([DeviceModel::h100()]);
    let (n, a) = (1000u32, 3.0f32);

    let _context = cust::quick_init().unwrap();
    let module = Module::from_ptx("any", &[]).unwrap();
    let function = module.get_function("saxpy").unwrap();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    let (x, y) = ([2.0f32; 1000].as_slice().as_dbuf().unwrap(), [1.0f32; 1000].as_slice().as_dbuf().unwrap());
    let linked = SAXPY.bind(&function).unwrap();
    let stream = &stream;
    unsafe { occ_runtime::launch!(linked<<<4, 256, 0, stream>>>(n, a, x.as_device_ptr(), y.as_device_ptr())) }.unwrap();
    assert_eq!(y.as_host_vec().unwrap(), [7.0; 1000]);
    assert_eq!(SAXPY.report(&function).unwrap().device.name, "Tesla T4");

    let context = CudaContext::new(0).unwrap();
    let function = context.load_module(Ptx::from_src("any")).unwrap().load_function("saxpy").unwrap();
    let stream = context.default_stream();
    let (x, mut y) = (stream.clone_htod(&[2.0f32; 1000]).unwrap(), stream.clone_htod(&[1.0f32; 1000]).unwrap());
    let mut builder = SAXPY.launch_builder(&stream, &function);
    builder.arg(&n).arg(&a).arg(&x).arg(&mut y);
    unsafe { builder.launch(4) }.unwrap();
    assert_eq!(stream.clone_dtoh(&y).unwrap(), [7.0; 1000]);
    assert_eq!(SAXPY.report_cudarc(&stream, &function).unwrap().device.name, "NVIDIA H100 80GB HBM3");

    assert_eq!((stand_in().launches().len(), loaded.launches().len()), (1, 1));
}
