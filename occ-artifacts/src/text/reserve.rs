//! The driver's part in the shared memory that tools print.

use crate::target::CodeTarget;

/// The first capability whose cubins reserve shared memory for the driver in the size of each kernel's section.
pub(super) const FIRST_WITH_RESERVED_SMEM: u32 = 90;
/// The first whose part `nvlink` leaves out of what it prints.
const FIRST_WITHOUT_RESERVED_IN_NVLINK: u32 = 100;
/// Bytes they reserve.
const RESERVED_SMEM: u32 = 1024;
/// Bytes before the parameters in constant bank 0 from that capability on; the ones before have less.
const PARAMETERS_AFTER_RESERVED: u32 = 0x210;

/// The static shared memory in what `nvlink` prints: from 10.0 on it is that, before it is the size of a section.
pub(super) fn linked_smem(printed: u32, target: Option<CodeTarget>, has_no_reserve: bool) -> Option<u32> {
    let is_own = target.is_some_and(|target| target.number >= FIRST_WITHOUT_RESERVED_IN_NVLINK);
    static_smem(printed, target, has_no_reserve || is_own)
}

/// The static shared memory in the size of a section of final code, of which `cuobjdump` tells.
/// `has_no_reserve`: it is known not to hold the driver's part, whatever the target is.
pub(super) fn static_smem(size: u32, target: Option<CodeTarget>, has_no_reserve: bool) -> Option<u32> {
    match target {
        _ if size == 0 || has_no_reserve => Some(size),
        Some(target) if target.number < FIRST_WITH_RESERVED_SMEM => Some(size),
        Some(_) => size.checked_sub(RESERVED_SMEM),
        None => None,
    }
}

/// Whether these sizes rule out that the driver's part is in the size of the section.
pub(super) fn has_no_reserve(smem: u32, constant_bank_0: Option<u32>) -> bool {
    (1..RESERVED_SMEM).contains(&smem) || constant_bank_0.is_some_and(|size| size < PARAMETERS_AFTER_RESERVED)
}
