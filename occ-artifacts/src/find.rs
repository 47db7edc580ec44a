//! Finds the kernel that a name refers to.

use crate::image::KernelImage;
use crate::list::{listed, listed_of};
use crate::names::{NamePattern, Tier, bare, demangled, full_path};
use occ_core::internal::edit_distance;
use std::fmt;

/// The maximum number of names in an error.
const MAX_SHOWN: usize = 4;

/// The reason why a name does not identify a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameError {
    /// No kernel has this name.
    Missing {
        /// The name.
        wanted: String,
        /// At most 4 kernels with similar names, demangled, the nearest first.
        nearest: Vec<String>,
        /// The number of kernels.
        total: usize,
    },
    /// Several kernels have this name.
    Ambiguous {
        /// The name.
        wanted: String,
        /// At most 4 of them, demangled; mangled where demangled names are equal.
        candidates: Vec<String>,
        /// The number of kernels of this name.
        total: usize,
    },
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NameError::Missing { wanted, total: 0, .. } => write!(f, "no kernel `{wanted}`; there are no kernels"),
            NameError::Missing { wanted, nearest, total } => {
                let kernels = if *total == 1 { "kernel" } else { "kernels" };
                write!(f, "no kernel `{wanted}` among {total} {kernels}")?;
                if nearest.is_empty() { Ok(()) } else { write!(f, "; did you mean {}?", listed(nearest, "or")) }
            }
            NameError::Ambiguous { wanted, candidates, total } => {
                write!(f, "`{wanted}` matches {total} kernels: {}", listed_of(candidates, *total))
            }
        }
    }
}

impl std::error::Error for NameError {}

/// Returns all images, for any target, of the kernel that `kernel` names.
///
/// The first of these forms that matches a kernel decides: the mangled name; the demangled name (without regard to white
/// space and the return type); its path with template arguments, `ns::gemm<float, 4>`; its path, `ns::gemm`; the last
/// component of the path, `gemm`. The second and the third need the feature `demangle`.
///
/// # Errors
///
/// Returns a [`NameError`] if the name matches no kernel, or more than one.
///
/// ```
/// use occ_artifacts::{Format, KernelImage, Origin, find};
///
/// let images = ["_ZN2ns4gemmEPf", "_Z5saxpyfPfS_"].map(|name| KernelImage::new(name, Origin::whole(Format::Cubin)));
/// assert_eq!(&*find(&images, "ns::gemm").unwrap()[0].name, "_ZN2ns4gemmEPf");
/// assert_eq!(&*find(&images, "saxpy").unwrap()[0].name, "_Z5saxpyfPfS_");
/// assert!(find(&images, "sgemm").unwrap_err().to_string().contains("gemm"));
/// ```
pub fn find<'a>(images: &'a [KernelImage], kernel: &str) -> Result<Vec<&'a KernelImage>, NameError> {
    let pattern = NamePattern::new(kernel);
    let mut names: Vec<&str> = images.iter().map(|image| &*image.name).collect();
    names.sort_unstable();
    names.dedup();
    let possible: Vec<&str> = names.iter().copied().filter(|name| pattern.can_match(name)).collect();
    for tier in Tier::ALL {
        let matching: Vec<&str> = possible.iter().copied().filter(|name| pattern.matches(name, tier)).collect();
        match matching.as_slice() {
            [] => {}
            [name] => return Ok(images.iter().filter(|image| &*image.name == *name).collect()),
            several => {
                let (wanted, total) = (kernel.to_owned(), several.len());
                return Err(NameError::Ambiguous { wanted, candidates: distinct_names(several), total });
            }
        }
    }
    Err(NameError::Missing { wanted: kernel.to_owned(), nearest: nearest(&names, &pattern), total: names.len() })
}

/// Returns the first names demangled, or mangled if two demangled names are equal.
fn distinct_names(names: &[&str]) -> Vec<String> {
    let first = names.get(..MAX_SHOWN).unwrap_or(names);
    let shown: Vec<String> = first.iter().map(|name| demangled(name)).collect();
    if are_different(&shown) { shown } else { first.iter().map(|name| (*name).to_owned()).collect() }
}

/// Returns whether all texts are different.
fn are_different(texts: &[String]) -> bool {
    texts.iter().enumerate().all(|(at, text)| !texts.iter().skip(at + 1).any(|other| other == text))
}

/// Returns the kernels with the most similar names: by edit distance, or because one name contains the other.
fn nearest(names: &[&str], pattern: &NamePattern<'_>) -> Vec<String> {
    let identifier = pattern.identifier();
    let mut near: Vec<(usize, &str)> = names
        .iter()
        .filter_map(|name| {
            let bare = bare(name).unwrap_or_else(|| (*name).to_owned());
            Some((distance(&bare, identifier)?, *name))
        })
        .collect();
    near.sort_unstable();
    near.truncate(MAX_SHOWN);
    let shown: Vec<String> = near.iter().map(|(_, name)| shown(name)).collect();
    if are_different(&shown) { shown } else { near.into_iter().map(|(_, name)| name.to_owned()).collect() }
}

/// Returns a name as a person would write it: demangled, or at least its path.
fn shown(name: &str) -> String {
    let demangled = demangled(name);
    if demangled == name { full_path(name).unwrap_or(demangled) } else { demangled }
}

