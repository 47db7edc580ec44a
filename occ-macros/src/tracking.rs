//! What a build must track: environment variables and files that were read.

use proc_macro2::TokenStream;
use quote::quote;
use std::path::Path;

/// The beginning of a path that is relative to the output directory of the package's build script.
pub(crate) const OUT_DIR: &str = "$OUT_DIR/";

/// Returns `const _: Option<&str> = option_env!("OCC_ARCH");` for each variable: a change triggers a rebuild.
pub(crate) fn variables(variables: &[&str]) -> TokenStream {
    variables
        .iter()
        .map(|variable| {
            quote!(
                const _: ::core::option::Option<&::core::primitive::str> = ::core::option_env!(#variable);
            )
        })
        .collect()
}

/// Returns a function that includes the files and is never called: a change of one triggers a rebuild, and nothing of
/// them is in what is built. (A constant would put each file into the crate's metadata, at four times its size.)
pub(crate) fn files(files: &[String]) -> TokenStream {
    if files.is_empty() {
        return TokenStream::new();
    }
    let includes = files.iter().map(|file| {
        let path = match file.strip_prefix(OUT_DIR).map(|rest| rest.trim_start_matches('/')) {
            Some(rest) => quote!(::core::concat!(::core::env!("OUT_DIR"), "/", #rest)),
            None if Path::new(file).is_absolute() => quote!(#file),
            None => quote!(::core::concat!(::core::env!("CARGO_MANIFEST_DIR"), "/", #file)),
        };
        quote!(let _: &[::core::primitive::u8] = ::core::include_bytes!(#path);)
    });
    quote!(
        const _: () = {
            fn __occ_files() {
                #(#includes)*
            }
        };
    )
}
