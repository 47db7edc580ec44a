//! How much of a name is shown.

#[cfg(feature = "demangle")]
use super::demangle;
use super::path::path;
#[cfg(feature = "demangle")]
use super::path::{is_rust_legacy, without_static_prefix};
#[cfg(feature = "demangle")]
use cpp_demangle::DemangleOptions;

#[cfg(feature = "demangle")]
/// Longest name that is demangled. Names up to 2,024 bytes were seen.
const LONGEST_NAME: usize = 8 << 10;

/// How much of a name is shown.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum View {
    /// All: `void ns::gemm<float, 4>(float const*)`.
    Whole,
    /// Without the type it returns: `ns::gemm<float, 4>(float const*)`.
    WithoutReturn,
    /// `ns::gemm<float, 4>`.
    WithoutParameters,
    /// `ns::gemm`.
    Path,
}

/// Returns as much of a name as is asked for; `None` where it cannot be shown so.
#[cfg(not(feature = "demangle"))]
pub(super) fn view(name: &str, view: View) -> Option<String> {
    if view == View::Path { path(name) } else { None }
}

/// Returns as much of a name as is asked for; `None` where it cannot be shown so.
#[cfg(feature = "demangle")]
pub(super) fn view(name: &str, view: View) -> Option<String> {
    let name = without_static_prefix(name);
    if name.len() > LONGEST_NAME {
        return None;
    }
    if name.starts_with("_R") || is_rust_legacy(name) {
        return demangle::rust(name, view != View::Path);
    }
    let options = DemangleOptions::new();
    let options = match view {
        View::Path => return path(name),
        View::Whole => options,
        View::WithoutReturn => options.no_return_type(),
        View::WithoutParameters => options.no_return_type().no_params(),
    };
    if name.starts_with("_Z") { demangle::cpp(name, options) } else { Some(name.to_owned()) }
}
