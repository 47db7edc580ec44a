//! Demangles kernel names, and matches names in source code with mangled ones.

#[cfg(feature = "demangle")]
mod demangle;
mod path;
mod pattern;
mod view;

use crate::image::KernelImage;
use path::{last_component, path};
pub(crate) use pattern::{NamePattern, Tier};
use view::{View, view};

impl KernelImage {
    /// Returns the demangled name: `void ns::gemm<float, 4>(float const*)`, of Rust `kernels::gemm::<f32>`.
    ///
    /// Returns the name unchanged if it is not mangled, cannot be demangled or would be longer than 64 KiB, and without the
    /// feature `demangle`.
    ///
    /// ```
    /// use occ_artifacts::{Format, KernelImage, Origin};
    ///
    /// let image = KernelImage::new("_ZN2ns4gemmIfLi4EEEvPKT_", Origin::whole(Format::Cubin));
    /// let name = if cfg!(feature = "demangle") { "void ns::gemm<float, 4>(float const*)" } else { &*image.name };
    /// assert_eq!(image.demangled(), name);
    /// ```
    pub fn demangled(&self) -> String {
        demangled(&self.name)
    }
}

/// Returns the demangled name, or the name unchanged if it cannot be demangled.
pub(crate) fn demangled(name: &str) -> String {
    view(name, View::Whole).unwrap_or_else(|| name.to_owned())
}

/// Returns the path of a mangled name without template arguments, `ns::gemm`, if it is certain.
pub(crate) fn full_path(name: &str) -> Option<String> {
    path(name)
}

