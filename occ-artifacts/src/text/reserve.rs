//! The shared memory that the driver reserves, and which numbers of tools include it.

use crate::target::CodeTarget;

/// The first capability where the size of a kernel's section includes the driver's reserve.
pub(super) const FIRST_WITH_RESERVED_SMEM: u32 = 90;
/// The first capability where the number that `nvlink` prints does not include it.
const FIRST_WITHOUT_RESERVED_IN_NVLINK: u32 = 100;
/// The driver's reserve per block, in bytes.
const RESERVED_SMEM: u32 = 1024;
/// Bytes before the parameters in constant bank 0 on capabilities with the reserve; earlier ones have fewer.
const PARAMETERS_AFTER_RESERVED: u32 = 0x210;

/// Returns the static shared memory for a number that `nvlink` prints: from 10.0 on that number, before that the size of a
/// section.
pub(super) fn linked_smem(printed: u32, target: Option<CodeTarget>, has_no_reserve: bool) -> Option<u32> {
    let excludes_reserve = target.is_some_and(|target| target.number >= FIRST_WITHOUT_RESERVED_IN_NVLINK);
    static_smem(printed, target, has_no_reserve || excludes_reserve)
}

/// Returns the static shared memory for the size of a section of final code, as `cuobjdump` prints it.
///
/// With `has_no_reserve`, the size is known not to include the driver's reserve, whatever the target is.
pub(super) fn static_smem(size: u32, target: Option<CodeTarget>, has_no_reserve: bool) -> Option<u32> {
    match target {
        _ if size == 0 || has_no_reserve => Some(size),
        Some(target) if target.number < FIRST_WITH_RESERVED_SMEM => Some(size),
        Some(_) => size.checked_sub(RESERVED_SMEM),
        None => None,
    }
}

/// Returns whether these sizes prove that the size of the section does not include the driver's reserve.
pub(super) fn has_no_reserve(smem: u32, constant_bank_0: Option<u32>) -> bool {
    (1..RESERVED_SMEM).contains(&smem) || constant_bank_0.is_some_and(|size| size < PARAMETERS_AFTER_RESERVED)
}
