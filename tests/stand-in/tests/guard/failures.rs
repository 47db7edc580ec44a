//! Calls of the driver that fail, also with codes that nobody knows, and answers that make no sense.

use super::*;
use occ_runtime::driver::DriverError;

const CALLS: [&str; 6] = [
    "cuCtxGetDevice",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuFuncGetAttribute",
    "cuFuncSetAttribute",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
];

#[test]
fn every_call_with_any_code() {
    let _turn = with_devices([DeviceModel::h100()]);
    let model = KernelModel { answers: vec![([256, 100 << 10], 2)], ..KernelModel::new(40) };
    let launch = Launch::new(256).dynamic_smem(100 << 10);
    let spec = LaunchSpec::new("k", &[Arch::SM_90], Kernel::new().registers(40), launch);
    for call in CALLS {
        for code in [2, 201, 225, 700, 912, 999, 100_000, -1, i32::MIN] {
            let (guard, k) = (guard(), function(model.clone()));
            stand_in().fail(call, code);
            let error = admit(&guard, &spec, k).unwrap_err();
            let LaunchError::Driver { kernel: "k", error: DriverError { call: failed, code: with } } = error else {
                panic!("{call}, {code}: {error}")
            };
            assert_eq!((failed, with), (call, code));
            // In the other modes a driver that does not answer stops no launch.
            let warn = spec.on_mismatch(occ_runtime::OnMismatch::Warn);
            assert!(admit(&guard, &warn, k).is_ok(), "{call}, {code}");
            stand_in().fail(call, 0);
            assert!(admit(&guard, &spec, k).is_ok(), "{call}, {code}: a failure is no verdict");
        }
    }
}

#[test]
fn a_raise_that_is_too_much() {
    let _turn = with_devices([DeviceModel::rtx_3090()]);
    // 8.6 has 99 KiB, 8.0 has 163.
    let launch = Launch::new(256).dynamic_smem(120 << 10);
    let spec = LaunchSpec::new("k", &[Arch::SM_80], Kernel::new().registers(32), launch);
    let error = admit(&guard(), &spec, function(KernelModel::new(32))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`k` on NVIDIA GeForce RTX 3090 (sm_86): this launch cannot run: a block needs 122880 bytes of shared memory, at \
         most 101376 are possible (`CUDA_ERROR_INVALID_VALUE`, 1)
  = note: checked for sm_80, launched on sm_86
  = help: add `\"sm_86\"` to `arch` to have it checked when the code is compiled"
    );
}

#[test]
fn attributes_that_make_no_sense() {
    for value in [i32::MIN, -1, 0, 1, i32::MAX] {
        for attribute in [1, 2, 5, 8, 10, 12, 16, 39, 75, 76, 81, 82, 97, 106, 111, 120] {
            let mut device = DeviceModel::a100();
            device.attributes.insert(attribute, value);
            let _turn = with_devices([device]);
            stand_in().lie(Some(value));
            let spec = spec(&[Arch::SM_80], Kernel::new().registers(40)).require(half());
            let (guard, k) =
                (guard(), function(KernelModel { static_smem: u32::MAX >> 1, ..KernelModel::new(u32::MAX >> 1) }));
            let report = guard.report(&spec, k).unwrap();
            assert!(!report.to_string().is_empty());
            let _ = admit(&guard, &spec, k);
        }
    }
}
