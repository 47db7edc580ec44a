//! Where in a function a `launch!` can stand, and which of several attributes it is held against, with cust's real code.

#![deny(warnings, unused, nonstandard_style, rust_2018_idioms, unused_qualifications, missing_docs)]
#![deny(clippy::all, clippy::pedantic, clippy::missing_docs_in_private_items)]
#![allow(clippy::unwrap_used, reason = "what is missing in a test fails it")]

use cuda_stand_in::{KernelModel, stand_in};
use cust::error::{CudaError, CudaResult};
use cust::function::Function;
use cust::launch;
use cust::module::Module;
use cust::prelude::{Context, Stream, StreamFlags};
use occ_runtime::launch_config;
use std::array::IntoIter;

/// One more name of cust's macro.
mod gpu {
    pub(super) use cust::launch;
}

/// A module and a stream on the stand-in.
fn program() -> (Module, Stream, Context) {
    for kernel in ["a", "b", "c"] {
        stand_in().kernel("", kernel, KernelModel::new(32));
    }
    let context = cust::quick_init().unwrap();
    let stream = Stream::new(StreamFlags::DEFAULT, None).unwrap();
    (Module::from_ptx("any", &[]).unwrap(), stream, context)
}

/// A launch in what another launch is given.
#[launch_config(arch = "sm_75", block = 256)]
fn in_a_launch(f: &Function<'_>, stream: &Stream, inner: u32) -> CudaResult<()> {
    let run = |()| 1u32;
    unsafe { launch!(f<<<1, 256, 0, stream>>>(run(launch!(f<<<1, inner, 0, stream>>>())?))) }
}

/// Paths of every length, and macros around launches.
#[launch_config(arch = "sm_75", block = 256)]
fn paths(module: &Module, f: &Function<'_>, stream: &Stream, block: u32) -> CudaResult<usize> {
    unsafe {
        let mut all = vec![
            self::gpu::launch!(module.a<<<1, block, 0, stream>>>())?,
            crate::gpu::launch! { f<<<1, block, 0, stream>>>() }?,
            gpu::launch![f<<<1, block, 0, stream>>>()]?,
        ];
        all.push(());
        assert!(launch!(f<<<1, block, 0, stream>>>()).is_ok());
        match all.len() {
            4 => 'done: {
                if block == 1 {
                    break 'done;
                }
                return ::cust::launch!(f<<<1, block, 0, stream>>>()).map(|()| all.len());
            }
            _ => return Err(CudaError::InvalidValue),
        }
        Ok(0)
    }
}

/// Items that are not part of the function: they launch as they did.
#[launch_config(arch = "sm_75", block = 256, dynamic_smem = 0)]
fn beside_definitions(f: &Function<'_>, stream: &Stream, block: u32) -> CudaResult<()> {
    mod inner {
        use super::{CudaResult, Function, Stream, launch};

        pub(super) fn unguarded(f: &Function<'_>, stream: &Stream, block: u32) -> CudaResult<()> {
            unsafe { launch!(f<<<1, block, 0, stream>>>()) }
        }
    }
    macro_rules! unguarded {
        ($f:ident, $block:expr, $stream:ident) => {
            unsafe { $crate::gpu::launch!($f<<<1, $block, 0, $stream>>>()) }
        };
    }
    inner::unguarded(f, stream, block)?;
    unguarded!(f, block, stream)
}

/// Whose attributes are written so that one does not see the other.
#[cfg_attr(all(), launch_config(arch = "sm_75", block = 256))]
#[cfg_attr(all(), launch_config(arch = "sm_75", block = 256, registers = 32))]
fn conditional(f: &Function<'_>, stream: &Stream, block: u32) -> CudaResult<()> {
    unsafe { launch!(f<<<1, block, 0, stream>>>()) }
}

/// An annotated function in an annotated function.
#[launch_config(arch = "sm_75", block = 256)]
fn outer(f: &Function<'_>, stream: &Stream, block: u32) -> CudaResult<()> {
    #[launch_config(arch = "sm_75", block = 256, registers = 32)]
    fn inner(f: &Function<'_>, stream: &Stream, block: u32) -> CudaResult<()> {
        unsafe { launch!(f<<<1, block, 0, stream>>>()) }
    }
    unsafe { launch!(f<<<1, 256, 0, stream>>>()) }?;
    inner(f, stream, block)
}

/// Kernels that are named, one that is not, and one that nobody can know.
#[launch_config(arch = "sm_75", block = 256, kernel = "a")]
#[launch_config(arch = "sm_75", block = 128, kernel = "b")]
#[launch_config(arch = "sm_75", block = 64)]
fn several(module: &Module, f: &Function<'_>, stream: &Stream, blocks: [u32; 4]) -> CudaResult<()> {
    let [a, b, c, unknown] = blocks;
    unsafe {
        launch!(module.a<<<1, a, 0, stream>>>())?;
        launch!(module.b<<<1, b, 0, stream>>>())?;
        launch!(module.c<<<1, c, 0, stream>>>())?;
        launch!(f<<<1, unknown, 0, stream>>>())
    }
}

