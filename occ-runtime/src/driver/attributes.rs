//! The attributes that the guard reads, by their numbers in `cuda.h`.

/// Declares an enum of attributes with their numbers, and all of them as a list.
macro_rules! attributes {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $number:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize))]
        #[non_exhaustive]
        #[repr(i32)]
        pub enum $name {
            $($(#[$variant_doc])* $variant = $number,)*
        }

        impl $name {
            /// All attributes, ordered by number.
            pub const ALL: &[$name] = &[$($name::$variant),*];

            /// Returns the attribute's number in `cuda.h`.
            pub const fn number(self) -> i32 {
                self as i32
            }
        }
    };
}

attributes! {
    /// An attribute of a device (`CUdevice_attribute`).
    DeviceAttribute {
        /// Most threads in a block.
        MaxThreadsPerBlock = 1,
        /// Most threads along x of a block.
        MaxBlockDimX = 2,
        /// Most threads along y of a block.
        MaxBlockDimY = 3,
        /// Most threads along z of a block.
        MaxBlockDimZ = 4,
        /// Most blocks along x of a grid.
        MaxGridDimX = 5,
        /// Most blocks along y of a grid.
        MaxGridDimY = 6,
        /// Most blocks along z of a grid.
        MaxGridDimZ = 7,
        /// Shared memory of a block without the opt-in, in bytes.
        MaxSharedMemoryPerBlock = 8,
        /// Threads in a warp.
        WarpSize = 10,
        /// Most registers of a block.
        MaxRegistersPerBlock = 12,
        /// Number of SMs.
        MultiprocessorCount = 16,
        /// Most resident threads of an SM.
        MaxThreadsPerMultiprocessor = 39,
        /// Compute capability, major.
        ComputeCapabilityMajor = 75,
        /// Compute capability, minor.
        ComputeCapabilityMinor = 76,
        /// Shared memory of an SM, in bytes.
        MaxSharedMemoryPerMultiprocessor = 81,
        /// Registers of an SM.
        MaxRegistersPerMultiprocessor = 82,
        /// Shared memory of a block with the opt-in, in bytes.
        MaxSharedMemoryPerBlockOptin = 97,
        /// Most resident blocks of an SM (from CUDA 11.0).
        MaxBlocksPerMultiprocessor = 106,
        /// Shared memory that the driver reserves in each block, in bytes (from CUDA 11.0).
        ReservedSharedMemoryPerBlock = 111,
        /// Whether the device launches clusters, 0 or 1 (from CUDA 11.8).
        ClusterLaunch = 120,
    }
}

attributes! {
    /// An attribute of a function (`CUfunction_attribute`).
    FunctionAttribute {
        /// Most threads of a block, by the device, `__launch_bounds__` and the registers.
        MaxThreadsPerBlock = 0,
        /// Static shared memory per block, in bytes.
        SharedSizeBytes = 1,
        /// Local memory per thread, in bytes.
        LocalSizeBytes = 3,
        /// Registers per thread.
        NumRegs = 4,
        /// The PTX version it was compiled from, as 10 × major + minor.
        PtxVersion = 5,
        /// The capability its binary is for, as 10 × major + minor.
        BinaryVersion = 6,
        /// Most dynamic shared memory of a launch, in bytes. The opt-in raises it.
        MaxDynamicSharedSizeBytes = 8,
        /// The preferred carve-out in percent; -1 for none.
        PreferredSharedMemoryCarveout = 9,
        /// Whether it must be launched as clusters, 0 or 1 (from CUDA 11.8, as all that follow).
        ClusterSizeMustBeSet = 10,
        /// Blocks along x of the cluster that the kernel was compiled for; 0 for none.
        RequiredClusterWidth = 11,
        /// Blocks along y of that cluster.
        RequiredClusterHeight = 12,
        /// Blocks along z of that cluster.
        RequiredClusterDepth = 13,
        /// Whether clusters larger than the portable size are allowed, 0 or 1.
        NonPortableClusterSizeAllowed = 14,
    }
}
