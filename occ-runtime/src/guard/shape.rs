//! The comparison of a launch's shape with the spec's, which is made at every launch.

use super::mismatch::Mismatch;
use crate::driver::Launched;
use crate::spec::LaunchSpec;

impl Launched {
    /// Creates a launch of `grid` blocks with block, dynamic shared memory and cluster of the spec.
    #[inline]
    pub const fn of(spec: &LaunchSpec, grid: [u32; 3]) -> Self {
        let launch = spec.shape();
        Launched { grid, block: launch.block, dynamic_smem: launch.dynamic_smem, cluster: launch.cluster }
    }

    /// Returns the first difference from the spec's shape.
    #[inline]
    pub(crate) fn difference(&self, spec: &LaunchSpec) -> Option<Mismatch> {
        let declared = spec.shape();
        if self.block != declared.block {
            return Some(Mismatch::Block { declared: declared.block, launched: self.block });
        }
        if self.dynamic_smem != declared.dynamic_smem {
            let (declared, launched) = (declared.dynamic_smem, self.dynamic_smem);
            return Some(Mismatch::DynamicSmem { declared, launched });
        }
        match self.cluster {
            Some(_) if self.cluster != declared.cluster => {
                Some(Mismatch::Cluster { declared: declared.cluster, launched: self.cluster })
            }
            _ => None,
        }
    }
}
