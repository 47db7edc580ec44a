//! What the arguments mean together: a launch configuration whose values are known, or will be to the compiler.

use crate::arguments::{Argument as Given, Arguments, Key, split_at_commas};
use crate::defaults;
use crate::diagnostics::{Diagnostic, Diagnostics, Ends};
use crate::item::{Item, Kind};
use crate::launch_site::{LaunchSite, axes_in, block_axes, run_time_part};
use crate::value::{Value, Written, evaluate, mentions, visible};
use occ_core::{Arch, Argument, Gpu, Target, did_you_mean};
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::parse::Parser;

/// A preferred division of on-chip memory.
#[derive(Clone, Debug)]
pub(crate) enum Carveout {
    Default,
    Percent(Value<u32>),
}

/// What the runtime does when the driver contradicts the declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnMismatch {
    Error,
    Warn,
    Ignore,
}

/// Warnings that can be silenced by name.
pub(crate) const WARNINGS: [&str; 3] = ["partial_warp", "single_thread", "unconfirmed_gpu"];

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
    /// Environment variables that were asked for a default, set or not: a change of one rebuilds.
    pub(crate) consulted: Vec<&'static str>,
    /// Where each argument was written.
    places: Vec<(Argument, Ends)>,
    /// Where to point when the argument to point at was not written.
    elsewhere: Ends,
}

/// What an attribute asks for besides the launch configuration itself.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) spec: Option<Ident>,
    pub(crate) runtime: TokenStream,
    pub(crate) on_mismatch: OnMismatch,
    pub(crate) allow: Vec<String>,
    pub(crate) generic: bool,
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
        fn number(value: &Value<u32>) -> Option<&TokenStream> {
            match value {
                Value::Constant(tokens) => Some(tokens),
                Value::Known(_) => None,
            }
        }
        fn fraction(value: &Value<f64>) -> Option<&TokenStream> {
            match value {
                Value::Constant(tokens) => Some(tokens),
                Value::Known(_) => None,
            }
        }
        let carveout = match &self.carveout {
            Carveout::Percent(percent) => Some(percent),
            Carveout::Default => None,
        };
        self.block
            .iter()
            .chain([&self.dynamic_smem, &self.static_smem, &self.barriers])
            .chain(&self.registers)
            .chain(self.cluster.iter().flatten())
            .chain(self.grid.iter().flatten())
            .chain(&self.min_blocks_per_sm)
            .chain(&self.min_warps_per_sm)
            .chain(carveout)
            .filter_map(number)
            .chain(
                [&self.min_occupancy, &self.min_lane_efficiency, &self.min_waves, &self.max_tail_idle]
                    .into_iter()
                    .flatten()
                    .filter_map(fraction),
            )
    }

    /// Whether every value is known to the macro.
    pub(crate) fn is_known(&self) -> bool {
        self.constants().next().is_none()
    }
}

impl Options {
    pub(crate) fn read(arguments: &Arguments, diagnostics: &mut Diagnostics) -> Options {
        Options {
            spec: arguments.get(Key::Spec).and_then(|given| spec_name(given, diagnostics)),
            runtime: runtime_path(arguments, diagnostics),
            on_mismatch: on_mismatch(arguments, diagnostics),
            allow: arguments.get(Key::Allow).map_or_else(Vec::new, |given| allowed(given, diagnostics)),
            generic: arguments.get(Key::Generic).is_some(),
        }
    }

    pub(crate) fn allows(&self, warning: &str) -> bool {
        self.allow.iter().any(|allowed| allowed == warning)
    }
}

fn spec_name(given: &Given, diagnostics: &mut Diagnostics) -> Option<Ident> {
    let tokens: TokenStream = visible(&given.value).into_iter().collect();
    match syn::parse2::<Ident>(tokens) {
        Ok(name) => Some(name),
        Err(_) => {
            diagnostics.push(Diagnostic::new(given.ends, "`spec` must be a name").help("such as `spec = SAXPY`"));
            None
        }
    }
}

