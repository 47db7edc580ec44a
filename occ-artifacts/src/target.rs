//! The targets of compiled code.

use occ_core::{Arch, Code, Portability, Target};
use std::fmt;

/// The target that code was built for, whether or not [`occ_core`] knows the limits of its capability.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CodeTarget {
    /// Ten times the capability: 86 for 8.6, 120 for 12.0.
    pub number: u32,
    /// Machine code or PTX.
    pub code: Code,
    /// The suffix. A cubin alone does not tell `sm_100f` from `sm_100`.
    pub portability: Portability,
}

impl CodeTarget {
    /// Parses `sm_90a` or `compute_80`; `None` for anything else.
    #[cfg(any(feature = "text", feature = "baseline"))]
    pub(crate) fn parse(name: &str) -> Option<CodeTarget> {
        let (code, version) = match name.strip_prefix("sm_") {
            Some(version) => (Code::Binary, version),
            None => (Code::Ptx, name.strip_prefix("compute_")?),
        };
        let digits = version.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        let portability = match version.strip_prefix(digits)? {
            "" => Portability::Base,
            "f" => Portability::Family,
            "a" => Portability::Specific,
            _ => return None,
        };
        // `parse` accepts a sign.
        let number = digits.parse().ok().filter(|_| !digits.starts_with('+'))?;
        Some(CodeTarget { number, code, portability })
    }

    /// Returns the target in the model's terms, if its capability and suffix are known there.
    pub fn known(self) -> Option<Target> {
        Target::new(Arch::new(self.number / 10, self.number % 10)?, self.code, self.portability)
    }

    /// Returns whether this code can run on a device of capability `arch`.
    pub fn runs_on(self, arch: Arch) -> bool {
        self.known().is_some_and(|target| target.runs_on(arch))
    }
}

impl fmt::Display for CodeTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.code.prefix(), self.number, self.portability.suffix())
    }
}

#[cfg(all(test, any(feature = "text", feature = "baseline")))]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for name in ["sm_50", "sm_90a", "sm_100f", "compute_120f", "compute_80", "sm_4294967295"] {
            assert_eq!(CodeTarget::parse(name).unwrap().to_string(), name);
        }
        for name in ["", "sm_", "sm_a", "sm_+80", "sm_-80", "sm_80b", "sm_8O", "sm_80aa", "sm80", "80", "sm_4294967296"]
        {
            assert_eq!(CodeTarget::parse(name), None, "{name}");
        }
    }

    /// The model parses the same target from the name.
    #[test]
    fn known_targets() {
        for number in (0..200).chain([1000, 10_000, u32::MAX]) {
            for code in [Code::Binary, Code::Ptx] {
                for portability in [Portability::Base, Portability::Family, Portability::Specific] {
                    let target = CodeTarget { number, code, portability };
                    assert_eq!(target.known(), Target::parse(&target.to_string()).ok(), "{target}");
                }
            }
        }
    }
}
