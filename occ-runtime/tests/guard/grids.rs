//! What a grid must keep to, at every launch; and its waves.

use crate::logged::logged;
use crate::recorded::FunctionDouble;
use crate::*;
use log::Level;
use occ_runtime::{Axis, Mismatch, OnMismatch, Refusal};

const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

fn refusal(result: Result<(), LaunchError>) -> Option<Refusal> {
    result.err().map(|error| match error.mismatch() {
        Some(Mismatch::CannotRun { refusal }) => *refusal,
        other => panic!("{other:?}"),
    })
}

#[test]
fn every_axis() {
    let (guard, k) = guard_of(device(A100), FunctionDouble::new(40));
    let bound = guard.bind(&HALF, k, false).unwrap();
    // `tests/data/devices.csv`, 8.0.
    let most = [0x7fff_ffff, 65_535, 65_535];
    for (at, axis) in AXES.into_iter().enumerate() {
        for blocks in [0, 1, 2, most[at] - 1, most[at], most[at] + 1, u32::MAX - 1, u32::MAX] {
            let mut grid = [1; 3];
            grid[at] = blocks;
            let expected = match blocks {
                0 => Some(Refusal::EmptyGrid { axis }),
                _ if blocks > most[at] => Some(Refusal::GridAxis { axis, blocks, most: most[at] }),
                _ => None,
            };
            assert_eq!(refusal(bound.admit(grid)), expected, "{grid:?}");
            assert_eq!(refusal(guard.admit(&HALF, k, &Launched::of(&HALF, grid))), expected, "{grid:?}");
        }
    }
    assert!(bound.admit(most).is_ok());
    assert_eq!(
        refusal(bound.admit([u32::MAX; 3])),
        Some(Refusal::GridAxis { axis: Axis::X, blocks: u32::MAX, most: most[0] })
    );
    assert_eq!(refusal(bound.admit([0; 3])), Some(Refusal::EmptyGrid { axis: Axis::X }));
}

#[test]
fn whole_clusters() {
    let spec = LaunchSpec::new("k", SM_90, Kernel::new().registers(40), Launch::new(256).cluster([4, 2, 1]));
    let (guard, k) = guard_of(device(H100), FunctionDouble::new(40).cluster([4, 2, 1]));
    for passes_cluster in [false, true] {
        let bound = guard.bind(&spec, k, passes_cluster).unwrap();
        for (grid, expected) in [
            ([4, 2, 1], None),
            ([8, 2, 3], None),
            ([6, 2, 1], Some((Axis::X, 6, 4))),
            ([1, 1, 1], Some((Axis::X, 1, 4))),
            ([4, 3, 1], Some((Axis::Y, 3, 2))),
        ] {
            let expected = expected.map(|(axis, grid, cluster)| Refusal::PartialCluster { axis, grid, cluster });
            assert_eq!(refusal(bound.admit(grid)), expected, "{grid:?}");
        }
    }
}

#[test]
fn the_words() {
    let (guard, k) = guard_of(device(A100), FunctionDouble::new(40));
    let bound = guard.bind(&HALF, k, false).unwrap();
    let says = |grid| bound.admit(grid).unwrap_err().to_string();
    assert_eq!(
        says([1, 0, 1]),
        "`k` on A100 SXM4 80 GB (sm_80): this launch cannot run: axis y of the grid is 0 \
         (`CUDA_ERROR_INVALID_VALUE`, 1)
  = help: skip the launch when there is no work; an empty grid is an error"
    );
    assert_eq!(
        says([1, 1, 65_536]),
        "`k` on A100 SXM4 80 GB (sm_80): this launch cannot run: the grid has 65536 blocks along z; the limit is 65535 \
         (`CUDA_ERROR_INVALID_VALUE`, 1)
  = help: use x for the longest axis; it takes 2147483647 blocks"
    );
    assert_eq!(
        says([0x8000_0000, 1, 1]),
        "`k` on A100 SXM4 80 GB (sm_80): this launch cannot run: the grid has 2147483648 blocks along x; the limit is \
         2147483647 (`CUDA_ERROR_INVALID_VALUE`, 1)"
    );
    let spec = LaunchSpec::new("k", SM_90, Kernel::new().registers(40), Launch::new(256).cluster([4, 1, 1]));
    let (guard, k) = guard_of(device(H100), FunctionDouble::new(40));
    assert_eq!(
        guard.bind(&spec, k, true).unwrap().admit([6, 1, 1]).unwrap_err().to_string(),
        "`k` on H100 SXM5 80 GB (sm_90): this launch cannot run: the grid has 6 blocks along x, which is \
         not a multiple of the cluster's 4 blocks (`CUDA_ERROR_INVALID_CLUSTER_SIZE`, 912)
  = help: round the grid up to a multiple of 4 blocks along this axis"
    );
}