fn runtime_path(arguments: &Arguments, diagnostics: &mut Diagnostics) -> TokenStream {
    let default = || quote::quote!(::occ_runtime);
    let Some(given) = arguments.get(Key::Crate) else {
        return default();
    };
    let tokens = visible(&given.value);
    let is_absolute = match tokens.first() {
        Some(TokenTree::Ident(first)) => first == "crate" || first == "$crate",
        Some(TokenTree::Punct(first)) => first.as_char() == ':' || first.as_char() == '$',
        _ => false,
    };
    let path: TokenStream = tokens.into_iter().collect();
    if is_absolute && syn::Path::parse_mod_style.parse2(path.clone()).is_ok() {
        return path;
    }
    let help = "such as `crate = ::my_runtime::occ_runtime`";
    diagnostics.push(Diagnostic::new(given.ends, "`crate` must be an absolute path").help(help));
    default()
}

fn on_mismatch(arguments: &Arguments, diagnostics: &mut Diagnostics) -> OnMismatch {
    let Some(given) = arguments.get(Key::OnMismatch) else {
        return OnMismatch::Error;
    };
    match evaluate(&given.value) {
        Ok(Written::Text(text)) if text == "error" => OnMismatch::Error,
        Ok(Written::Text(text)) if text == "warn" => OnMismatch::Warn,
        Ok(Written::Text(text)) if text == "ignore" => OnMismatch::Ignore,
        Err(error) => {
            diagnostics.push(error);
            OnMismatch::Error
        }
        _ => {
            diagnostics.error(given.ends, "`on_mismatch` must be `\"error\"`, `\"warn\"` or `\"ignore\"`");
            OnMismatch::Error
        }
    }
}

fn allowed(given: &Given, diagnostics: &mut Diagnostics) -> Vec<String> {
    let value = visible(&given.value);
    let inside = match &value[..] {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => axes_in(group),
        _ => vec![value],
    };
    let mut names = Vec::new();
    for piece in inside {
        match &piece[..] {
            [TokenTree::Ident(name)] if WARNINGS.contains(&name.to_string().as_str()) => names.push(name.to_string()),
            piece => {
                let ends = Ends::of(piece).unwrap_or(given.ends);
                let text = piece.iter().cloned().collect::<TokenStream>().to_string();
                if let Some(name) = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
                    let error = Diagnostic::new(ends, "warnings are named without quotes");
                    diagnostics.push(error.help(&format!("write `allow = ({name})`")));
                    continue;
                }
                let error = Diagnostic::new(ends, format!("there is no warning `{text}`"));
                diagnostics.push(match did_you_mean(&text, &WARNINGS) {
                    Some(nearest) => error.help(&format!("did you mean `{nearest}`?")),
                    None => error.note("the warnings are `partial_warp`, `single_thread` and `unconfirmed_gpu`"),
                });
            }
        }
    }
    names
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
        elsewhere,
        sound: true,
    };
    let config = reader.config(item);
    let Reader { places, notes, consulted, sound, .. } = reader;
    let config = config.map(|config| Config { notes, consulted, places, ..config });
    if sound { config } else { None }
}

struct Reader<'a> {
    arguments: &'a Arguments,
    diagnostics: &'a mut Diagnostics,
    places: Vec<(Argument, Ends)>,
    notes: Vec<String>,
    consulted: Vec<&'static str>,
    elsewhere: Ends,
    /// Whether nothing was wrong so far.
    sound: bool,
}

/// A stretch of tokens with the name it goes by in messages.
struct Source<'a> {
    name: &'a str,
    tokens: &'a [TokenTree],
    ends: Ends,
}

impl<'a> Source<'a> {
    fn of(given: &'a Given) -> Self {
        Source { name: given.key.name(), tokens: &given.value, ends: given.ends }
    }
}

