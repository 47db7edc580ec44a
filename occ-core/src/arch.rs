//! Compute capabilities and their limits.

use crate::limits::SmLimits;
use core::fmt;

/// A compute capability whose limits are known.
///
/// Capabilities are ordered. CUDA 13.0 renamed 10.1 to 11.0: both are [`Arch::SM_110`].
///
/// ```
/// use occ_core::Arch;
///
/// assert_eq!(Arch::new(8, 6), Some(Arch::SM_86));
/// assert_eq!(Arch::SM_86.name(), "sm_86");
/// assert_eq!(Arch::new(10, 1), Arch::new(11, 0));
/// assert_eq!(Arch::new(4, 2), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Arch(u8);

/// A row of the table.
struct Capability {
    major: u8,
    minor: u8,
    name: &'static str,
    limits: SmLimits,
}

macro_rules! archs {
    ($($constant:ident $major:literal $minor:literal;)*) => {
        /// Indices into the table.
        #[allow(non_camel_case_types)]
        enum Index {
            $($constant),*
        }

        static CAPABILITIES: [Capability; Arch::COUNT] = [$(Capability {
            major: $major,
            minor: $minor,
            name: concat!("sm_", $major, $minor),
            limits: SmLimits::$constant,
        }),*];

        impl Arch {
            $(
                #[doc = concat!("Compute capability ", stringify!($major), ".", stringify!($minor), ".")]
                pub const $constant: Arch = Arch(Index::$constant as u8);
            )*

            /// Number of known compute capabilities.
            pub const COUNT: usize = [$(Index::$constant),*].len();

            /// Every known compute capability, ascending.
            pub const ALL: [Arch; Arch::COUNT] = [$(Arch(Index::$constant as u8)),*];
        }
    };
}

archs! {
    SM_35 3 5;
    SM_37 3 7;
    SM_50 5 0;
    SM_52 5 2;
    SM_53 5 3;
    SM_60 6 0;
    SM_61 6 1;
    SM_62 6 2;
    SM_70 7 0;
    SM_72 7 2;
    SM_75 7 5;
    SM_80 8 0;
    SM_86 8 6;
    SM_87 8 7;
    SM_88 8 8;
    SM_89 8 9;
    SM_90 9 0;
    SM_100 10 0;
    SM_103 10 3;
    SM_107 10 7;
    SM_110 11 0;
    SM_120 12 0;
    SM_121 12 1;
}

impl Arch {
    /// Returns the capability `major.minor`, or `None` if its limits are not known. 10.1 is 11.0.
    pub const fn new(major: u32, minor: u32) -> Option<Arch> {
        let (major, minor) = if major == 10 && minor == 1 { (11, 0) } else { (major, minor) };
        let mut at = 0;
        while at < Self::COUNT {
            if CAPABILITIES[at].major as u32 == major && CAPABILITIES[at].minor as u32 == minor {
                return Some(Arch(at as u8));
            }
            at += 1;
        }
        None
    }

    /// Returns the major number of the capability: 8 for 8.6.
    pub const fn major(self) -> u32 {
        CAPABILITIES[self.0 as usize].major as u32
    }

    /// Returns the minor number of the capability: 6 for 8.6.
    pub const fn minor(self) -> u32 {
        CAPABILITIES[self.0 as usize].minor as u32
    }

    /// Returns the name that NVIDIA's tools use: `sm_86` for 8.6.
    pub const fn name(self) -> &'static str {
        CAPABILITIES[self.0 as usize].name
    }

    /// Returns the limits of an SM of this capability.
    pub const fn limits(self) -> &'static SmLimits {
        &CAPABILITIES[self.0 as usize].limits
    }

    /// Returns the index in [`Arch::ALL`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the digits of the name: 86 for 8.6.
    pub(crate) const fn number(self) -> u32 {
        self.major() * 10 + self.minor()
    }
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Arch {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}
