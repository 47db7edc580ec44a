//! `launch!` with cust's grammar and paths, and what `launch!` becomes in an annotated function.

/// Launches a kernel as cust's own `launch!` does, also through paths such as `self.module` and `self.stream`.
///
/// In a function with [`launch_config`](crate::launch_config) the launch is guarded, as cust's own is there.
///
/// ```no_run
/// use cust::error::CudaResult;
/// use cust::prelude::*;
/// use occ_runtime::launch;
///
/// struct Saxpy {
///     module: Module,
///     stream: Stream,
/// }
///
/// impl Saxpy {
///     fn run(&self, n: u32, a: f32) -> CudaResult<()> {
///         unsafe { launch!(self.module.saxpy<<<n.div_ceil(256), 256, 0, self.stream>>>(n, a)) }
///     }
/// }
/// ```
///
/// The part before the last dot is the module and the part after it the kernel's name. Without a dot it is a variable that
/// holds a function.
#[macro_export]
macro_rules! launch {
    ($first:ident $($rest:tt)*) => { $crate::__launch!([] $first $($rest)*) };
}

/// Compares a launch with one of the specs, then makes it as it was written, by the macro that was named: `launch!` in an
/// annotated function becomes this.
#[doc(hidden)]
#[macro_export]
macro_rules! __guarded {
    ([$($launch:tt)*] [$($spec:expr),* $(,)?] $($site:tt)*) => {
        $crate::__launch!([[$($launch)*] [$($spec),*]] $($site)*)
    };
}

/// Reads `module.kernel<<<grid, block, shared, stream>>>(arguments)`. The brackets in front hold the user's `launch`
/// and the specs of a guarded launch, or nothing.
#[doc(hidden)]
#[macro_export]
macro_rules! __launch {
    // A variable with a function.
    ([$($how:tt)*] $function:ident <<< $($rest:tt)*) => { $crate::__launch!(@shape [$($how)*] [$function] $($rest)*) };
    ([$($how:tt)*] $first:ident $($rest:tt)*) => { $crate::__launch!(@path [$($how)*] [$first] $($rest)*) };

    // The module's path, up to the kernel's name.
    (@path [$($how:tt)*] [$($module:tt)+] . $kernel:ident <<< $($rest:tt)*) => {
        match $($module)+.get_function(::core::stringify!($kernel)) {
            ::core::result::Result::Ok(function) => $crate::__launch!(@shape [$($how)*] [function] $($rest)*),
            ::core::result::Result::Err(error) => ::core::result::Result::Err(error),
        }
    };
    (@path [$($how:tt)*] [$($module:tt)+] . $field:tt $($rest:tt)*) => {
        $crate::__launch!(@path [$($how)*] [$($module)+ . $field] $($rest)*)
    };
    (@path [$($how:tt)*] [$($module:tt)+] [$($index:tt)*] $($rest:tt)*) => {
        $crate::__launch!(@path [$($how)*] [$($module)+ [$($index)*]] $($rest)*)
    };
    (@path [$($how:tt)*] [$($module:tt)+] ($($arguments:tt)*) $($rest:tt)*) => {
        $crate::__launch!(@path [$($how)*] [$($module)+ ($($arguments)*)] $($rest)*)
    };

    (@shape [$($how:tt)*] [$function:ident]
        $grid:expr, $block:expr, $shared:expr, $stream:ident $(. $field:tt $([$index:expr])* $(($($call:tt)*))*)*
        >>> ($($argument:expr),* $(,)?)
    ) => {
        // A `match` keeps temporaries of the expressions alive for as long as the launch takes.
        match (
            $crate::__private::cust::grid($grid),
            $crate::__private::cust::block($block),
            $crate::__private::cust::shared($shared),
            &$stream $(. $field $([$index])* $(($($call)*))*)*,
        ) {
            (grid, block, shared, stream) => {
                $crate::__launch!(@make [$($how)*] $function grid block shared stream ($($argument),*))
            }
        }
    };

    (@make [] $function:ident $grid:ident $block:ident $shared:ident $stream:ident ($($argument:expr),*)) => {
        $crate::__private::cust::launch!($function<<<$grid, $block, $shared, $stream>>>($($argument),*))
    };
    (@make [[$($launch:tt)*] [$($spec:expr),*]]
        $function:ident $grid:ident $block:ident $shared:ident $stream:ident ($($argument:expr),*)
    ) => {
        match {
            use $crate::__private::cust::Launchable as _;
            $crate::__private::cust::guard(&[$($spec),*], $function.launchable(), $grid, $block, $shared)
        } {
            ::core::result::Result::Ok(()) => {
                $($launch)*!($function<<<$grid, $block, $shared, $stream>>>($($argument),*))
            }
            ::core::result::Result::Err(error) => ::core::result::Result::Err(error),
        }
    };
}
