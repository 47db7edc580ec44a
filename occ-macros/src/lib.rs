//! `#[launch_config]`: a CUDA launch configuration that is checked when the code is compiled.
//!
//! Use it through `occ_runtime`, which this crate's expansion refers to and where the attribute is documented.
#![forbid(unsafe_code)]

mod arguments;
mod arithmetic;
#[cfg_attr(not(feature = "cubin"), path = "no_artifact.rs")]
mod artifact;
mod check;
mod compiled_kernel;
mod config;
mod defaults;
mod diagnostics;
mod expand;
mod guard;
mod instances;
mod item;
mod kernel_name;
mod keys;
mod launch_site;
mod messages;
mod options;
mod pipeline;
mod regroup;
mod share;
mod tokens;
mod tracking;
mod value;
mod warnings;

#[allow(missing_docs)] // documented where it is re-exported
#[proc_macro_attribute]
pub fn launch_config(arguments: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    pipeline::launch_config(arguments.into(), item.into()).into()
}