impl Reader<'_> {
    fn config(&mut self, item: &Item) -> Option<Config> {
        let gpus = self.gpus();
        let archs = self.archs(&gpus);
        let sites = launch_sites(item);
        self.launches_agree(&sites);
        let block = self.block(&sites);
        let dynamic_smem = self.dynamic_smem(&sites);
        let (registers, registers_are_cap) = self.registers();
        let config = Config {
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
            min_waves: self.fraction(Key::MinWaves, Argument::MinWaves, occ_core::Check::MAX_WAVES),
            max_tail_idle: self.fraction(Key::MaxTailIdle, Argument::MaxTailIdle, 1.0),
            archs: archs?,
            gpus,
            block: block?,
            dynamic_smem: dynamic_smem?,
            notes: Vec::new(),
            consulted: Vec::new(),
            places: Vec::new(),
            elsewhere: self.elsewhere,
        };
        self.grid_rules_have_a_grid(&config);
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

    /// The declared GPUs, or those of the environment where they matter.
    fn gpus(&mut self) -> Vec<&'static Gpu> {
        let mut gpus = Vec::new();
        if let Some(given) = self.arguments.get(Key::Gpu) {
            self.places.push((Argument::Gpu, given.ends));
            for (name, ends) in self.texts(given) {
                match Gpu::find(&name) {
                    Ok(gpu) => gpus.push(gpu),
                    Err(error) => {
                        let first = if error.ambiguous { "is not one GPU" } else { "is not a known GPU" };
                        let error = Diagnostic::new(ends, format!("`{name}` {first}")).help(&gpu_help(&error));
                        self.error(error);
                    }
                }
            }
            return gpus;
        }
        let grid_rule = self.arguments.get(Key::MinWaves).or(self.arguments.get(Key::MaxTailIdle));
        if grid_rule.is_none() && self.arguments.has(Key::Arch) {
            return gpus;
        }
        let Some(value) = self.default(defaults::GPU) else {
            return gpus;
        };
        for name in defaults::list(&value) {
            match Gpu::find(name) {
                Ok(gpu) => gpus.push(gpu),
                Err(error) => {
                    let first = if error.ambiguous { "is not one GPU" } else { "is not a known GPU" };
                    let text = format!("`{name}` in the environment variable `{}` {first}", defaults::GPU);
                    let error = Diagnostic::new(self.elsewhere, text).help(&gpu_help(&error));
                    self.error(error);
                }
            }
        }
        self.notes.push(format!("`gpu` comes from the environment variable `{}`", defaults::GPU));
        gpus
    }

    /// The compute capabilities to check: declared, else of the declared GPUs, else of the environment.
    fn archs(&mut self, gpus: &[&'static Gpu]) -> Option<Vec<Arch>> {
        let mut archs: Vec<Arch> = gpus.iter().map(|gpu| gpu.arch).collect();
        let mut sound = true;
        if let Some(given) = self.arguments.get(Key::Arch) {
            self.places.push((Argument::Arch, given.ends));
            for (name, ends) in self.texts(given) {
                match targets(&name) {
                    Ok(named) => archs.extend(named),
                    Err(error) => {
                        sound = false;
                        self.error(Diagnostic { ends, ..error });
                    }
                }
            }
        } else if self.arguments.has(Key::Gpu) || self.arguments.has(Key::Arch) {
            // The GPUs say it, or what was written instead has been reported.
        } else if let Some(value) = self.default(defaults::ARCH) {
            for name in defaults::list(&value) {
                match targets(name) {
                    Ok(named) => archs.extend(named),
                    Err(error) => {
                        sound = false;
                        let note = format!("it comes from the environment variable `{}`", defaults::ARCH);
                        let error = Diagnostic { ends: self.elsewhere, ..error }.note(&note);
                        self.error(error);
                    }
                }
            }
            self.notes.push(format!("`arch` comes from the environment variable `{}`", defaults::ARCH));
            if defaults::list(&value).next().is_none() {
                let text = format!("the environment variable `{}` names no target", defaults::ARCH);
                self.error(Diagnostic::new(self.elsewhere, text));
            }
        } else if gpus.is_empty() && self.sound {
            let help = format!(
                "add `arch = \"sm_80\"`, or set `{}` for the whole workspace (`[env]` in `.cargo/config.toml`)",
                defaults::ARCH
            );
            let text = "no target is declared: which GPUs is this launch for?";
            self.error(Diagnostic::new(self.elsewhere, text).help(&help));
            return None;
        }
        archs.sort_unstable();
        archs.dedup();
        (sound && !archs.is_empty()).then_some(archs)
    }

    /// The strings of `"a"` or `["a", "b"]`.
    fn texts(&mut self, given: &Given) -> Vec<(String, Ends)> {
        let name = given.key.name();
        let value = visible(&given.value);
        let pieces = match &value[..] {
            [TokenTree::Group(list)] if list.delimiter() == Delimiter::Bracket => {
                let pieces = axes_in(list);
                if pieces.is_empty() {
                    self.error(Diagnostic::new(given.ends, format!("`{name}` is an empty list: nothing is checked")));
                }
                pieces
            }
            _ => vec![value],
        };
        let mut texts = Vec::new();
        for piece in pieces {
            let ends = Ends::of(&piece).unwrap_or(given.ends);
            match evaluate(&piece) {
                Ok(Written::Text(text)) => texts.push((text, ends)),
                Ok(_) => {
                    let text = format!("`{name}` must be a string, or a list of strings");
                    let example = if given.key == Key::Gpu { "gpu = \"A100 SXM4\"" } else { "arch = \"sm_80\"" };
                    self.error(Diagnostic::new(ends, text).help(&format!("such as `{example}`")));
                }
                Err(error) => self.error(error),
            }
        }
        texts
    }

    fn block(&mut self, sites: &[LaunchSite]) -> Option<Axes> {
        if let Some(given) = self.arguments.get(Key::Block) {
            let block = self.axes(Key::Block, Argument::Block);
            if let Some(block) = &block {
                self.contradiction(given, sites, "block", &|site| {
                    let axes = known_axes(&block_axes(&site.block))?;
                    let declared = [block[0].known()?, block[1].known()?, block[2].known()?];
                    (axes != declared).then(|| (in_axes(declared), in_axes(axes)))
                });
            }
            return block;
        }
        if self.arguments.has(Key::Block) {
            return None;
        }
        let Some(site) = sites.first().filter(|site| !self.is_own_spec(&site.block)) else {
            let text = "`block` is missing: how many threads does a block have?";
            self.error(Diagnostic::new(self.elsewhere, text).help("add `block = 256`, or whatever is launched"));
            return None;
        };
        if !all_alike(sites, Part::Block) {
            return None;
        }
        self.known_before_run_time("block", &site.block)?;
        let ends = Ends::of(&site.block)?;
        self.places.push((Argument::Block, ends));
        let axes = block_axes(&site.block);
        self.read_axes(&axes, "block", ends)
    }

    fn dynamic_smem(&mut self, sites: &[LaunchSite]) -> Option<Value<u32>> {
        if let Some(given) = self.arguments.get(Key::DynamicSmem) {
            let bytes = self.number(Key::DynamicSmem, Argument::DynamicSmem, 0);
            if let Some(bytes) = &bytes {
                self.contradiction(given, sites, "dynamic_smem", &|site| match evaluate(&site.dynamic_smem) {
                    Ok(Written::Integer(launched)) if launched != i128::from(bytes.known()?) => {
                        Some((bytes.known()?.to_string(), launched.to_string()))
                    }
                    _ => None,
                });
            }
            return bytes;
        }
        if self.arguments.has(Key::DynamicSmem) {
            return None;
        }
        let Some(site) = sites.first() else {
            return Some(Value::Known(0));
        };
        if !all_alike(sites, Part::DynamicSmem) {
            return None;
        }
        // A launch made from the spec launches what is declared, which is none.
        if self.is_own_spec(&site.dynamic_smem) {
            return Some(Value::Known(0));
        }
        self.known_before_run_time("dynamic_smem", &site.dynamic_smem)?;
        let ends = Ends::of(&site.dynamic_smem)?;
        self.places.push((Argument::DynamicSmem, ends));
        self.read_number(&Source { name: "dynamic_smem", tokens: &site.dynamic_smem, ends }, 0)
    }

    /// Reports launches that differ in something that was not declared.
    fn launches_agree(&mut self, sites: &[LaunchSite]) {
        let undecided: Vec<String> = [(Key::Block, Part::Block), (Key::DynamicSmem, Part::DynamicSmem)]
            .into_iter()
            .filter(|(key, part)| !self.arguments.has(*key) && !all_alike(sites, *part))
            .map(|(key, _)| format!("`{}`", key.name()))
            .collect();
        if !undecided.is_empty() {
            let text = format!("this function has {} launches that differ: which one is this?", sites.len());
            let help = format!("declare {}", undecided.join(" and "));
            self.error(Diagnostic::new(self.elsewhere, text).help(&help));
        }
    }

    /// Whether a launch takes a value from the constant that this attribute makes.
    fn is_own_spec(&self, tokens: &[TokenTree]) -> bool {
        let Some(given) = self.arguments.get(Key::Spec) else {
            return false;
        };
        let name = visible(&given.value).iter().cloned().collect::<TokenStream>().to_string();
        mentions(&tokens.iter().cloned().collect(), &|ident| ident == name)
    }

    /// Refuses a value that only exists at run time.
    fn known_before_run_time(&mut self, name: &str, tokens: &[TokenTree]) -> Option<()> {
        let Some(ends) = run_time_part(tokens) else {
            return Some(());
        };
        let text = "this is only known at run time, so the launch cannot be checked";
        let help = format!("declare `{name} = ..` in `launch_config`: that is what is checked then");
        self.error(Diagnostic::new(ends, text).help(&help));
        None
    }

    /// A declared value that no launch in the body agrees with, where all are known.
    fn contradiction(
        &mut self,
        given: &Given,
        sites: &[LaunchSite],
        name: &str,
        differs: &dyn Fn(&LaunchSite) -> Option<(String, String)>,
    ) {
        let different: Option<Vec<(String, String)>> = sites.iter().map(differs).collect();
        if let Some(different) = different
            && let Some((declared, launched)) = different.first()
        {
            let text = format!("`{name}` is {declared}, but the function launches {launched}");
            let help = format!("write `{name} = {launched}`, or launch what is declared");
            self.error(Diagnostic::new(given.ends, text).help(&help));
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

    /// A whole number of at least `least`.
    fn number(&mut self, key: Key, argument: Argument, least: i128) -> Option<Value<u32>> {
        let given = self.arguments.get(key)?;
        self.places.push((argument, given.ends));
        self.read_number(&Source::of(given), least)
    }

    fn read_number(&mut self, source: &Source<'_>, least: i128) -> Option<Value<u32>> {
        let Source { name, ends, .. } = *source;
        let error = match evaluate(source.tokens) {
            Ok(Written::Integer(value)) => match u32::try_from(value) {
                Ok(number) if value >= least => return Some(Value::Known(number)),
                _ if value < 0 => Diagnostic::new(ends, format!("`{name}` must not be negative")),
                Ok(_) => {
                    let error = Diagnostic::new(ends, format!("`{name}` must not be 0"));
                    match name {
                        "registers" | "max_registers" => error.help("leave it out while the number is not known"),
                        _ => error,
                    }
                }
                Err(_) => Diagnostic::new(ends, format!("`{name}` is {value}, more than {}", u32::MAX)),
            },
            Ok(Written::Constant(tokens)) => return Some(Value::Constant(tokens)),
            Ok(Written::Float(_)) => Diagnostic::new(ends, format!("`{name}` must be a whole number")),
            Ok(Written::Text(text)) => {
                let error = Diagnostic::new(ends, format!("`{name}` must be a number, not a string"));
                match text.trim().parse::<u32>() {
                    Ok(number) => error.help(&format!("write `{name} = {number}`")),
                    Err(_) => error,
                }
            }
            Err(error) => error,
        };
        self.error(error);
        None
    }

    /// A number from 0 to `most`.
    fn fraction(&mut self, key: Key, argument: Argument, most: f64) -> Option<Value<f64>> {
        let given = self.arguments.get(key)?;
        self.places.push((argument, given.ends));
        let name = key.name();
        let value = match evaluate(&given.value) {
            Ok(Written::Constant(tokens)) => return Some(Value::Constant(tokens)),
            Ok(Written::Float(value)) => value,
            Ok(Written::Integer(value)) => value as f64,
            Ok(Written::Text(_)) => {
                self.error(Diagnostic::new(given.ends, format!("`{name}` must be a number, not a string")));
                return None;
            }
            Err(error) => {
                self.error(error);
                return None;
            }
        };
        if (0.0..=most).contains(&value) {
            return Some(Value::Known(value));
        }
        let error = if most > 1.0 {
            Diagnostic::new(given.ends, format!("`{name}` must be a number from 0 to {most}"))
        } else {
            let error = Diagnostic::new(given.ends, format!("`{name}` must be a fraction from 0.0 to 1.0"));
            if value > 1.0 && value <= 100.0 {
                error.help(&format!("for {value}% write `{:?}`", value / 100.0))
            } else {
                error
            }
        };
        self.error(error);
        None
    }

    /// `256`, `(16, 16)` or `(8, 8, 4)`; what is left out is 1.
    fn axes(&mut self, key: Key, argument: Argument) -> Option<Axes> {
        let given = self.arguments.get(key)?;
        self.places.push((argument, given.ends));
        let value = visible(&given.value);
        let pieces = match &value[..] {
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => axes_in(group),
            [TokenTree::Group(group)] if group.delimiter() == Delimiter::Bracket => {
                let axes: TokenStream = group.stream();
                let error = Diagnostic::new(given.ends, format!("`{}` must be a number or a tuple", key.name()));
                self.error(error.help(&format!("write `{} = ({axes})`", key.name())));
                return None;
            }
            _ => vec![value],
        };
        self.read_axes(&pieces, key.name(), given.ends)
    }

    fn read_axes(&mut self, pieces: &[Vec<TokenTree>], name: &str, ends: Ends) -> Option<Axes> {
        if pieces.is_empty() || pieces.len() > 3 {
            let count = pieces.len();
            let place = pieces.get(3).and_then(|piece| Ends::of(piece)).unwrap_or(ends);
            self.error(Diagnostic::new(place, format!("`{name}` has one to three axes, not {count}")));
            return None;
        }
        let mut axes = [const { Value::Known(1) }; 3];
        let mut sound = true;
        for (axis, piece) in axes.iter_mut().zip(pieces) {
            let source = Source { name, tokens: piece, ends: Ends::of(piece).unwrap_or(ends) };
            match self.read_number(&source, 1) {
                Some(value) => *axis = value,
                None => sound = false,
            }
        }
        sound.then_some(axes)
    }
}

/// The launches of a function's body: they supply what was not declared, and must not contradict what was.
fn launch_sites(item: &Item) -> Vec<LaunchSite> {
    match &item.kind {
        Kind::Function { body, .. } => LaunchSite::find_all(body),
        _ => Vec::new(),
    }
}

/// What a launch can supply.
#[derive(Clone, Copy)]
enum Part {
    Block,
    DynamicSmem,
}

/// Whether all launches are written alike in one part.
fn all_alike(sites: &[LaunchSite], part: Part) -> bool {
    let text = |site: &LaunchSite| {
        let tokens = match part {
            Part::Block => &site.block,
            Part::DynamicSmem => &site.dynamic_smem,
        };
        tokens.iter().cloned().collect::<TokenStream>().to_string()
    };
    sites.windows(2).all(|pair| text(&pair[0]) == text(&pair[1]))
}

/// Axes as they are written.
fn in_axes(axes: [u32; 3]) -> String {
    occ_core::Text::new().axes(axes).as_str().to_owned()
}

fn known_axes(pieces: &[Vec<TokenTree>]) -> Option<[u32; 3]> {
    let mut axes = [1; 3];
    for (axis, piece) in axes.iter_mut().zip(pieces) {
        match evaluate(piece) {
            Ok(Written::Integer(value)) => *axis = u32::try_from(value).ok()?,
            _ => return None,
        }
    }
    Some(axes)
}

/// The capabilities a target names: its own, or with `..` every one its code can run on.
fn targets(name: &str) -> Result<Vec<Arch>, Diagnostic> {
    let (spelling, and_later) = match name.strip_suffix("..") {
        Some(spelling) => (spelling, true),
        None => (name, false),
    };
    let target = Target::parse(spelling).map_err(|error| {
        // The place is the caller's to know.
        let nowhere = Ends::one(proc_macro2::Span::call_site());
        Diagnostic::new(nowhere, format!("`{name}` is not a known target")).help(&target_help(error))
    })?;
    if !and_later {
        return Ok(vec![target.arch]);
    }
    Ok(Arch::ALL.into_iter().filter(|arch| target.runs_on(*arch)).collect())
}

fn target_help(error: occ_core::UnknownTarget) -> String {
    use occ_core::UnknownTargetReason::{Capability, Form, Suffix};
    let [first, second] = error.nearest;
    match error.reason {
        Form => {
            "write a target as `sm_80`, `sm_90a`, `sm_100f` or `compute_80`; `sm_80..` adds the later ones its code \
                 runs on"
                .to_owned()
        }
        Capability => format!("the nearest known are `{first}` and `{second}`"),
        Suffix => format!("there is only `{first}`"),
    }
}

fn gpu_help(error: &occ_core::UnknownGpu) -> String {
    let mut candidates = occ_core::Text::new();
    error.write_candidates(&mut candidates);
    if error.ambiguous { format!("it could be {candidates}") } else { format!("the nearest are {candidates}") }
}

/// The tokens of a piece for each comma, used by `instances`.
pub(crate) fn pieces(tokens: &[TokenTree]) -> Vec<Vec<TokenTree>> {
    split_at_commas(tokens).into_iter().map(<[TokenTree]>::to_vec).collect()
}
