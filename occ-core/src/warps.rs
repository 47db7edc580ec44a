//! What happens inside warps: latency hiding, divergence, lanes without a thread.

/// An SM's warps against a stall they are to hide.
///
/// A scheduler issues one instruction every `issue_interval` cycles, each from another ready warp; while one warp
/// waits `stall_cycles`, the others fill the time.
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
    /// Cycles a warp waits.
    pub stall_cycles: u32,
    /// Schedulers of the SM that share its warps (4 on most; taken as 1 if 0).
    pub schedulers: u32,
    /// Cycles from one instruction a scheduler issues to the next (taken as 1 if 0).
    pub issue_interval: u32,
}

impl LatencyHiding {
    /// The share of issue slots that `resident_warps` warps on the SM keep busy during the stall, 0.0 to 1.0.
    pub const fn share_hidden(&self, resident_warps: u32) -> f64 {
        let needed = self.stall_cycles as f64 * at_least_one(self.schedulers) as f64;
        let offered = resident_warps as f64 * at_least_one(self.issue_interval) as f64;
        if offered >= needed { 1.0 } else { offered / needed }
    }

    /// Warps an SM must hold for the stall to be hidden whole.
    pub const fn warps_needed(&self) -> u64 {
        let per_scheduler = self.stall_cycles.div_ceil(at_least_one(self.issue_interval));
        per_scheduler as u64 * at_least_one(self.schedulers) as u64
    }
}

const fn at_least_one(value: u32) -> u32 {
    if value == 0 { 1 } else { value }
}

/// One path of a branch inside a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path {
    /// Lanes that take it, 0 to 32.
    pub lanes: u32,
    /// Its length, in any unit common to all paths.
    pub length: u32,
}

/// The share of lanes that do useful work while a warp runs several paths one after the other, 0.0 to 1.0.
///
/// A path no lane takes is not run. Without any path nothing is lost: 1.0. The region takes 1 ÷ this share times
/// as long as it would without divergence, at the same occupancy. More than 32 lanes count as 32.
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

/// The share of a block's lanes that have a thread: threads ÷ (32 × warps), 0.0 for an empty block.
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
