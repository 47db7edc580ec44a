//! What the arguments mean together: a launch configuration whose values are known, or will be to the compiler.

mod devices;
mod kernel;
mod launch;
mod numbers;
mod options;

pub(crate) use kernel::{CompiledKernel, NotChosen, OUT_DIR, Unread};
pub(crate) use launch::Share;
pub(crate) use options::{OnMismatch, Options};

use crate::arguments::{Arguments, Key};
use crate::defaults;
use crate::diagnostics::{Diagnostic, Diagnostics, Ends};
use crate::item::Item;
use crate::launch_site::Launches;
use crate::value::{Value, Written, evaluate};
use occ_core::{Arch, Argument, Gpu};
use proc_macro2::TokenStream;

/// A preferred division of on-chip memory.
#[derive(Clone, Debug)]
pub(crate) enum Carveout {
    Default,
    Percent(Value<u32>),
}

pub(crate) type Axes = [Value<u32>; 3];

/// A launch configuration.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    pub(crate) archs: Vec<Arch>,
    pub(crate) gpus: Vec<&'static Gpu>,
    pub(crate) block: Axes,
    pub(crate) dynamic_smem: Value<u32>,
    pub(crate) static_smem: Value<u32>,
    pub(crate) registers: Option<Value<u32>>,
    pub(crate) registers_are_cap: bool,
    pub(crate) barriers: Value<u32>,
    /// What was read from artifacts: one entry a capability, or none. `registers` is a ceiling then.
    pub(crate) compiled: Vec<CompiledKernel>,
    pub(crate) max_stack: Option<Value<u32>>,
    pub(crate) max_spills: Option<Value<u32>>,
    pub(crate) cluster: Option<Axes>,
    pub(crate) carveout: Carveout,
    pub(crate) grid: Option<Axes>,
    pub(crate) min_occupancy: Option<Value<f64>>,
    pub(crate) min_blocks_per_sm: Option<Value<u32>>,
    pub(crate) min_warps_per_sm: Option<Value<u32>>,
    pub(crate) min_lane_efficiency: Option<Value<f64>>,
    pub(crate) min_waves: Option<Value<f64>>,
    pub(crate) max_tail_idle: Option<Value<f64>>,
    /// Notes for every message: where a default came from, which instance was checked.
    pub(crate) notes: Vec<String>,
    /// Files that were read: a change of one rebuilds.
    pub(crate) files: Vec<String>,
    /// Environment variables that were asked for a default, set or not: a change of one rebuilds.
    pub(crate) consulted: Vec<&'static str>,
    /// Where each argument was written.
    places: Vec<(Argument, Ends)>,
    /// Where to point when the argument to point at was not written.
    elsewhere: Ends,
}

impl Config {
    /// Where to point for an argument: at its value, else at what requires it, else at what was declared.
    pub(crate) fn place(&self, wanted: &[Argument]) -> Ends {
        wanted.iter().find_map(|argument| self.written(*argument)).unwrap_or(self.elsewhere)
    }

    pub(crate) fn written(&self, wanted: Argument) -> Option<Ends> {
        self.places.iter().find(|(argument, _)| *argument == wanted).map(|(_, ends)| *ends)
    }

    /// Every constant expression in it.
    pub(crate) fn constants(&self) -> impl Iterator<Item = &TokenStream> {
        let carveout = match &self.carveout {
            Carveout::Percent(percent) => Some(percent),
            Carveout::Default => None,
        };
        self.block
            .iter()
            .chain([&self.dynamic_smem, &self.static_smem, &self.barriers])
            .chain(&self.registers)
            .chain(&self.max_stack)
            .chain(&self.max_spills)
            .chain(self.cluster.iter().flatten())
            .chain(self.grid.iter().flatten())
            .chain(&self.min_blocks_per_sm)
            .chain(&self.min_warps_per_sm)
            .chain(carveout)
            .filter_map(Value::constant)
            .chain(
                [&self.min_occupancy, &self.min_lane_efficiency, &self.min_waves, &self.max_tail_idle]
                    .into_iter()
                    .flatten()
                    .filter_map(Value::constant),
            )
    }

    /// Whether every value is known to the macro.
    pub(crate) fn is_known(&self) -> bool {
        self.constants().next().is_none()
    }
}

/// Reads a configuration out of arguments, item and environment, reporting every mistake.
pub(crate) fn read(arguments: &Arguments, item: &Item, diagnostics: &mut Diagnostics) -> Option<Config> {
    let elsewhere = arguments.ends.unwrap_or(Ends::one(item.name.span()));
    let mut reader = Reader {
        arguments,
        diagnostics,
        places: Vec::new(),
        notes: Vec::new(),
        consulted: Vec::new(),
        files: Vec::new(),
        elsewhere,
        is_one_of_several: arguments.is_one_of_several || !item.siblings.is_empty(),
        sound: true,
    };
    let config = reader.config(item);
    let Reader { places, notes, consulted, files, sound, .. } = reader;
    let config = config.map(|config| Config { notes, files, consulted, places, ..config });
    if sound { config } else { None }
}

struct Reader<'a> {
    arguments: &'a Arguments,
    diagnostics: &'a mut Diagnostics,
    places: Vec<(Argument, Ends)>,
    notes: Vec<String>,
    consulted: Vec<&'static str>,
    files: Vec<String>,
    elsewhere: Ends,
    /// Whether the function has several attributes of ours, each for some of its launches.
    is_one_of_several: bool,
    /// Whether nothing was wrong so far.
    sound: bool,
}

