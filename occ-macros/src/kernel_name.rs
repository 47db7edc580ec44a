//! Kernel names: whether a declared name and the name in a launch can mean the same kernel.

/// Returns whether a declared name, in any form, can be that of the kernel which `launch!(module.launched<<<..` names.
pub(crate) fn is_same_kernel(declared: &str, launched: &str) -> bool {
    let is_mangled = |name: &str| name.starts_with("_Z") || name.starts_with("_R");
    match (is_mangled(declared), is_mangled(launched)) {
        (false, false) => last_identifier(declared) == launched,
        (true, true) => declared == launched,
        (true, false) => contains_identifier(declared, launched),
        (false, true) => contains_identifier(launched, last_identifier(declared)),
    }
}

/// Returns `gemm` of `ns::gemm<float, 4>(float const*)`.
fn last_identifier(name: &str) -> &str {
    let path = name.split(['<', '(']).next().unwrap_or(name).trim_end();
    let identifier = path.rsplit([':', ' ']).next().unwrap_or(path);
    identifier.strip_prefix("r#").unwrap_or(identifier)
}

/// Returns whether a mangled name contains an identifier, which is preceded by its length there.
fn contains_identifier(mangled: &str, identifier: &str) -> bool {
    let encoded = format!("{}{identifier}", identifier.len());
    mangled.match_indices(&encoded).any(|(at, _)| !mangled[..at].ends_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_every_form() {
        for (declared, launched, is_same) in [
            ("saxpy", "saxpy", true),
            ("saxpy", "axpy", false),
            ("ns::gemm<float, 4>(float const*)", "gemm", true),
            ("void r#loop(int)", "loop", true),
            ("_ZN2ns4gemmEv", "gemm", true),
            ("_ZN2ns14gemmEv", "gemm", false),
            ("ns::gemm", "_ZN2ns4gemmEv", true),
            ("_Z4gemmv", "_Z4gemmi", false),
        ] {
            assert_eq!(is_same_kernel(declared, launched), is_same, "{declared}, {launched}");
        }
    }
}
