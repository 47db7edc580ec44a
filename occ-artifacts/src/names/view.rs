//! Demangles names to various degrees of detail.

#[cfg(feature = "demangle")]
use super::demangle;
use super::path::path;
#[cfg(feature = "demangle")]
use super::path::{is_rust_legacy, without_static_prefix};
#[cfg(feature = "demangle")]
use cpp_demangle::DemangleOptions;

#[cfg(feature = "demangle")]
/// The maximum length of a name that is demangled, in bytes. Names up to 2,024 bytes were seen.
const MAX_NAME_LEN: usize = 8 << 10;

/// The parts of a demangled name.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum View {
    /// Everything: `void ns::gemm<float, 4>(float const*)`.
    Whole,
    /// Without the return type: `ns::gemm<float, 4>(float const*)`.
    WithoutReturn,
    /// The path with template arguments: `ns::gemm<float, 4>`.
    WithoutParameters,
    /// The path: `ns::gemm`.
    Path,
}

/// Demangles the requested parts of a name; `None` if that is not possible.
#[cfg(not(feature = "demangle"))]
pub(super) fn view(name: &str, view: View) -> Option<String> {
    if view == View::Path { path(name) } else { None }
}

/// Demangles the requested parts of a name; `None` if that is not possible.
#[cfg(feature = "demangle")]
pub(super) fn view(name: &str, view: View) -> Option<String> {
    let name = without_static_prefix(name);
    if name.len() > MAX_NAME_LEN {
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