/// What is named, and a variable that may hold it.
#[launch_config(arch = "sm_75", block = 256, kernel = "a")]
fn named_and_unknown(module: &Module, f: &Function<'_>, stream: &Stream, block: u32) -> CudaResult<()> {
    unsafe {
        launch!(module.a<<<1, 256, 0, stream>>>())?;
        launch!(f<<<1, block, 0, stream>>>())
    }
}

/// Of a parameter, with functions inside that do not see it.
#[allow(clippy::items_after_statements, reason = "the check of a parameter is a statement")]
#[launch_config(arch = "sm_75", block = N)]
fn generic<const N: u32>(f: &Function<'_>, stream: &Stream, block: u32) -> CudaResult<()> {
    /// How many more than one.
    const MORE: usize = 0;
    /// Braces in its type.
    fn inner(f: &Function<'_>, stream: &Stream, block: u32) -> IntoIter<CudaResult<()>, { MORE + 1 }> {
        [unsafe { launch!(f<<<1, block, 0, stream>>>()) }].into_iter()
    }
    inner(f, stream, block).collect::<CudaResult<()>>()?;
    let run = || unsafe { launch!(f<<<1, block, 0, stream>>>()) };
    run()
}

/// Functions out of a macro, with fragments of its user's around the launch.
macro_rules! launcher {
    ($name:ident, $block:expr, $both:expr, $sum:expr, $one:expr, $wide:ty, $text:ty, $most:pat, $body:block) => {
        /// Out of a macro.
        #[launch_config(arch = "sm_75", block = $block)]
        fn $name(f: &Function<'_>, stream: &Stream, block: u32) -> CudaResult<(bool, u32)> {
            let neither = !$both;
            let twice: $wide = $sum * 2;
            let _one = $one.clone();
            let _text: $text = "";
            if let $most = twice {
                unsafe { $crate::gpu::launch!(f<<<$sum, block, 0, stream>>>()) }?;
            }
            $body
            Ok((neither, twice))
        }
    };
}

launcher!(from_a_macro, 128 * 2, "a" < "b" && "c" < "b", 1 + 2, &1, u32, &str, 1 | 6, {});

/// The result of a launch, and how many were made.
fn launches<T>(result: CudaResult<T>) -> (bool, usize) {
    let made = stand_in().launches().len();
    stand_in().count_anew();
    (result.map(drop) == Ok(()), made)
}

#[test]
fn every_place() {
    let (module, stream, _context) = program();
    let (module, stream, f) = (&module, &stream, &module.get_function("a").unwrap());
    assert_eq!(launches(in_a_launch(f, stream, 256)), (true, 2));
    assert_eq!(launches(in_a_launch(f, stream, 128)), (false, 0));
    assert_eq!(launches(paths(module, f, stream, 256)), (true, 5));
    assert_eq!(launches(paths(module, f, stream, 128)), (false, 0));
    assert_eq!(launches(beside_definitions(f, stream, 128)), (true, 2));
    for function in [conditional, outer] {
        assert!(launches(function(f, stream, 256)).0);
        assert!(!launches(function(f, stream, 128)).0);
    }
    assert_eq!(launches(several(module, f, stream, [256, 128, 64, 64])), (true, 4));
    assert_eq!(launches(several(module, f, stream, [256, 128, 64, 128])), (true, 4));
    assert_eq!(launches(several(module, f, stream, [256, 128, 64, 32])), (false, 3));
    // The block of another's launch.
    assert_eq!(launches(several(module, f, stream, [128, 128, 64, 64])), (false, 0));
    assert_eq!(launches(several(module, f, stream, [64, 128, 64, 64])), (false, 0));
    assert_eq!(launches(several(module, f, stream, [256, 64, 64, 64])), (false, 1));
    assert_eq!(launches(several(module, f, stream, [256, 128, 256, 64])), (false, 2));
    assert_eq!(launches(named_and_unknown(module, f, stream, 256)), (true, 2));
    assert_eq!(launches(named_and_unknown(module, f, stream, 128)), (false, 1));
    assert_eq!(launches(generic::<64>(f, stream, 64)), (true, 2));
    assert_eq!(launches(generic::<64>(f, stream, 128)), (false, 1));
    assert_eq!(from_a_macro(f, stream, 256), Ok((true, 6)));
    launches(Ok(()));
    assert_eq!(launches(from_a_macro(f, stream, 128)), (false, 0));
}