/// Returns the last component of the path of a mangled name, `gemm`, if it is certain.
pub(crate) fn bare(name: &str) -> Option<String> {
    path(name).map(|path| last_component(&path).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    /// Names of nvcc 13.5; demangled by GNU `c++filt`; their paths.
    const NAMES: [(&str, &str, &str); 8] = [
        ("_Z4statPi", "stat(int*)", "stat"),
        ("_Z3lamIZ2goPiEUliE_EvT_S0_", "void lam<go(int*)::{lambda(int)#1}>(go(int*)::{lambda(int)#1}, int*)", "lam"),
        ("_Z5autoKIL1E1EEvPi", "void autoK<(E)1>(int*)", "autoK"),
        ("_ZN2ns3st2EPf", "ns::st2(float*)", "ns::st2"),
        (
            "_ZN2ns33_GLOBAL__N__3d87e102_4_s_cu_plain4anonIfLi4EEEvPKT_PS2_",
            "void ns::(anonymous namespace)::anon<float, 4>(float const*, float*)",
            "ns::(anonymous namespace)::anon",
        ),
        ("_ZN12_GLOBAL__N_1L3fooEv", "(anonymous namespace)::foo()", "(anonymous namespace)::foo"),
        ("_Z3fooIXadL_Z3barPfiEELb1ELd4000000000000000EEvPT_", "", "foo"),
        ("_Z3fooIN2ns3BoxILNS0_4KindE2EEELi3EEv5ArrayIT_XT0_EEPFviEA4_i", "", "foo"),
    ];

    #[test]
    fn paths() {
        for (name, _, path) in NAMES {
            assert_eq!(view(name, View::Path).as_deref(), Some(path), "{name}");
            let in_a_file = format!("__nv_static_22__3d87e102_4_s_cu_plain_{name}");
            assert_eq!(view(&in_a_file, View::Path).as_deref(), Some(path), "{in_a_file}");
        }
        assert_eq!(bare("plain").as_deref(), Some("plain"));
        assert_eq!(bare("_ZN12_GLOBAL__N_1L3fooEv").as_deref(), Some("foo"));
        assert_eq!(bare("_ZN7kernels4gemm17h0123456789abcdefE").as_deref(), Some("gemm"));
        // `g` is not a hexadecimal digit, so this is not a hash.
        assert_eq!(bare("_ZN7kernels17h0123456789abcdegE").as_deref(), Some("h0123456789abcdeg"));
    }

    /// Operators, constructors, member functions, local functions, suffixes, truncated and malformed names.
    #[test]
    fn uncertain_paths() {
        for name in [
            "_ZplRK1aS1_",
            "_ZN1aC1Ev",
            "_ZN1aD0Ev",
            "_ZNK1a1fEv",
            "_ZZ1fvE1x",
            "_ZTV1a",
            "_Z1fv.part.0",
            "_Z",
            "_ZN",
            "_ZNE",
            "_Z0",
            "_Z9f",
            "_Z3fooI",
            "_Z3fooIiEv_",
            "_Z3fooIiEvE",
            "_Z99999999999999999999f",
            "_ZN1a1fB3abiEv",
            "_Z1fIXplLi1ELi2EEEvv",
            "_ZNSsC1Ev",
            "_ZN4$u7b4gemm17h0123456789abcdefE",
            "_Z3é",
            "_Z1é",
        ] {
            assert_eq!(path::path(name), None, "{name}");
        }
    }

    #[cfg(feature = "demangle")]
    #[test]
    fn demangled_names() {
        for (name, whole, _) in NAMES {
            if !whole.is_empty() {
                assert_eq!(demangled(name), whole);
            }
        }
        // Examples of Rust's RFC 2603, and one in the legacy mangling.
        for (name, whole, path) in [
            ("_RNvC6_123foo3bar", "123foo::bar", "123foo::bar"),
            ("_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>", "std::mem::align_of"),
            ("_ZN7kernels4gemm17h0123456789abcdefE", "kernels::gemm", "kernels::gemm"),
        ] {
            assert_eq!((demangled(name).as_str(), view(name, View::Path).as_deref()), (whole, Some(path)));
        }
        for name in ["plain", "_Z", "_R", "", "é", "_Zé"] {
            assert_eq!(demangled(name), name);
        }
    }

    #[cfg(not(feature = "demangle"))]
    #[test]
    fn without_the_feature_names_stay_mangled() {
        for (name, ..) in NAMES {
            assert_eq!(demangled(name), name);
        }
    }

    /// Each substitution stands for two of the previous one, so the demangled name has exponential length.
    #[test]
    fn exponential_substitutions() {
        let mut name = "_Z3fooI1aIiE".to_owned();
        for at in 0..60_u32 {
            let digit = |at: u32| char::from_digit(at % 36, 36).map_or('0', |digit| digit.to_ascii_uppercase());
            let before = if at < 36 { digit(at).to_string() } else { format!("{}{}", digit(at / 36), digit(at)) };
            for part in ["S_IS", &before, "_S", &before, "_E"] {
                name.push_str(part);
            }
        }
        name += "Evv";
        assert_eq!(path::path(&name).as_deref(), Some("foo"));
        assert_eq!(demangled(&name), name);
    }

    /// Names that would take a demangler minutes, or overflow its stack.
    #[test]
    fn hostile_names() {
        let nested =
            |open: &str, close: &str, count: usize| format!("_Z3fooI{}i{}Evv", open.repeat(count), close.repeat(count));
        let start = Instant::now();
        for count in [3, 10, 17, 30, 60, 127, 2000, 40_000] {
            for (open, close) in [
                ("nw", ""),
                ("Xnw", "E"),
                ("1aIL", "E"),
                ("1aIL", "0EE"),
                ("LN1aI", "EE0E"),
                ("U1aIS_I", "EE"),
                ("DTcl", "E"),
                ("1aI", "E"),
                ("N1aI", "EE"),
                ("P", ""),
                ("PFv", "E"),
                ("Z1fI", "EvvE1b"),
                ("XadL_Z1fI", "EvvEE"),
                ("Xsr1aI", "E1vE"),
                ("IJ", "EE"),
                ("A3_", ""),
                ("UlP", "E_"),
                ("S_I", "E"),
            ] {
                let name = nested(open, close, count);
                assert!(demangled(&name).len() <= name.len().max(64 << 10));
                let pattern = NamePattern::new(&name);
                assert!(Tier::ALL.into_iter().any(|tier| pattern.matches(&name, tier)));
            }
            for name in
                [format!("_R{}", "NvB_".repeat(count)), format!("_RINv{}", "IB_".repeat(count)), "_".repeat(count)]
            {
                assert!(demangled(&name).len() <= name.len().max(64 << 10));
            }
        }
        assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
    }
}
