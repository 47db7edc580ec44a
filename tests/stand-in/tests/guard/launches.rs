//! What is compared at every launch, and the words of it.

use super::*;
use cust::context::CurrentContext;
use occ_runtime::Refusal;

const SPEC: LaunchSpec =
    LaunchSpec::new("k", &[Arch::SM_80], Kernel::new().registers(40), Launch::new(256).dynamic_smem(8192));

#[test]
fn block_and_shared_memory() {
    let _turn = with_devices([DeviceModel::a100()]);
    let (guard, k) = (guard(), function(KernelModel { answers: vec![([256, 8192], 6)], ..KernelModel::new(40) }));
    let as_checked = Launched::of(&SPEC, [1, 1, 1]);
    assert!(guard.admit(&SPEC, k, &as_checked).is_ok());
    let says = |launched| guard.admit(&SPEC, k, &launched).unwrap_err().to_string();
    assert_eq!(
        says(Launched { block: [128, 2, 1], ..as_checked }),
        "`k` on NVIDIA A100-SXM4-80GB (sm_80): blocks of (128, 2) are launched, 256 were checked
  = help: launch with the spec's block, or declare `block = (128, 2)`"
    );
    assert_eq!(
        says(Launched { dynamic_smem: 16_384, ..as_checked }),
        "`k` on NVIDIA A100-SXM4-80GB (sm_80): 16384 bytes of dynamic shared memory launched, 8192 checked
  = help: launch with the spec's shared memory, or declare `dynamic_smem = 16384`"
    );
    assert_eq!(
        says(Launched { cluster: Some([2, 1, 1]), ..as_checked }),
        "`k` on NVIDIA A100-SXM4-80GB (sm_80): a cluster of 2 is launched, no cluster was checked
  = help: declare `cluster = 2`"
    );
}

#[test]
fn grids() {
    let _turn = with_devices([DeviceModel::a100()]);
    let (guard, k) = (guard(), function(KernelModel { answers: vec![([256, 8192], 6)], ..KernelModel::new(40) }));
    let bound = guard.bind(&SPEC, k, false).unwrap();
    for (grid, refused) in [
        ([1, 1, 1], false),
        ([0x7fff_ffff, 65_535, 65_535], false),
        ([0, 1, 1], true),
        ([1, 0, 1], true),
        ([1, 1, 0], true),
        ([0x8000_0000, 1, 1], true),
        ([u32::MAX, 1, 1], true),
        ([1, 65_536, 1], true),
        ([1, 1, 65_536], true),
    ] {
        let either = [guard.admit(&SPEC, k, &Launched::of(&SPEC, grid)), bound.admit(grid)];
        for result in either {
            assert_eq!(result.is_err(), refused, "{grid:?}");
            if let Err(error) = result {
                let is_grid = matches!(
                    error.mismatch(),
                    Some(Mismatch::CannotRun { refusal: Refusal::EmptyGrid { .. } | Refusal::GridAxis { .. } })
                );
                assert!(is_grid && error.cuda_code() == 1, "{error}");
            }
        }
    }
    assert_eq!(
        bound.admit([1, 70_000, 1]).unwrap_err().to_string(),
        "`k` on NVIDIA A100-SXM4-80GB (sm_80): this launch cannot run: the grid has 70000 blocks along y, at most 65535 \
         are possible (`CUDA_ERROR_INVALID_VALUE`, 1)
  = help: put the long axis into x, which takes 2147483647 blocks"
    );
    // 108 SMs hold 648 blocks: two rounds, and 4 blocks of the third.
    let waves = bound.waves([1300, 1, 1]).unwrap();
    assert_eq!((waves.slots(), waves.full(), waves.tail_blocks()), (648, 2, 4));
}

#[test]
fn an_occupancy_that_misses() {
    let _turn = with_devices([DeviceModel::a100()]);
    let spec = spec(&[Arch::SM_80], Kernel::new().registers(40)).require(half());
    assert_eq!(
        admit(&guard(), &spec, function(KernelModel::new(168))).unwrap_err().to_string(),
        "`k` on NVIDIA A100-SXM4-80GB (sm_80): occupancy 12.5% is below the required 50%
  = note: the driver holds 1 block of 8 warps per SM, which has room for 64 warps
  = note: blocks per SM each resource allows: registers 1, shared memory 164, warps 8, blocks 32
  = note: the function has 168 registers per thread, 40 were declared
  = help: compile the kernel with at most 64 registers per thread"
    );
}

/// A module is unloaded, and another function gets its handle, on this device or another.
#[test]
fn a_handle_of_another_function() {
    let turn = with_devices([DeviceModel::a100(), DeviceModel::tesla_t4()]);
    stand_in().kernel("lean", "k", KernelModel::new(40));
    stand_in().kernel("fat", "k", KernelModel::new(168));
    let other = Context::new(Device::get_device(1).unwrap()).unwrap();
    CurrentContext::set_current(&turn.context).unwrap();
    let guard = guard();
    let spec = LaunchSpec::new("k", &[Arch::SM_80, Arch::SM_75], Kernel::new().registers(40), Launch::new(256))
        .require(half());
    let mut handles = std::collections::HashSet::new();
    for round in 0..200 {
        let (image, passes) = if round % 3 == 0 { ("stand-in fat", false) } else { ("stand-in lean", true) };
        if round % 2 == 0 {
            CurrentContext::set_current(&other).unwrap();
        } else {
            CurrentContext::set_current(&turn.context).unwrap();
        }
        let module = Module::from_ptx(image, &[]).unwrap();
        let function = module.get_function("k").unwrap();
        handles.insert(function.to_raw());
        // SAFETY: the module is loaded until the end of the round.
        let k = unsafe { Function::from_raw(function.to_raw()) };
        assert_eq!(admit(&guard, &spec, k).is_ok(), passes, "{image}, {round}");
        assert_eq!(admit(&guard, &spec, k).is_ok(), passes, "{image}, {round}, again");
    }
    assert_eq!(handles.len(), 1, "the double gives handles again");
}
