//! What the arguments, the item and the environment declare together: a launch configuration whose values the macro
//! knows, or the compiler will.

mod devices;
mod kernel;
mod launch;
mod model;
mod numbers;
mod reader;

pub(crate) use model::{Axes, Config, known_axes};

use crate::arguments::Arguments;
use crate::diagnostics::Diagnostics;
use crate::item::Item;
use crate::keys::Key;
use crate::launch_site::Launches;
use crate::share;
use crate::value::Value;
use reader::Reader;

/// Reads a configuration from arguments, item and environment, and reports every mistake. `None` if there is one.
pub(crate) fn read(arguments: &Arguments, item: &Item, diagnostics: &mut Diagnostics) -> Option<Config> {
    let mut reader = Reader::new(arguments, item, diagnostics);
    let gpus = reader.gpus();
    let archs = reader.archs(&gpus);
    let launches = Launches::of(item);
    reader.every_launch_is_declared(item, &launches);
    let launches = share::of_kernel(launches, arguments);
    reader.launches_agree(&launches);
    let block = reader.block(&launches);
    let dynamic_smem = reader.dynamic_smem(&launches);
    let (registers, registers_are_cap) = reader.registers();
    let mut compiled = reader.compiled(archs.as_deref().unwrap_or_default(), item, &launches);
    let static_smem = reader.number(Key::StaticSmem);
    let barriers = reader.number(Key::Barriers);
    let cluster = reader.axes(Key::Cluster);
    let carveout = reader.carveout();
    let grid = reader.axes(Key::Grid);
    let requirements = reader.requirements(&gpus);
    let (archs, block, dynamic_smem) = (archs?, block?, dynamic_smem?);
    reader.compiled_kernels_record_all(&compiled, &requirements);
    reader.complete(&mut compiled, [(Key::StaticSmem, &static_smem), (Key::Barriers, &barriers)]);
    let Reader { places, notes, variables, files, fallback, is_valid, .. } = reader;
    is_valid.then_some(Config {
        archs,
        gpus,
        block,
        dynamic_smem,
        static_smem: static_smem.unwrap_or(Value::Known(0)),
        registers,
        registers_are_cap,
        barriers: barriers.unwrap_or(Value::Known(1)),
        cluster,
        carveout,
        grid,
        requirements,
        compiled,
        notes,
        files,
        variables,
        places,
        fallback,
    })
}
