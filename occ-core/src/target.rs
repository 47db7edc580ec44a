//! [`Target`]: what code is built for, and on which compute capabilities it runs.

use crate::arch::Arch;
use core::fmt;

/// The kind of a target's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// Machine code: `sm_80`.
    Binary,
    /// PTX, which the driver compiles: `compute_80`.
    Ptx,
}

/// Whether a target's code may use features that later capabilities lack. Ordered from the most portable on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Portability {
    /// No such features: `sm_90`.
    Base,
    /// Features of one family: `sm_100f` (10.0 and later).
    Family,
    /// Features of a single capability: `sm_90a` (9.0 and later).
    Specific,
}

impl Code {
    /// Returns the prefix of a target's name: `sm_` or `compute_`.
    pub const fn prefix(self) -> &'static str {
        match self {
            Code::Binary => "sm_",
            Code::Ptx => "compute_",
        }
    }
}

impl Portability {
    /// Returns the suffix of a target's name: nothing, `f` or `a`.
    pub const fn suffix(self) -> &'static str {
        match self {
            Portability::Base => "",
            Portability::Family => "f",
            Portability::Specific => "a",
        }
    }
}

/// What code is built for: `sm_90`, `sm_90a`, `sm_100f`, `compute_80`.
///
/// ```
/// use occ_core::{Arch, Target};
///
/// let target = Target::parse("sm_80").unwrap();
/// assert!(target.runs_on(Arch::SM_86));
/// assert!(!target.runs_on(Arch::SM_90));
/// assert!(!Target::parse("sm_90a").unwrap().runs_on(Arch::SM_100));
/// assert!(Target::parse("compute_80").unwrap().runs_on(Arch::SM_120));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    arch: Arch,
    code: Code,
    portability: Portability,
}

/// The error for a target that is not known, with the nearest known capabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownTarget {
    /// Why the target is not known.
    pub reason: UnknownTargetReason,
    /// The two nearest known capabilities, the nearest first.
    pub nearest: [Arch; 2],
}

/// The reason why a target is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnknownTargetReason {
    /// The name is not of the form `sm_80`, `sm_90a`, `sm_100f` or `compute_80`.
    Form,
    /// The limits of the capability are not known.
    Capability,
    /// The capability has no targets with this suffix.
    Suffix,
}

impl fmt::Display for UnknownTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = self.nearest;
        match self.reason {
            UnknownTargetReason::Form => {
                write!(f, "not a target such as `{first}`, `sm_90a`, `sm_100f` or `compute_80`")
            }
            UnknownTargetReason::Capability => {
                write!(f, "unknown compute capability, the nearest known are `{first}` and `{second}`")
            }
            UnknownTargetReason::Suffix => write!(f, "`{first}` has no targets with this suffix"),
        }
    }
}

impl core::error::Error for UnknownTarget {}

impl Target {
    /// Parses the name of a target: `sm_80`, `sm_90a`, `sm_100f`, `compute_80`, `compute_120f`.
    ///
    /// # Errors
    ///
    /// Returns [`UnknownTarget`] for any other name, with the nearest known capabilities.
    pub const fn parse(name: &str) -> Result<Target, UnknownTarget> {
        let bytes = name.as_bytes();
        let (code, start) = if starts_with(bytes, b"sm_") {
            (Code::Binary, 3)
        } else if starts_with(bytes, b"compute_") {
            (Code::Ptx, 8)
        } else {
            (Code::Binary, 0)
        };
        let mut at = start;
        let mut number = 0;
        while at < bytes.len() && bytes[at].is_ascii_digit() && number < 10_000 {
            number = number * 10 + (bytes[at] - b'0') as u32;
            at += 1;
        }
        let portability = match bytes.len() - at {
            0 => Some(Portability::Base),
            1 if bytes[at] == b'a' => Some(Portability::Specific),
            1 if bytes[at] == b'f' => Some(Portability::Family),
            _ => None,
        };
        let nearest = nearest(number);
        let Some(portability) = portability else {
            return unknown(UnknownTargetReason::Form, nearest);
        };
        // Every real capability has at least two digits and no leading zero.
        if start == 0 || at - start < 2 || bytes[start] == b'0' {
            return unknown(UnknownTargetReason::Form, nearest);
        }
        let Some(arch) = Arch::new(number / 10, number % 10) else {
            return unknown(UnknownTargetReason::Capability, nearest);
        };
        match Target::new(arch, code, portability) {
            Some(target) => Ok(target),
            None => unknown(UnknownTargetReason::Suffix, [arch, nearest[1]]),
        }
    }

    /// Returns the target of a capability, or `None` if the capability has no such suffix.
    ///
    /// `a` exists on 9.0 and later, `f` on 10.0 and later.
    pub const fn new(arch: Arch, code: Code, portability: Portability) -> Option<Target> {
        let suffix_exists = match portability {
            Portability::Base => true,
            Portability::Specific => arch.major() >= 9,
            Portability::Family => arch.major() >= 10,
        };
        if suffix_exists { Some(Target { arch, code, portability }) } else { None }
    }

    /// Returns the capability the code was built for.
    pub const fn arch(self) -> Arch {
        self.arch
    }

    /// Returns the kind of the code.
    pub const fn code(self) -> Code {
        self.code
    }

    /// Returns whether the code may use features that later capabilities lack.
    pub const fn portability(self) -> Portability {
        self.portability
    }

