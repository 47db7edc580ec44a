//! The words of input errors: every sentence that this crate writes about a mistake in an attribute.
//!
//! What a check says about a launch is in `occ-core`, what a warning says is in `warnings.rs`.

use crate::diagnostics::{Diagnostic, TokenRange};
use std::fmt::Display;

/// Joins items as in `a, b and c`.
pub(crate) fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    match &items[..] {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Joins names in backticks.
pub(crate) fn names<T: Display>(names: impl IntoIterator<Item = T>) -> String {
    list(names.into_iter().map(|name| format!("`{name}`")))
}

/// Makes a function of each error: a headline, then notes and help.
macro_rules! errors {
    ($($name:ident($($part:ident),*): $headline:literal $(, note $note:literal)* $(, help $help:literal)*;)+) => {$(
        pub(crate) fn $name(at: TokenRange $(, $part: impl Display)*) -> Diagnostic {
            Diagnostic::new(at, format!($headline))$(.note(format!($note)))*$(.help(format!($help)))*
        }
    )+};
}

/// Makes a function of each note or help that is added to an error only sometimes.
macro_rules! lines {
    ($($name:ident($($part:ident),*): $text:literal;)+) => {$(
        pub(crate) fn $name($($part: impl Display),*) -> String {
            format!($text)
        }
    )+};
}

// The form of arguments.
errors! {
    expected_argument(): "expected `key = value`",
        help "write arguments as in `arch = \"sm_80\"` or `block = 256`";
    missing_value(name): "expected a value after `{name} =`";
    expected_comma_or_value(name): "expected `{name} = value` or a comma before this";
    expected_comma(): "expected a comma before this";
    wrong_form(name, example, meaning): "`{name}` must be written as `{example}`", note "`{name}`: {meaning}";
    unknown_argument(name): "unknown argument `{name}`";
    duplicate_argument(name): "`{name}` is declared twice", help "remove one of them";
    missing_key(name, missing, reason, examples): "`{name}` requires {missing}", note "{reason}", help "add {examples}";
}
lines! {
    did_you_mean(nearest): "did you mean `{nearest}`?";
    known_arguments(names): "the arguments are {names}";
    about_grids(): "waves are counted over the SMs of a GPU, which no compute capability determines";
    about_compiled_kernels(): "only a compiled kernel records this number";
}

// Values.
errors! {
    number_too_large(): "this number is too large";
    percent_sign(): "expected a fraction without `%`";
    expression_too_long(): "this expression is too long or nested too deeply";
    incomplete_expression(): "this expression is incomplete";
    negative(name): "`{name}` must not be negative";
    zero(name): "`{name}` must not be 0";
    zero_registers(name): "`{name}` must not be 0", help "omit `{name}` while the number is unknown";
    above_maximum(name, value, max): "`{name}` is {value}; the maximum is {max}";
    not_an_integer(name): "`{name}` must be an integer";
    string_for_number(name): "`{name}` must be a number, not a string";
    integer_arithmetic(name): "`{name}` is computed in integers, which drops the fraction",
        help "use floating-point literals, as in `1.0 / 2.0`";
    not_in_range(name, max): "`{name}` must be a number from 0 to {max}";
    not_a_fraction(name): "`{name}` must be a fraction from 0.0 to 1.0";
    list_for_axes(name, axes): "`{name}` must be a number or a tuple", help "write `{name} = ({axes})`";
    wrong_number_of_axes(name, count): "`{name}` must have one to three axes, not {count}";
    empty_list(name): "`{name}` must not be an empty list";
    not_a(name, expected, example): "`{name}` must be {expected}", help "write it as in `{example}`";
    not_a_carveout(): "`carveout` must be a percentage from 0 to 100, `\"max_shared\"` or `\"max_l1\"`";
    not_a_mode(): "`on_mismatch` must be `\"error\"`, `\"warn\"` or `\"ignore\"`";
}
lines! {
    write(value): "write `{value}`";
    write_for_percentage(fraction, percent): "write `{fraction}` for {percent}%";
}

// Targets and GPUs.
errors! {
    unknown_gpu(name, candidates): "unknown GPU `{name}`", help "the nearest names are {candidates}";
    ambiguous_gpu(name, candidates): "`{name}` names several GPUs", help "write one of {candidates}";
    unknown_target(name): "unknown target `{name}`";
    no_target(variable): "no target is declared",
        help "add `arch = \"sm_80\"`, or set `{variable}` for the whole workspace (`[env]` in `.cargo/config.toml`)";
    empty_variable(variable): "the environment variable `{variable}` names no target";
    fraction_in_variable(variable, value):
        "the environment variable `{variable}` must be a fraction from 0.0 to 1.0, not `{value}`";
}
lines! {
    from_environment(name, variable): "`{name}` comes from the environment variable `{variable}`";
    target_form(): "write a target as `sm_80`, `sm_90a`, `sm_100f` or `compute_80`; append `..`, as in `sm_80..`, to add \
        the later capabilities that its code runs on";
    nearest_targets(first, second): "did you mean `{first}` or `{second}`?";
}

// Block, shared memory and registers.
errors! {
    missing_block(): "missing argument `block`", help "add `block = 256`, with the block size of the launch";
    both_registers(): "`registers` and `max_registers` are both declared",
        help "keep `registers` if the number is known";
    unreadable_launch(missing): "cannot read this launch", help "declare {missing} in `launch_config`";
    differing_launches(count, missing): "the {count} launches of this function differ",
        help "declare {missing} in `launch_config`";
    undeclared_launch(): "no `launch_config` of this function matches this launch";
    circular_spec(name, spec): "this value depends on `{spec}`, which is generated from it",
        help "declare `{name} = ..` in `launch_config`";
    inner_item(name): "this may name an item of an inner block, which the check cannot see",
        help "declare `{name} = ..` in `launch_config`";
    run_time_value(name): "this value is known only at run time", help "declare `{name} = ..` in `launch_config`";
    contradiction(name, declared, launched): "`{name}` is {declared}, but the function launches {launched}";
}
lines! {
    add_launch_config(): "add one with this block and this shared memory";
    add_launch_config_of(kernel): "add one with `kernel = \"{kernel}\"`, this block and this shared memory";
    agree(name, launched, declared): "write `{name} = {launched}`, or change the launch to {declared}";
    one_for_each_launch(): "add a `launch_config` to the function for each different launch";
}

// Compiled kernels.
errors! {
    unclear_kernel(first, second): "cannot tell which kernel of this function is meant",
        note "the function launches `{first}` and {second}", help "add `kernel = \"{first}\"`";
    not_a_literal(name): "`{name}` must be a literal where `cubin` is declared";
    already_read(name, source): "{source} already records `{name}`", help "remove `{name}`";
    unrecorded(name, source): "`{name}` cannot be checked: {source} does not record it",
        help "add the output of `ptxas -v` to `cubin`, as in `\"$OUT_DIR/saxpy.sm_80.log\"`";
    unrecorded_static_smem(source): "{source} does not record static shared memory",
        help "declare `static_smem = ..`, or add a cubin or a compiler log to `cubin`";
}
#[cfg(not(feature = "cubin"))]
errors! {
    cubin_is_off(): "`cubin` needs the feature `cubin` of `occ-runtime`",
        help "remove `default-features = false` from `Cargo.toml`, or add `features = [\"cubin\"]`";
}
#[cfg(feature = "cubin")]
errors! {
    no_file_name(): "`cubin` names no file";
    no_out_dir(): "cannot find files: the environment variable `OUT_DIR` is not set",
        help "add a build script (`build.rs`) that creates the file";
    no_manifest_dir(): "cannot find files: the environment variable `CARGO_MANIFEST_DIR` is not set",
        help "build with cargo, or write the absolute path of the file";
    unreadable_file(name, error): "cannot read `{name}`: {error}";
    missing_file(name): "`{name}` does not exist";
    contradicting_files(kernel, quantity, file, value, other, other_value):
        "{file} and {other} disagree about the {quantity} of {kernel}",
        note "{quantity}: {value} in {file}, {other_value} in {other}",
        help "rebuild the stale file, so that both are from the same build";
    ambiguous_kernel(kernel, total, file, candidates, first): "`{kernel}` names {total} kernels in {file}",
        note "they are {candidates}", help "write the whole name, as in `kernel = {first}`";
    no_kernel(kernel, files): "no kernel `{kernel}` in {files}";
    no_registers(source): "{source} does not record registers";
    no_code(kernel, files, archs): "`{kernel}` in {files} has no code for {archs}";
}
#[cfg(feature = "cubin")]
lines! {
    needs_feature(feature): "add `features = [\"{feature}\"]` to `occ-runtime` in `Cargo.toml`";
    not_a_file(): "not a file";
    in_out_dir(): "`$OUT_DIR` is the output directory of the package's build script";
    misplaced_out_dir(): "write a file of the build script as in `$OUT_DIR/saxpy.cubin`";
    in_package(): "paths start at the directory of the package's `Cargo.toml`, or with `$OUT_DIR/`";
    default_name(): "without `kernel = \"..\"`, the name is that of the launched kernel or of the function";
    demangled_needs_containers(): "names with `<` and `(` need the feature `containers` of `occ-runtime`";
    other_kernels(total): "other kernels there: {total}";
    nearest_kernels(names): "the nearest names are {names}";
    has_code(targets): "it has code for {targets}";
    has_ptx(targets): "its PTX ({targets}) has no register count until the driver compiles it";
    add_cubin(): "add a cubin to `cubin`, or declare `max_registers` in place of `cubin`";
    compile_for(arch, number): "compile it for {arch} (`-gencode arch=compute_{number},code=sm_{number}`), or declare only \
        capabilities that it has code for";
}

// Warnings, items, generic parameters and instances.
errors! {
    quoted_warning(name): "expected the name of a warning without quotes", help "write `allow = ({name})`";
    unknown_warning(name): "unknown warning `{name}`";
    unsupported_item(what): "`launch_config` cannot be applied to {what}",
        help "apply it to a function with a body, or to `struct Name;`";
    generic_on_struct(): "`generic` has no effect on a unit struct", help "remove `generic`";
    spec_on_struct(): "the spec of a unit struct is always named `SPEC`", help "remove `spec`";
    generic_spec(parameter): "`spec` must be one constant, but a value depends on the parameter `{parameter}`",
        help "remove `spec`";
    unused_instances(): "`instances` has no effect: no value depends on a parameter of the function",
        help "remove `instances`";
    empty_instances(): "`instances` is empty", help "write `instances(N = [64, 128])`";
    duplicate_parameter(name): "the parameter `{name}` is listed twice", help "remove one of them";
    too_many_instances(count, max): "`instances` makes {count} combinations; the maximum is {max}";
    expected_parameter(): "expected a parameter and its values", help "write them as in `N = [64, 128]`";
    unknown_parameter(name): "the function has no parameter `{name}`";
    parameter_without_values(name): "the parameter `{name}` has no values";
    wrong_type(value, const_type, name): "`{value}` is not a `{const_type}`, which is the type of `{name}`";
}
lines! {
    known_warnings(names): "`allow` accepts {names}";
    not_generic(): "`instances` is for generic functions";
    known_parameters(names): "its parameters are {names}";
    of_instance(name): "checked for the instance `{name}`";
}
