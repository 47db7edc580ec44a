//! Inside warps: latency hiding, divergence, lanes without a thread.

/// A stall that an SM hides by running other warps.
///
/// A scheduler issues one instruction every `issue_interval` cycles, each from another ready warp. While one warp waits
/// `stall_cycles`, the others fill the time.
///
/// ```
/// use occ_core::LatencyHiding;
///
/// let stall = LatencyHiding { stall_cycles: 300, schedulers: 1, issue_interval: 1 };
/// assert_eq!(stall.warps_needed(), 300);
/// assert!((stall.share_hidden(64) - 0.213).abs() < 0.001);
/// assert_eq!(stall.share_hidden(600), 1.0);
///
/// // Four schedulers share the SM's warps.
/// let stall = LatencyHiding { schedulers: 4, ..stall };
/// assert_eq!(stall.warps_needed(), 1200);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LatencyHiding {
    /// Cycles that a warp waits.
    pub stall_cycles: u32,
    /// Schedulers that share the SM's warps, 4 on most SMs. 0 counts as 1.
    pub schedulers: u32,
    /// Cycles between two instructions that a scheduler issues. 0 counts as 1.
    pub issue_interval: u32,
}

impl LatencyHiding {
    /// Returns the share of issue slots that `resident_warps` warps per SM keep busy during the stall, 0.0 to 1.0.
    pub const fn share_hidden(&self, resident_warps: u32) -> f64 {
        let needed = self.stall_cycles as f64 * at_least_one(self.schedulers) as f64;
        let offered = resident_warps as f64 * at_least_one(self.issue_interval) as f64;
        if offered >= needed { 1.0 } else { offered / needed }
    }

    /// Returns the resident warps per SM that hide the whole stall.
    pub const fn warps_needed(&self) -> u64 {
        let per_scheduler = self.stall_cycles.div_ceil(at_least_one(self.issue_interval));
        per_scheduler as u64 * at_least_one(self.schedulers) as u64
    }
}

/// Returns `value`, or 1 for 0.
const fn at_least_one(value: u32) -> u32 {
    if value == 0 { 1 } else { value }
}

/// One path of a branch on which the lanes of a warp diverge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// Lanes that take the path, 0 to 32.
    pub lanes: u32,
    /// Length of the path, in a unit common to all paths.
    pub length: u32,
}

/// Returns the share of lanes that do useful work while a warp runs several paths one after the other, 0.0 to 1.0.
///
/// The warp skips a path that no lane takes. Without any path the share is 1.0. More than 32 lanes count as 32. At the
/// same occupancy, the branch takes 1 ÷ this share times as long as without divergence.
///
/// ```
/// use occ_core::{Path, divergence_lane_use};
///
/// let halves = [Path { lanes: 16, length: 100 }, Path { lanes: 16, length: 100 }];
/// assert_eq!(divergence_lane_use(&halves), 0.5); // twice the time
/// ```
pub const fn divergence_lane_use(paths: &[Path]) -> f64 {
    let mut useful = 0.0;
    let mut spent = 0.0;
    let mut at = 0;
    while at < paths.len() {
        let lanes = if paths[at].lanes > 32 { 32 } else { paths[at].lanes };
        if lanes > 0 {
            useful += lanes as f64 * paths[at].length as f64;
            spent += 32.0 * paths[at].length as f64;
        }
        at += 1;
    }
    if spent == 0.0 { 1.0 } else { useful / spent }
}

/// Returns the share of a block's lanes that have a thread: threads ÷ (32 × warps). 0.0 for an empty block.
///
/// ```
/// use occ_core::lane_efficiency;
///
/// assert_eq!(lane_efficiency(256), 1.0);
/// assert_eq!(lane_efficiency(1), 1.0 / 32.0);
/// assert_eq!(lane_efficiency(48), 0.75);
/// ```
pub const fn lane_efficiency(threads: u32) -> f64 {
    if threads == 0 {
        return 0.0;
    }
    threads as f64 / (threads.div_ceil(32) as u64 * 32) as f64
}
