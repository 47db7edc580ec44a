//! Published readings of profilers as answers of the driver: the guard's model agrees with each.

use crate::compared::found;
use crate::properties::product;
use crate::recorded::FunctionDouble;
use crate::*;

const READINGS: &str = include_str!("../../../tests/data/readings.csv");

#[test]
fn the_model_agrees_with_what_was_read() {
    let mut lines = READINGS.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let mut compared = 0;
    for line in lines {
        let row: Vec<&str> = line.splitn(names.len(), ',').collect();
        let text = |name: &str| row[names.iter().position(|other| *other == name).unwrap()];
        let number = |name: &str| text(name).parse::<u32>().ok();
        let (major, minor) = text("cc").split_once('.').unwrap();
        let capability = [major.parse().unwrap(), minor.parse().unwrap()];
        let (Some(device), Some(arch)) = (product(capability), Arch::new(capability[0], capability[1])) else {
            continue;
        };
        let (Some(threads), Some(registers), Some(warps)) =
            (number("block_size"), number("regs"), number("theoretical_warps"))
        else {
            continue;
        };
        let (static_smem, smem) = (number("static_smem_bytes").unwrap_or(0), number("dynamic_smem_bytes").unwrap_or(0));
        let answer = [threads, smem, warps / threads.div_ceil(32)];
        let function = FunctionDouble::new(registers.cast_signed()).static_smem(static_smem).listed(&[answer]);
        let archs: &'static [Arch] = vec![arch].leak();
        let kernel = Kernel::new().registers(registers).static_smem(static_smem);
        let spec = LaunchSpec::new("k", archs, kernel, Launch::new(threads).dynamic_smem(smem));
        let (guard, k) = guard_of(device, function);
        assert_eq!(found(&guard.report(&spec, k).unwrap()), [], "{row:?}");
        compared += 1;
    }
    assert!(compared > 50, "{compared}");
}