#[test]
fn in_the_other_modes() {
    for (mode, lines) in [(OnMismatch::Warn, 2), (OnMismatch::Ignore, 0)] {
        let (guard, k) = guard_of(device(A100), FunctionDouble::new(40));
        let spec = HALF.on_mismatch(mode);
        let bound = guard.bind(&spec, k, false).unwrap();
        let (results, logged) =
            logged(|| [bound.admit([0, 1, 1]), guard.admit(&spec, k, &Launched::of(&spec, [1, 70_000, 1]))]);
        assert!(results.iter().all(Result::is_ok), "{results:?}");
        let warned = logged.iter().filter(|(level, _)| *level == Level::Warn).count();
        assert_eq!(warned, lines, "{logged:?}");
    }
}

/// 108 SMs of 6 blocks: 648 slots.
#[test]
fn waves() {
    let spec = HALF.log_waves();
    let (guard, k) = guard_of(device(A100), FunctionDouble::new(40));
    let bound = guard.bind(&spec, k, false).unwrap();
    let expected = |grid: [u32; 3]| match grid[0] {
        1 => Some(
            "1 block over 648 slots (108 SMs × 6 blocks): 0 full waves and a tail of 1 block, which leaves 99.8% of its wave idle",
        ),
        648 => Some("648 blocks over 648 slots (108 SMs × 6 blocks): 1 full wave"),
        1300 => Some(
            "1300 blocks over 648 slots (108 SMs × 6 blocks): 2 full waves and a tail of 4 blocks, which leaves 99.4% of its wave idle",
        ),
        _ => None,
    };
    for by_handle in [true, false] {
        let launch = |grid| {
            if by_handle { guard.admit(&spec, k, &Launched::of(&spec, grid)) } else { bound.admit(grid) }
        };
        // Each time that the number of blocks changes, and only then.
        for grid in [[1, 1, 1], [648, 1, 1], [1300, 1, 1], [1, 1, 1]] {
            let ((), first) = logged(|| launch(grid).unwrap());
            let line = format!("`k` on A100 SXM4 80 GB (sm_80): {}", expected(grid).unwrap());
            assert_eq!(first, [(Level::Info, line)], "{grid:?}");
            let ((), second) = logged(|| launch(grid).unwrap());
            assert!(second.is_empty(), "{second:?}");
        }
        // As many blocks of another shape are no change.
        let (_, same) = logged(|| launch([648, 1, 1]).and_then(|()| launch([2, 324, 1])));
        assert_eq!(same.len(), 1);
        // No grid that is refused, and none that is too many for a number.
        let (result, none) = logged(|| launch([0, 1, 1]));
        assert!(result.is_err() && none.is_empty());
        let ((), huge) = logged(|| launch([0x7fff_ffff, 65_535, 65_535]).unwrap());
        assert_eq!(huge.len(), 1);
    }
    assert_eq!(bound.blocks_per_sm(), 6);
    assert!(bound.waves([0, 1, 1]).is_none());
    let waves = bound.waves([1300, 1, 1]).unwrap();
    assert_eq!((waves.slots(), waves.full(), waves.tail_blocks()), (648, 2, 4));
}
