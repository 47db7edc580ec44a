//! Why a launch cannot run, in words.

use super::sentence::{Sentence, Value};
use crate::refusal::Refusal;
use crate::text::Text;
use core::fmt;

const EMPTY_BLOCK: Sentence<1> = Sentence::new("axis {} of the block is 0");
const BLOCK_AXIS: Sentence<3> = Sentence::new("the block has {} along {}; the limit is {}");
const BLOCK_THREADS: Sentence<2> = Sentence::new("the block has {}; the limit is {}");
const KERNEL_THREADS: Sentence<2> = Sentence::new("the block has {}; the kernel was compiled for at most {}");
const KERNEL_BLOCK: Sentence<2> = Sentence::new("the block is {}; the kernel was compiled for {} only");
const KERNEL_CLUSTER: Sentence<2> = Sentence::new("the cluster is {}; the kernel was compiled for {} only");
const KERNEL_NEEDS_CLUSTER: Sentence<0> =
    Sentence::new("the kernel must be launched with a cluster (`.explicitcluster`)");
const KERNEL_CLUSTER_BLOCKS: Sentence<2> = Sentence::new("the cluster has {}; the kernel was compiled for at most {}");
const REGISTERS_PER_THREAD: Sentence<2> = Sentence::new("the kernel uses {} per thread; the limit is {}");
const REGISTERS_PER_BLOCK: Sentence<4> =
    Sentence::new("{} per thread in {} need {} registers per block; the limit is {}");
const SHARED_MEMORY: Sentence<2> = Sentence::new("a block needs {} bytes of shared memory; the limit is {}");
const SHARED_MEMORY_OPTIN: Sentence<3> =
    Sentence::new("a block needs {} bytes of shared memory; the limit is {} without the opt-in and {} with it");
const BARRIERS: Sentence<2> = Sentence::new("a block uses {}; the limit is {}");
const VIRTUAL_RESOURCES: Sentence<2> = Sentence::new("a block needs {}; the SM has {}");
const NO_CLUSTERS: Sentence<0> = Sentence::new("clusters require compute capability 9.0 or later");
const EMPTY_CLUSTER: Sentence<1> = Sentence::new("axis {} of the cluster is 0");
const CLUSTER_BLOCKS: Sentence<2> = Sentence::new("the cluster has {}; the limit is {}");
const PARTIAL_CLUSTER: Sentence<3> =
    Sentence::new("the grid has {} along {}, which is not a multiple of the cluster's {}");
const EMPTY_GRID: Sentence<1> = Sentence::new("axis {} of the grid is 0");
const GRID_AXIS: Sentence<3> = Sentence::new("the grid has {} along {}; the limit is {}");
const NO_ROOM: Sentence<1> = Sentence::new("the SM cannot hold one block: limited by {}");

impl Refusal {
    /// Appends the reason in words, as every front end shows it.
    pub(crate) const fn write<const CAPACITY: usize>(&self, text: &mut Text<CAPACITY>) {
        use Value::{Axes, Count, Name, Number};
        match *self {
            Refusal::EmptyBlock { axis } => EMPTY_BLOCK.write(text, [Name(axis.name())]),
            Refusal::BlockAxis { axis, threads, most } => {
                BLOCK_AXIS.write(text, [Count(threads as u64, "thread"), Name(axis.name()), Number(most as u64)]);
            }
            Refusal::BlockThreads { threads, most } => {
                BLOCK_THREADS.write(text, [Count(threads as u64, "thread"), Number(most as u64)]);
            }
            Refusal::KernelThreads { threads, most } => {
                KERNEL_THREADS.write(text, [Count(threads as u64, "thread"), Number(most as u64)]);
            }
            Refusal::KernelBlock { block, required } => KERNEL_BLOCK.write(text, [Axes(block), Axes(required)]),
            Refusal::KernelCluster { cluster, required } => {
                KERNEL_CLUSTER.write(text, [Axes(cluster), Axes(required)]);
            }
            Refusal::KernelNeedsCluster => KERNEL_NEEDS_CLUSTER.write(text, []),
            Refusal::KernelClusterBlocks { blocks, most } => {
                KERNEL_CLUSTER_BLOCKS.write(text, [Count(blocks as u64, "block"), Number(most as u64)]);
            }
            Refusal::RegistersPerThread { registers, most } => {
                REGISTERS_PER_THREAD.write(text, [Count(registers as u64, "register"), Number(most as u64)]);
            }
            Refusal::RegistersPerBlock { registers, warps, needed, most } => REGISTERS_PER_BLOCK.write(
                text,
                [Count(registers as u64, "register"), Count(warps as u64, "warp"), Number(needed), Number(most as u64)],
            ),
            Refusal::SharedMemory { bytes, most } => SHARED_MEMORY.write(text, [Number(bytes), Number(most as u64)]),
            Refusal::SharedMemoryOptIn { bytes, most, most_after_optin } => {
                SHARED_MEMORY_OPTIN.write(text, [Number(bytes), Number(most as u64), Number(most_after_optin as u64)]);
            }
            Refusal::Barriers { barriers, most } => {
                BARRIERS.write(text, [Count(barriers as u64, "barrier"), Number(most as u64)]);
            }
            Refusal::VirtualResources { virtual_resources, most } => VIRTUAL_RESOURCES
                .write(text, [Count(virtual_resources as u64, "virtual resource"), Number(most as u64)]),
            Refusal::NoClusters => NO_CLUSTERS.write(text, []),
            Refusal::EmptyCluster { axis } => EMPTY_CLUSTER.write(text, [Name(axis.name())]),
            Refusal::ClusterBlocks { blocks, most } => {
                CLUSTER_BLOCKS.write(text, [Count(blocks as u64, "block"), Number(most as u64)]);
            }
            Refusal::PartialCluster { axis, grid, cluster } => {
                PARTIAL_CLUSTER
                    .write(text, [Count(grid as u64, "block"), Name(axis.name()), Count(cluster as u64, "block")]);
            }
            Refusal::EmptyGrid { axis } => EMPTY_GRID.write(text, [Name(axis.name())]),
            Refusal::GridAxis { axis, blocks, most } => {
                GRID_AXIS.write(text, [Count(blocks as u64, "block"), Name(axis.name()), Number(most as u64)]);
            }
            Refusal::NoRoom { resource } => NO_ROOM.write(text, [Name(resource.name())]),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = Text::<512>::new();
        self.write(&mut text);
        f.write_str(text.as_str())
    }
}