/// Returns the distance of two names if they are similar. A name that contains the other is at distance 1 at most.
fn distance(name: &str, wanted: &str) -> Option<usize> {
    if wanted.is_empty() {
        return None;
    }
    let edits = edit_distance(name, wanted);
    let is_contained = wanted.len() >= 3 && name.len() >= 3 && (name.contains(wanted) || wanted.contains(name));
    if is_contained { Some(edits.min(1)) } else { Some(edits).filter(|edits| *edits < 2 + wanted.len() / 3) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::{Format, Origin};

    fn named(names: &[&str]) -> Vec<KernelImage> {
        names.iter().map(|name| KernelImage::new(*name, Origin::whole(Format::Cubin))).collect()
    }

    fn found(images: &[KernelImage], kernel: &str) -> String {
        match find(images, kernel) {
            Ok(found) => found.iter().map(|image| &*image.name).collect::<Vec<_>>().join(" "),
            Err(error) => error.to_string(),
        }
    }

    /// Names of nvcc 13.5, with and without `-rdc=true`.
    const NAMES: [&str; 7] = [
        "_Z4statPi",
        "plain",
        "_Z3lamIZ2goPiEUliE_EvT_S0_",
        "_Z5autoKIL1E1EEvPi",
        "_Z5autoKILj3EEvPi",
        "_ZN2ns33_GLOBAL__N__3d87e102_4_s_cu_plain4anonIfLi4EEEvPKT_PS2_",
        "__nv_static_22__3d87e102_4_s_cu_plain__ZN2ns3st2EPf",
    ];

    #[test]
    fn paths_and_bare_names() {
        let images = named(&NAMES);
        for (at, names) in [
            (0, &["_Z4statPi", "stat", " stat "][..]),
            (1, &["plain"]),
            (2, &["lam"]),
            (5, &["ns::(anonymous namespace)::anon", "anon", "ns :: (anonymous  namespace)::anon"]),
            (6, &["ns::st2", "st2", NAMES[6]]),
        ] {
            for name in names {
                assert_eq!(found(&images, name), NAMES[at], "{name}");
            }
        }
    }

    #[cfg(feature = "demangle")]
    #[test]
    fn demangled_names() {
        let images = named(&NAMES);
        for (at, names) in [
            (0, &["stat(int*)", "stat(int *)", "stat( int* )"][..]),
            (2, &["lam<go(int*)::{lambda(int)#1}>"]),
            (3, &["autoK<(E)1>", "void autoK<(E)1>(int*)", "autoK<(E)1>(int *)"]),
            (4, &["autoK<(unsigned int)3>", "autoK<3u>", "autoK<3>", "autoK< 3U >(int*)"]),
            (
                5,
                &[
                    "void ns::(anonymous namespace)::anon<float, 4>(float const*, float*)",
                    "ns::(anonymous namespace)::anon<float,4>(float const *,float *)",
                    "ns::(anonymous namespace)::anon<float, (int)4>",
                ],
            ),
            (6, &["ns::st2(float*)"]),
        ] {
            for name in names {
                assert_eq!(found(&images, name), NAMES[at], "{name}");
            }
        }
        assert_eq!(
            found(&images, "autoK"),
            "`autoK` matches 2 kernels: `void autoK<(E)1>(int*)` and `void autoK<(unsigned int)3>(int*)`"
        );
    }

    #[test]
    fn the_most_specific_match_wins() {
        let images = named(&["_Z4gemmPf", "_ZN2ns4gemmEPf", "gemm"]);
        assert_eq!(found(&images, "gemm"), "gemm");
        assert_eq!(found(&images, "ns::gemm"), "_ZN2ns4gemmEPf");
        let images = named(&["_Z4gemmPf", "_ZN2ns4gemmEPf"]);
        assert_eq!(found(&images, "gemm"), "_Z4gemmPf");
    }

    /// Demangled names of kernels in the anonymous namespaces of two files are equal, so the mangled ones are shown.
    #[test]
    fn ambiguous_names() {
        let names = ["_ZN23_GLOBAL__N__0a_4_a_cu_b1kEPi", "_ZN23_GLOBAL__N__1b_4_b_cu_b1kEPi"];
        let images = named(&names);
        let Err(NameError::Ambiguous { candidates, total, .. }) = find(&images, "k") else { panic!() };
        assert_eq!((candidates, total), (names.map(str::to_owned).to_vec(), 2));
        let many: Vec<String> = (0..7).map(|n| format!("_ZN1{}1kEv", char::from(b'a' + n))).collect();
        let many = named(&many.iter().map(String::as_str).collect::<Vec<_>>());
        assert!(found(&many, "k").ends_with("and 3 more"), "{}", found(&many, "k"));
    }

    #[test]
    fn missing_names() {
        let images = named(&["_Z5saxpyfPfS_", "_Z5daxpydPdS_", "_Z12reduce_finalPf", "completely_different"]);
        let Err(NameError::Missing { nearest, total, .. }) = find(&images, "sxpy") else { panic!() };
        assert_eq!((nearest.len(), total), (2, 4));
        assert!(nearest[0].contains("saxpy"), "{nearest:?}");
        let Err(NameError::Missing { nearest, .. }) = find(&images, "reduce<float>") else { panic!() };
        assert!(nearest.len() == 1 && nearest[0].contains("reduce_final"), "{nearest:?}");
        assert_eq!(found(&[], "k"), "no kernel `k`; there are no kernels");
        for hostile in ["", " ", "::", "<", "(", "é", "(anonymous namespace)", "operator()", "_Z", "a::", "<>(", "é<é>"]
        {
            assert!(find(&images, hostile).is_err(), "{hostile}");
        }
    }
}
