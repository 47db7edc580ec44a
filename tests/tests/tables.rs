//! The tables in the code against `data/devices.csv` and `data/gpus.csv`, column by column.
//!
//! Both are collected from NVIDIA's guides, `cuda_occupancy.h`, `ptxas`, `deviceQuery` outputs and, for SM counts,
//! `TechPowerUp`'s database; each row names its sources.

#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

mod support;

use occ_core::{Arch, Confidence, Gpu, SmemSplit, Target};
use occ_tests::with;
use support::{Row, columns, rows};

const DEVICES: &str = include_str!("../data/devices.csv");
const GPUS: &str = include_str!("../data/gpus.csv");

fn arch(row: &Row<'_>) -> Arch {
    // A `?` marks a capability that is only inferred.
    let (major, minor) = row.text("cc").trim_end_matches('?').split_once('.').unwrap();
    Arch::new(major.parse().unwrap(), minor.parse().unwrap()).unwrap()
}

#[test]
fn every_column_is_compared_or_left_out_on_purpose() {
    let compared = "cc sm_names warp_size max_threads_per_block max_warps_per_sm max_threads_per_sm max_blocks_per_sm \
        regs_per_sm regs_per_block max_regs_per_thread reg_alloc_unit reg_alloc_granularity sub_partitions smem_per_sm \
        smem_per_block_default smem_per_block_optin smem_per_block_oversized smem_reserved_per_block smem_alloc_unit \
        smem_carveouts_kib named_barriers_per_block barriers_per_sm barrier_limit_in_header virtual_resources_per_sm \
        partitioned_global_cache cluster_max_portable cluster_max_nonportable max_grid_x max_grid_yz max_block_x \
        max_block_y max_block_z ptxas_max_threads_per_sm ptxas_max_blocks_per_sm";
    let not_modelled = "family unified_l1_smem_kib tensor_memory param_bytes_max toolkit_first toolkit_last status \
        sources notes";
    let mut known: Vec<&str> = compared.split_whitespace().chain(not_modelled.split_whitespace()).collect();
    let mut found = columns(DEVICES);
    known.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, known);
}

#[test]
fn every_capability_has_one_row() {
    let columns = columns(DEVICES);
    let rows = rows(DEVICES, &columns);
    // 10.1 is the old name of 11.0.
    assert_eq!(rows.len(), Arch::COUNT + 1);
    for known in Arch::ALL {
        assert!(rows.iter().any(|row| row.text("cc") == format!("{}.{}", known.major(), known.minor())), "{known}");
    }
    let alias = rows.iter().find(|row| row.text("cc") == "10.1").unwrap();
    assert_eq!(arch(alias), Arch::SM_110);
}

#[test]
fn names_are_targets_of_their_capability() {
    let columns = columns(DEVICES);
    for row in rows(DEVICES, &columns) {
        for name in row.text("sm_names").split_whitespace() {
            assert_eq!(Target::parse(name).map(Target::arch), Ok(arch(&row)), "{name}");
            let ptx = name.replace("sm_", "compute_");
            assert_eq!(Target::parse(&ptx).map(Target::arch), Ok(arch(&row)), "{ptx}");
        }
    }
}

