//! Published readings of profilers as answers of the driver: the guard's model must say the same of each.

use super::*;

const READINGS: &str = include_str!("../../../data/readings.csv");

#[test]
fn the_model_says_what_was_read() {
    let devices = [
        DeviceModel::tesla_t4(),
        DeviceModel::a100(),
        DeviceModel::rtx_3090(),
        DeviceModel::rtx_4090(),
        DeviceModel::h100(),
        DeviceModel::b200(),
        DeviceModel::rtx_5090(),
    ];
    let mut lines = READINGS.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let rows: Vec<Vec<&str>> = lines.map(|line| line.splitn(names.len(), ',').collect()).collect();
    let text = |row: &[&str], name: &str| row[names.iter().position(|other| *other == name).unwrap()].to_owned();
    let mut compared = 0;
    for device in devices {
        let [major, minor] = device.capability();
        let archs: &'static [Arch] = Box::leak(Box::new([Arch::new(major, minor).unwrap()]));
        let _turn = with_devices([device]);
        for row in rows.iter().filter(|row| text(row, "cc") == format!("{major}.{minor}")) {
            let number = |name: &str| text(row, name).parse::<u32>().ok();
            let (Some(threads), Some(registers), Some(warps)) =
                (number("block_size"), number("regs"), number("theoretical_warps"))
            else {
                continue;
            };
            let (static_smem, smem) =
                (number("static_smem_bytes").unwrap_or(0), number("dynamic_smem_bytes").unwrap_or(0));
            let answers = vec![([threads, smem], warps / threads.div_ceil(32))];
            let model = KernelModel { static_smem, answers, ..KernelModel::new(registers) };
            let kernel = Kernel::new().registers(registers).static_smem(static_smem);
            let spec = LaunchSpec::new("k", archs, kernel, Launch::new(threads).dynamic_smem(smem));
            let report = guard().report(&spec, function(model)).unwrap();
            assert_eq!(found(&report), [], "{row:?}");
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}