impl Reader<'_> {
    fn config(&mut self, item: &Item) -> Option<Config> {
        let gpus = self.gpus();
        let archs = self.archs(&gpus);
        let launches = Launches::of(item);
        self.every_launch_is_declared(item, &launches);
        let launches = launches.of_kernel(self.arguments);
        self.launches_agree(&launches);
        let block = self.block(&launches);
        let dynamic_smem = self.dynamic_smem(&launches);
        let (registers, registers_are_cap) = self.registers();
        let compiled = self.compiled(archs.as_deref().unwrap_or_default(), item, &launches);
        let mut config = Config {
            compiled,
            max_stack: self.number(Key::MaxStack, Argument::MaxStack, 0),
            max_spills: self.number(Key::MaxSpills, Argument::MaxSpills, 0),
            static_smem: self.number(Key::StaticSmem, Argument::StaticSmem, 0).unwrap_or(Value::Known(0)),
            registers,
            registers_are_cap,
            barriers: self.number(Key::Barriers, Argument::Barriers, 0).unwrap_or(Value::Known(1)),
            cluster: self.axes(Key::Cluster, Argument::Cluster),
            carveout: self.carveout(),
            grid: self.axes(Key::Grid, Argument::Grid),
            min_occupancy: self.min_occupancy(),
            min_blocks_per_sm: self.number(Key::MinBlocksPerSm, Argument::MinBlocksPerSm, 1),
            min_warps_per_sm: self.number(Key::MinWarpsPerSm, Argument::MinWarpsPerSm, 1),
            min_lane_efficiency: self.fraction(Key::MinLaneEfficiency, Argument::MinLaneEfficiency, 1.0),
            min_waves: self.fraction(Key::MinWaves, Argument::MinWaves, occ_core::Requirement::MAX_WAVES),
            max_tail_idle: self.fraction(Key::MaxTailIdle, Argument::MaxTailIdle, 1.0),
            archs: archs?,
            gpus,
            block: block?,
            dynamic_smem: dynamic_smem?,
            notes: Vec::new(),
            files: Vec::new(),
            consulted: Vec::new(),
            places: Vec::new(),
            elsewhere: self.elsewhere,
        };
        self.grid_rules_have_a_grid(&config);
        self.compiled_says_it_all(&config);
        self.complete(&mut config);
        Some(config)
    }

    /// The default the environment gives, remembering that it was asked.
    fn default(&mut self, variable: &'static str) -> Option<String> {
        self.consulted.push(variable);
        defaults::read(variable)
    }

    fn error(&mut self, error: Diagnostic) {
        self.sound = false;
        self.diagnostics.push(error);
    }

    fn grid_rules_have_a_grid(&mut self, config: &Config) {
        for key in [Key::MinWaves, Key::MaxTailIdle] {
            let Some(given) = self.arguments.get(key) else {
                continue;
            };
            let has_gpu = self.arguments.has(Key::Gpu) || !config.gpus.is_empty();
            let missing = match (self.arguments.has(Key::Grid), !has_gpu) {
                (false, true) => "`grid` and `gpu`",
                (false, false) => "`grid`",
                (true, true) => "`gpu`",
                (true, false) => continue,
            };
            let text = format!("`{}` needs {missing}", key.name());
            let note = "waves are counted over the SMs of a GPU, which no compute capability tells";
            self.error(Diagnostic::new(given.key_ends, text).note(note));
        }
    }

    fn registers(&mut self) -> (Option<Value<u32>>, bool) {
        let exact = self.number(Key::Registers, Argument::Registers, 1);
        if let (Some(given), true) = (self.arguments.get(Key::MaxRegisters), self.arguments.has(Key::Registers)) {
            let text = "`registers` and `max_registers` are both given";
            self.error(Diagnostic::new(given.key_ends, text).help("keep `registers` if the number is known"));
            return (exact, false);
        }
        let cap = self.number(Key::MaxRegisters, Argument::Registers, 1);
        let is_cap = cap.is_some();
        (exact.or(cap), is_cap)
    }

    fn carveout(&mut self) -> Carveout {
        let Some(given) = self.arguments.get(Key::Carveout) else {
            return Carveout::Default;
        };
        self.places.push((Argument::Carveout, given.ends));
        let percent = match evaluate(&given.value) {
            Ok(Written::Text(text)) if text == "max_shared" => Value::Known(100),
            Ok(Written::Text(text)) if text == "max_l1" => Value::Known(0),
            Ok(Written::Integer(percent @ 0..=100)) => Value::Known(u32::try_from(percent).unwrap_or(100)),
            Ok(Written::Constant(tokens)) => Value::Constant(tokens),
            Ok(_) => {
                let text = "`carveout` must be a percentage from 0 to 100, `\"max_shared\"` or `\"max_l1\"`";
                self.error(Diagnostic::new(given.ends, text));
                return Carveout::Default;
            }
            Err(error) => {
                self.error(error);
                return Carveout::Default;
            }
        };
        Carveout::Percent(percent)
    }

    fn min_occupancy(&mut self) -> Option<Value<f64>> {
        if self.arguments.has(Key::MinOccupancy) {
            return self.fraction(Key::MinOccupancy, Argument::MinOccupancy, 1.0);
        }
        let value = self.default(defaults::MIN_OCCUPANCY)?;
        match value.trim().parse::<f64>() {
            Ok(fraction) if (0.0..=1.0).contains(&fraction) => {
                let note = format!("`min_occupancy` comes from the environment variable `{}`", defaults::MIN_OCCUPANCY);
                self.notes.push(note);
                Some(Value::Known(fraction))
            }
            _ => {
                let text = format!(
                    "the environment variable `{}` is `{value}`, it must be a fraction from 0.0 to 1.0",
                    defaults::MIN_OCCUPANCY
                );
                self.error(Diagnostic::new(self.elsewhere, text));
                None
            }
        }
    }
}
