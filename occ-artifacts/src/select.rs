//! Selects the image of a kernel that a device runs.

use crate::image::KernelImage;
use crate::list::listed;
use crate::origin::Format;
use crate::quantity::{Quantity, difference};
use crate::target::CodeTarget;
use occ_core::{Arch, Code, Portability};
use std::fmt;

/// The reason why no image was selected for a capability.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TargetError {
    /// No machine code runs on the capability.
    None {
        /// The capability.
        arch: Arch,
        /// The targets that there is code for, in ascending order.
        held: Vec<CodeTarget>,
        /// The PTX that the driver would compile for it, with registers of its own choice.
        ptx: Option<CodeTarget>,
    },
    /// There are several images for the target that would run, with different resources: the name does not tell which is
    /// launched.
    Contradicting {
        /// The target. `None` where the sources do not say.
        target: Option<CodeTarget>,
        /// The quantity that differs.
        quantity: Quantity,
        /// Two values of it.
        values: [String; 2],
    },
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TargetError::None { arch, held, ptx } => {
                write!(f, "no machine code for `{arch}`")?;
                if !held.is_empty() {
                    write!(f, "; there is code for {}", listed(held, "and"))?;
                }
                match ptx {
                    Some(ptx) => {
                        write!(f, "; the driver compiles `{ptx}`, whose registers are unknown until then")
                    }
                    None => Ok(()),
                }
            }
            TargetError::Contradicting { target, quantity, values: [one, other] } => {
                f.write_str("there are several images of the kernel")?;
                if let Some(target) = target {
                    write!(f, " for `{target}`")?;
                }
                write!(f, " with different {quantity} ({one} and {other}); name the file it is launched from")
            }
        }
    }
}

impl std::error::Error for TargetError {}

/// Returns the image of one kernel that a device of capability `arch` runs: the machine code for the highest capability
/// that can run there, and of several for that one the most specific (`a` before `f` before none).
///
/// PTX is never selected: its register count is unknown until the driver compiles it. Images without a target are selected
/// for any capability, but only if no image has one. Linked code comes before code that is not linked yet.
///
/// The order follows NVIDIA's compatibility rules, which prefer code for the device's own capability to code for an
/// earlier minor version. They do not say that a suffix comes first where both fit; it is assumed here.
///
/// # Errors
///
/// Returns [`TargetError::None`] if no machine code runs there, and [`TargetError::Contradicting`] if there are several
/// images for the selected target with different resources.
pub fn select_image<'a>(images: &[&'a KernelImage], arch: Arch) -> Result<&'a KernelImage, TargetError> {
    let targets: Vec<CodeTarget> = images.iter().filter_map(|image| image.target).collect();
    let selected = if targets.is_empty() {
        None
    } else {
        let best = targets
            .iter()
            .copied()
            .filter(|target| is_machine_code(*target) && target.runs_on(arch))
            .max_by_key(|target| preference(*target));
        Some(best.ok_or_else(|| none(arch, targets.clone()))?)
    };
    let candidates: Vec<&KernelImage> =
        images.iter().copied().filter(|image| image.origin.format != Format::Ptx && image.target == selected).collect();
    let is_linked = candidates.iter().any(|image| image.is_linked);
    let mut candidates = candidates.into_iter().filter(|image| image.is_linked == is_linked);
    let Some(mut best) = candidates.next() else {
        return Err(none(arch, targets));
    };
    for other in candidates {
        if let Some((quantity, values)) = difference(best, other) {
            return Err(TargetError::Contradicting { target: selected, quantity, values });
        }
        if best.registers.is_none() && other.registers.is_some() {
            best = other;
        }
    }
    Ok(best)
}

fn is_machine_code(target: CodeTarget) -> bool {
    target.code == Code::Binary
}

/// Returns the rank of a target: later capabilities and narrower targets are preferred. 10.1 is the former number of 11.0.
fn preference(target: CodeTarget) -> (usize, Portability) {
    (target.known().map_or(0, |known| known.arch().index()), target.portability)
}

fn none(arch: Arch, mut held: Vec<CodeTarget>) -> TargetError {
    held.sort_by_key(|target| (target.code == Code::Ptx, target.number, preference(*target).1));
    held.dedup();
    let runs = |target: &&CodeTarget| !is_machine_code(**target) && target.runs_on(arch);
    let ptx = held.iter().filter(runs).max_by_key(|target| preference(**target)).copied();
    TargetError::None { arch, held, ptx }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::Origin;

    fn for_target(target: &str, registers: u32) -> KernelImage {
        let known = occ_core::Target::parse(target).unwrap();
        let number = known.arch().major() * 10 + known.arch().minor();
        let format = if known.code() == Code::Ptx { Format::Ptx } else { Format::Cubin };
        let target = CodeTarget { number, code: known.code(), portability: known.portability() };
        let registers = (format != Format::Ptx).then_some(registers);
        KernelImage { target: Some(target), registers, ..KernelImage::new("k", Origin::whole(format)) }
    }

    fn chosen(targets: &[&str], arch: Arch) -> String {
        let images: Vec<KernelImage> = targets.iter().map(|target| for_target(target, 16)).collect();
        match select_image(&images.iter().collect::<Vec<_>>(), arch) {
            Ok(image) => image.target.unwrap().to_string(),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn selected_targets() {
        let held = ["compute_80", "sm_75", "sm_80", "sm_86", "sm_90", "sm_90a", "sm_100f", "sm_100", "sm_103"];
        for (arch, target) in [
            (Arch::SM_75, "sm_75"),
            (Arch::SM_80, "sm_80"),
            (Arch::SM_87, "sm_86"),
            (Arch::SM_89, "sm_86"),
            (Arch::SM_90, "sm_90a"),
            (Arch::SM_100, "sm_100f"),
            (Arch::SM_103, "sm_103"),
        ] {
            assert_eq!(chosen(&held, arch), target);
        }
        assert_eq!(
            chosen(&["sm_90", "sm_75", "compute_75", "compute_90"], Arch::SM_80),
            "no machine code for `sm_80`; there is code for `sm_75`, `sm_90`, `compute_75` and `compute_90`; the driver compiles \
             `compute_75`, whose registers are unknown until then"
        );
        assert_eq!(chosen(&["sm_90a"], Arch::SM_100), "no machine code for `sm_100`; there is code for `sm_90a`");
        assert_eq!(chosen(&[], Arch::SM_100), "no machine code for `sm_100`");
    }

    #[test]
    fn several_images_for_a_target() {
        let images = [for_target("sm_80", 40), for_target("sm_80", 40), for_target("sm_86", 41)];
        let images: Vec<_> = images.iter().collect();
        assert_eq!(select_image(&images, Arch::SM_80).unwrap().registers, Some(40));
        let other = for_target("sm_80", 42);
        let error = select_image(&[images[0], images[1], &other], Arch::SM_89).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there are several images of the kernel for `sm_80` with different registers (40 and 42); name the file it is \
             launched from"
        );
        let unlinked = KernelImage { is_linked: false, ..other };
        assert_eq!(select_image(&[&unlinked, images[0]], Arch::SM_80).unwrap().registers, Some(40));
    }

    #[test]
    fn without_a_target() {
        let text = KernelImage { registers: Some(24), ..KernelImage::new("k", Origin::whole(Format::ResourceUsage)) };
        assert_eq!(select_image(&[&text], Arch::SM_90).unwrap().registers, Some(24));
        assert!(select_image(&[&text, &for_target("sm_80", 24)], Arch::SM_90).is_err());
    }
}