    /// Returns the target of the same capability and suffix for other code: `compute_90` for `sm_90`.
    #[must_use]
    pub const fn with_code(mut self, code: Code) -> Target {
        self.code = code;
        self
    }

    /// Returns whether code of this target can run on a device of capability `arch`.
    ///
    /// Machine code runs on the same and later minor versions of its major version, PTX on every later capability. With
    /// `f` both run within the family only, with `a` on a single capability.
    pub const fn runs_on(self, arch: Arch) -> bool {
        let same_major = arch.major() == self.arch.major();
        let not_older = arch.index() >= self.arch.index();
        match self.portability {
            Portability::Specific => arch.index() == self.arch.index(),
            Portability::Family => same_major && not_older,
            Portability::Base => match self.code {
                Code::Binary => same_major && not_older,
                Code::Ptx => not_older,
            },
        }
    }
}

/// Returns the error for an unknown target.
const fn unknown(reason: UnknownTargetReason, nearest: [Arch; 2]) -> Result<Target, UnknownTarget> {
    Err(UnknownTarget { reason, nearest })
}

/// Returns whether `bytes` starts with `prefix`: `slice::starts_with` is not `const`.
const fn starts_with(bytes: &[u8], prefix: &[u8]) -> bool {
    if bytes.len() < prefix.len() {
        return false;
    }
    let mut at = 0;
    while at < prefix.len() {
        if bytes[at] != prefix[at] {
            return false;
        }
        at += 1;
    }
    true
}

/// Returns the two known capabilities with the numbers nearest to `number` (86 for 8.6). The lower one wins a tie.
const fn nearest(number: u32) -> [Arch; 2] {
    let mut first = 0;
    let mut second = 1;
    let mut at = 1;
    while at < Arch::COUNT {
        let distance = Arch::ALL[at].number().abs_diff(number);
        if distance < Arch::ALL[first].number().abs_diff(number) {
            second = first;
            first = at;
        } else if second == first || distance < Arch::ALL[second].number().abs_diff(number) {
            second = at;
        }
        at += 1;
    }
    [Arch::ALL[first], Arch::ALL[second]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::vec::Vec;

    #[test]
    fn capabilities_are_ascending_and_named() {
        for pair in Arch::ALL.windows(2) {
            assert!(pair[0].number() < pair[1].number());
        }
        for arch in Arch::ALL {
            assert_eq!(Target::parse(arch.name()).map(Target::arch), Ok(arch));
        }
    }

    #[test]
    fn old_name_of_thor() {
        for name in ["sm_101", "sm_101a", "sm_101f", "compute_101"] {
            assert_eq!(Target::parse(name).map(Target::arch), Ok(Arch::SM_110), "{name}");
        }
    }

    /// Which targets exist: `ptxas --help` of toolkits 11.8 to 13.5.
    #[test]
    fn suffixes() {
        for name in
            ["sm_90a", "sm_100a", "sm_100f", "sm_103f", "sm_107f", "sm_110f", "sm_120f", "sm_121f", "compute_120a"]
        {
            assert!(Target::parse(name).is_ok(), "{name}");
        }
        for name in ["sm_80a", "sm_86f", "sm_90f"] {
            assert_eq!(Target::parse(name).map_err(|e| e.reason), Err(UnknownTargetReason::Suffix), "{name}");
        }
        for name in [
            "",
            "sm_",
            "sm",
            "80",
            "8.0",
            "sm_8O",
            "SM_80",
            "sm_80 ",
            "sm_090",
            "sm_80aa",
            "compute_",
            "sm_99999999999",
            "ſm_80",
        ] {
            assert_eq!(Target::parse(name).map_err(|e| e.reason), Err(UnknownTargetReason::Form), "{name}");
        }
        for name in ["sm_85", "sm_81", "sm_99", "compute_130", "sm_20"] {
            assert_eq!(Target::parse(name).map_err(|e| e.reason), Err(UnknownTargetReason::Capability), "{name}");
        }
        assert_eq!(Target::parse("sm_85").map_err(|e| e.nearest), Err([Arch::SM_86, Arch::SM_87]));
    }

    /// The rules of compatibility, one row a target: where its code runs.
    #[test]
    fn where_code_runs() {
        let rows: [(&str, &[Arch]); 9] = [
            ("sm_80", &[Arch::SM_80, Arch::SM_86, Arch::SM_87, Arch::SM_88, Arch::SM_89]),
            ("sm_86", &[Arch::SM_86, Arch::SM_87, Arch::SM_88, Arch::SM_89]),
            ("sm_90", &[Arch::SM_90]),
            ("sm_90a", &[Arch::SM_90]),
            ("sm_100", &[Arch::SM_100, Arch::SM_103, Arch::SM_107]),
            ("sm_100f", &[Arch::SM_100, Arch::SM_103, Arch::SM_107]),
            ("sm_103f", &[Arch::SM_103, Arch::SM_107]),
            ("sm_120f", &[Arch::SM_120, Arch::SM_121]),
            ("compute_100f", &[Arch::SM_100, Arch::SM_103, Arch::SM_107]),
        ];
        for (name, expected) in rows {
            let target = Target::parse(name).unwrap();
            let runs: Vec<Arch> = Arch::ALL.into_iter().filter(|&arch| target.runs_on(arch)).collect();
            assert_eq!(runs, expected, "{name}");
        }
        let ptx = Target::parse("compute_80").unwrap();
        assert!(Arch::ALL.into_iter().all(|arch| ptx.runs_on(arch) == (arch >= Arch::SM_80)));
    }
}
