//! The guard's verdict on everything that NVIDIA's header was asked: blocks × warps ÷ warps of the SM, and nothing else.

use super::*;
use cuda_stand_in::recorded;

#[test]
fn verdicts_follow_the_headers_answers() {
    let devices = [
        (DeviceModel::tesla_t4(), 32),
        (DeviceModel::a100(), 64),
        (DeviceModel::rtx_3090(), 48),
        (DeviceModel::rtx_4090(), 48),
        (DeviceModel::h100(), 64),
        (DeviceModel::b200(), 64),
        (DeviceModel::rtx_5090(), 48),
    ];
    let (mut compared, mut refused) = (0, 0);
    for (device, warps) in devices {
        let capability = device.capability();
        let arch = Arch::new(capability[0], capability[1]).unwrap();
        let archs: &'static [Arch] = Box::leak(Box::new([arch]));
        let _turn = with_devices([device]);
        let guard = guard();
        for (question, blocks) in recorded(capability) {
            // What no driver is asked: kernels without registers, of more than there can be, and blocks of no device.
            let is_asked = question.is_opted_in && (1..=255).contains(&question.registers) && question.threads <= 1024;
            if !is_asked || question.static_smem > 49_152 {
                continue;
            }
            let launch = Launch::new(question.threads).dynamic_smem(question.dynamic_smem);
            let model = KernelModel { static_smem: question.static_smem, ..KernelModel::new(question.registers) };
            let k = function(model);
            for fraction in [0.25, 0.5, 2.0 / 3.0, 1.0] {
                // A spec that is unknown to fall short, since nothing of the kernel is declared.
                let reached = f64::from(blocks * question.threads.div_ceil(32)) / f64::from(warps);
                let check = occ_runtime::Check {
                    archs,
                    launch,
                    requirement: Requirement::new().min_occupancy(fraction),
                    ..occ_runtime::Check::new()
                };
                if !check.passes() {
                    continue;
                }
                let spec = LaunchSpec::new("k", archs, Kernel::new(), launch).require(check.requirement);
                let passes = admit(&guard, &spec, k).is_ok();
                assert_eq!(passes, blocks > 0 && reached >= fraction, "{question:?} on {arch}: {blocks}, {fraction}");
                compared += 1;
                refused += u32::from(!passes);
            }
        }
        assert!(stand_in().unrecorded().is_empty(), "{:?}", stand_in().unrecorded());
    }
    assert!(compared > 2_000 && refused > 500, "{compared} compared, {refused} refused");
}