#[test]
fn limits_of_an_sm() {
    let columns = columns(DEVICES);
    for row in rows(DEVICES, &columns) {
        let sm = arch(&row).limits();
        let [block_x, block_y, block_z] = sm.max_block_axes;
        let [grid_x, grid_y, grid_z] = sm.max_grid_axes;
        for (column, ours) in [
            ("warp_size", sm.warp_size.get()),
            ("max_threads_per_block", sm.max_threads_per_block),
            ("max_warps_per_sm", sm.max_warps_per_sm),
            ("max_threads_per_sm", sm.max_threads_per_sm()),
            ("max_blocks_per_sm", sm.max_blocks_per_sm),
            ("regs_per_sm", sm.registers_per_sm),
            ("regs_per_block", sm.registers_per_block),
            ("max_regs_per_thread", sm.max_registers_per_thread),
            ("reg_alloc_unit", sm.register_allocation_unit.get()),
            ("sub_partitions", sm.sub_partitions.get()),
            ("smem_per_block_default", sm.smem_per_block),
            ("smem_per_block_optin", sm.smem_per_block_optin),
            ("smem_reserved_per_block", sm.smem_reserved_per_block),
            ("smem_alloc_unit", sm.smem_allocation_unit.get()),
            ("named_barriers_per_block", sm.barriers_per_block),
            ("virtual_resources_per_sm", sm.virtual_resources_per_sm.unwrap_or(0)),
            ("max_grid_x", grid_x),
            ("max_grid_yz", grid_y),
            ("max_grid_yz", grid_z),
            ("max_block_x", block_x),
            ("max_block_y", block_y),
            ("max_block_z", block_z),
        ] {
            assert_eq!(row.number(column), Some(ours), "{} {column}", row.text("cc"));
        }
        for (column, ours) in
            [("cluster_max_portable", sm.max_cluster_portable), ("cluster_max_nonportable", sm.max_cluster)]
        {
            assert_eq!(row.number(column), ours, "{} {column}", row.text("cc"));
        }
        for (column, ours) in
            [("ptxas_max_threads_per_sm", sm.max_threads_per_sm()), ("ptxas_max_blocks_per_sm", sm.max_blocks_per_sm)]
        {
            // 3.x was not measured.
            assert_eq!(row.number(column).unwrap_or(ours), ours, "{} {column}", row.text("cc"));
        }
        assert_eq!(row.text("reg_alloc_granularity"), "warp");
        assert_eq!(row.text("partitioned_global_cache") == "yes", sm.partitioned_l1, "{}", row.text("cc"));
    }
}

/// The pool limits resident blocks only where `cuda_occupancy.h` looks at it.
#[test]
fn barrier_pools() {
    let columns = columns(DEVICES);
    for row in rows(DEVICES, &columns) {
        let pool = if row.text("barrier_limit_in_header") == "yes" { row.number("barriers_per_sm") } else { None };
        assert_eq!(arch(&row).limits().barriers_per_sm, pool, "{}", row.text("cc"));
    }
}

/// 10.7 has 228 KiB until its oversized mode is chosen: `cuda.h` 13.5 has a separate attribute for it.
#[test]
fn shared_memory() {
    let columns = columns(DEVICES);
    for row in rows(DEVICES, &columns) {
        let cc = row.text("cc");
        let sm = arch(&row).limits();
        let listed: u32 = row.number("smem_per_sm").unwrap();
        match row.number::<u32>("smem_per_block_oversized") {
            None => {
                assert_eq!(sm.smem_per_sm, listed, "{cc}");
                assert_eq!(sm.oversized_smem(), None, "{cc}");
            }
            Some(per_block) => {
                assert_eq!((cc, sm.smem_per_sm), ("10.7", 228 << 10));
                let oversized = sm.oversized_smem().unwrap();
                assert_eq!((oversized.smem_per_sm, oversized.smem_per_block_optin), (listed, per_block));
            }
        }

        let sizes: Vec<u32> =
            row.text("smem_carveouts_kib").split_whitespace().map(|kib| kib.parse::<u32>().unwrap() << 10).collect();
        match sm.smem_split {
            SmemSplit::Fixed => assert_eq!(sizes, [sm.smem_per_sm], "{cc}"),
            SmemSplit::CacheConfig(three) => assert_eq!(sizes, three, "{cc}"),
            SmemSplit::Carveouts(ours) => assert_eq!(sizes, ours, "{cc}"),
            unlisted => panic!("{cc}: {unlisted:?} has no column"),
        }
    }
}

#[test]
fn gpus() {
    let columns = columns(GPUS);
    let rows = rows(GPUS, &columns);
    assert_eq!(rows.len(), Gpu::COUNT);
    for (row, gpu) in rows.iter().zip(Gpu::ALL) {
        let confidence = match row.text("confidence") {
            "high" => Confidence::High,
            "medium" => Confidence::Medium,
            _ => Confidence::Low,
        };
        let listed = with!(*gpu, arch: arch(row), sm_count: row.number("sm_count").unwrap(), confidence);
        assert_eq!((row.text("name"), row.text("driver_name_seen")), (gpu.name, gpu.driver_name));
        assert_eq!(*gpu, listed);
        assert!(gpu.confidence == Confidence::Low || !row.text("cc").ends_with('?'), "{}", gpu.name);
    }
}
