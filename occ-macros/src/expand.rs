//! What the attribute becomes: the item, untouched but for constants the compiler evaluates.

use crate::config::{Axes, Carveout, CompiledKernel, Config, OUT_DIR, OnMismatch, Options};
use crate::diagnostics::Ends;
use crate::item::{Item, Kind};
use crate::value::{Value, mentions};
use occ_core::{Argument, LaunchBounds, Rule};
use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, TokenStreamExt, quote, quote_spanned};
use std::path::Path;

/// Expressions for the parts of a launch, and the typed bindings of the constants in them.
struct Parts {
    bindings: TokenStream,
    kernel: TokenStream,
    compiled: TokenStream,
    ceilings: TokenStream,
    launch: TokenStream,
    requirement: TokenStream,
}

/// A check by the compiler: `const _: () = ..;`, or `const { .. };` where a value depends on a generic parameter.
///
/// Each rule is judged once; the verdict then passes through one call for each argument an error can point at, since a
/// call has one place: `end(at(11, at(9, judge(..))))`.
pub(crate) fn compiled_check(config: &Config, options: &Options, item: &Item) -> TokenStream {
    let by_instance = depends_on_generics(config, options, item);
    rules(config)
        .map(|rule| {
            let body = if is_plain(config) { plain_check(config, options) } else { full_check(config, options, rule) };
            let mut body = Group::new(Delimiter::Brace, body);
            if by_instance {
                // The compiler points at the whole constant of a generic function too.
                let ends = config.place(&[Argument::MinOccupancy, Argument::Block]);
                let keyword = Ident::new("const", ends.first);
                body.set_span(ends.last);
                quote!(#keyword #body;)
            } else {
                quote!(const _: () = #body;)
            }
        })
        .collect()
}

/// Whether only what nearly every launch declares is declared. The compiler then has much less to read: for a
/// thousand launches the difference is what their check costs.
fn is_plain(config: &Config) -> bool {
    config.notes.is_empty()
        && config.compiled.is_empty()
        && config.gpus.is_empty()
        && config.cluster.is_none()
        && config.grid.is_none()
        && matches!(config.carveout, Carveout::Default)
        && config.min_blocks_per_sm.is_none()
        && config.min_warps_per_sm.is_none()
        && config.min_lane_efficiency.is_none()
        && config.min_waves.is_none()
        && config.max_tail_idle.is_none()
}

fn plain_check(config: &Config, options: &Options) -> TokenStream {
    let runtime = &options.runtime;
    let archs = archs(config);
    let [x, y, z] = &config.block;
    let declared = match (&config.registers, config.registers_are_cap) {
        (None, _) => 0,
        (Some(_), false) => 1,
        (Some(_), true) => 2u8,
    };
    let declared = Literal::u8_unsuffixed(declared);
    let mut values = Vec::with_capacity(8);
    let zero = Value::Known(0);
    let registers = config.registers.as_ref().unwrap_or(&zero);
    for value in [x, y, z, &config.dynamic_smem, &config.static_smem, registers, &config.barriers] {
        values.push(match value {
            Value::Known(number) => Literal::u32_unsuffixed(*number).to_token_stream(),
            Value::Constant(tokens) => tokens.clone(),
        });
    }
    let (block, resources) = values.split_at(3);
    let mut bind = Bindings::default();
    let min_occupancy = match &config.min_occupancy {
        None => quote!(0.0),
        Some(value) => bind.fraction(value, "min_occupancy"),
    };
    let judged = quote!(
        #runtime::__judge(#archs, [#(#block),*], [#(#resources),*], #declared, #min_occupancy)
    );
    let mut body = bind.tokens;
    body.extend(through_places(config, Rule::Launch, judged, runtime));
    body
}

fn full_check(config: &Config, options: &Options, rule: Rule) -> TokenStream {
    let runtime = &options.runtime;
    let check = local("__occ_check");
    let Parts { bindings, kernel, compiled, ceilings, launch, requirement } = parts(config, options);
    let cap = config.registers_are_cap;
    let archs = archs(config);
    let notes = &config.notes;
    let gpus = gpus(config, runtime);
    let name = Ident::new(&format!("{rule:?}"), Span::call_site());
    let judged = quote!(#runtime::__private::judge_by(#runtime::__private::Rule::#name, #archs, #check));
    let judged = through_places(config, rule, judged, runtime);
    let of_compiled = (!config.compiled.is_empty())
        .then(|| quote!(let #check = #runtime::__private::of_compiled(#check, #compiled, #ceilings);));
    quote!(
        #bindings
        let #check = #runtime::__private::check(#gpus, #kernel, #cap, #launch, #requirement, &[#(#notes),*]);
        #of_compiled
        #judged
    )
}

/// The rules a configuration asks for. That the launch can run is always asked.
fn rules(config: &Config) -> impl Iterator<Item = Rule> {
    let is_left = |value: &Option<Value<u32>>| value.as_ref().is_some_and(|value| value.known().is_none());
    [
        Some(Rule::Launch),
        config.min_lane_efficiency.as_ref().map(|_| Rule::MinLaneEfficiency),
        config.min_waves.as_ref().map(|_| Rule::MinWaves),
        config.max_tail_idle.as_ref().map(|_| Rule::MaxTailIdle),
        // Known ceilings have been checked in the macro.
        (is_left(&config.registers) && !config.compiled.is_empty()).then_some(Rule::Registers),
        is_left(&config.max_stack).then_some(Rule::MaxStack),
        is_left(&config.max_spills).then_some(Rule::MaxSpills),
        config.compiled.iter().any(|kernel| kernel.min_blocks_per_sm.is_some()).then_some(Rule::CompiledMinBlocks),
    ]
    .into_iter()
    .flatten()
}

/// `end(at(11, at(9, judged)))`: the places of the arguments that can limit a rule, then of the one that requires it.
fn through_places(config: &Config, rule: Rule, judged: TokenStream, runtime: &TokenStream) -> TokenStream {
    let (limiting, required) = rule.arguments();
    let mut judged = judged;
    for argument in limiting {
        if let Some(ends) = config.written(*argument) {
            let number = Literal::u8_unsuffixed(*argument as u8);
            let mut arguments = TokenStream::from(TokenTree::Literal(number));
            arguments.append(Punct::new(',', Spacing::Alone));
            arguments.extend(judged);
            judged = call_at(ends, "__at", arguments, runtime);
        }
    }
    call_at(config.place(required), "__end", judged, runtime)
}

/// A call of one of our functions that an error underlines as `ends`: the path carries its first token's place, the
/// parentheses its last one's.
fn call_at(ends: Ends, function: &str, arguments: TokenStream, runtime: &TokenStream) -> TokenStream {
    let mut call = respanned(runtime.clone(), ends.first);
    for spacing in [Spacing::Joint, Spacing::Alone] {
        let mut colon = Punct::new(':', spacing);
        colon.set_span(ends.first);
        call.append(colon);
    }
    call.append(Ident::new(function, ends.first));
    let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
    arguments.set_span(ends.last);
    call.append(arguments);
    call
}

/// The capabilities as a set: bit n is `Arch::ALL[n]`.
fn archs(config: &Config) -> Literal {
    Literal::u32_unsuffixed(occ_core::internal::arch_bits(&config.archs))
}

/// Whether a value can only be known once a generic function is instantiated, or by its `impl`.
pub(crate) fn depends_on_generics(config: &Config, options: &Options, item: &Item) -> bool {
    depends_on_impl(config, options) || parameter_in(config, item).is_some()
}

/// Whether a value can only be known by the surrounding `impl`.
fn depends_on_impl(config: &Config, options: &Options) -> bool {
    options.generic || config.constants().any(|tokens| mentions(tokens, &|name| name == "Self"))
}

/// A parameter of the function that a value depends on.
pub(crate) fn parameter_in<'i>(config: &Config, item: &'i Item) -> Option<&'i str> {
    let Kind::Function { generics, .. } = &item.kind else {
        return None;
    };
    let used = |name: &str| config.constants().any(|tokens| mentions(tokens, &|mentioned| mentioned == name));
    generics.iter().map(|parameter| parameter.name.as_str()).find(|name| used(name))
}

/// `pub const SAXPY: LaunchSpec = ..;`, beside a function or in an `impl` of a unit struct.
pub(crate) fn spec(name: &Ident, config: Option<&Config>, options: &Options, item: &Item) -> TokenStream {
    let runtime = &options.runtime;
    let visibility = if matches!(item.kind, Kind::UnitStruct) { quote!(pub) } else { item.visibility.clone() };
    let launch_name = launch_name(options, item);
    let docs = format!("The launch of `{launch_name}` as it was checked.");
    let value = match config {
        Some(config) => {
            let check = may_mean_something_else(config, options, item).then(|| Ends::one(name.span()));
            spec_value(config, options, item, check)
        }
        // Something is wrong and has been reported: users of the constant must not be reported as well.
        None => quote!(#runtime::__private::unchecked_spec(#launch_name)),
    };
    let keyword = Ident::new("const", name.span());
    quote! {
        #[doc = #docs]
        #visibility #keyword #name: #runtime::LaunchSpec = #value;
    }
}

/// The kernel that is launched: as it is named, else as the item is.
fn launch_name(options: &Options, item: &Item) -> String {
    options.kernel.clone().unwrap_or_else(|| item.plain_name())
}

/// Whether a constant may be another one beside the function than in its body, where it was checked.
fn may_mean_something_else(config: &Config, options: &Options, item: &Item) -> bool {
    let Kind::Function { body, .. } = &item.kind else {
        return false;
    };
    depends_on_impl(config, options) || !config.is_known() && may_declare_items(&body.stream())
}

/// Whether code may declare an item, itself or by a macro other than `launch!`.
fn may_declare_items(tokens: &TokenStream) -> bool {
    let mut before = String::new();
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => {
            before = ident.to_string();
            matches!(
                before.as_str(),
                "const" | "static" | "use" | "enum" | "struct" | "union" | "type" | "fn" | "mod" | "trait" | "extern"
            )
        }
        TokenTree::Punct(punct) => punct.as_char() == '!' && !before.is_empty() && before != "launch",
        TokenTree::Group(group) => {
            before.clear();
            may_declare_items(&group.stream())
        }
        TokenTree::Literal(_) => false,
    })
}

/// A block with the spec as its value, which is checked again at a place that is given.
pub(crate) fn spec_value(config: &Config, options: &Options, item: &Item, check_at: Option<Ends>) -> TokenStream {
    let launch_name = launch_name(options, item);
    let runtime = &options.runtime;
    let Parts { bindings, kernel, compiled, ceilings, launch, requirement } = parts(config, options);
    let archs = config.archs.iter().map(|arch| Ident::new(&arch.name().to_uppercase(), Span::call_site()));
    let cap = config.registers_are_cap;
    let on_mismatch = match options.on_mismatch {
        OnMismatch::Error => quote!(Error),
        OnMismatch::Warn => quote!(Warn),
        OnMismatch::Ignore => quote!(Ignore),
    };
    let gpus = gpus(config, runtime);
    let mut spec = quote!(#runtime::__private::spec(
        #launch_name, &[#(#runtime::__private::Arch::#archs),*], #gpus, #kernel, #cap, #launch, #requirement,
        #runtime::OnMismatch::#on_mismatch,
    ));
    if !config.compiled.is_empty() {
        spec = quote!(#runtime::__private::spec_of_compiled(#spec, #compiled, #ceilings));
    }
    if let Some(place) = check_at {
        spec = call_at(place, "__checked", spec, runtime);
    }
    quote!({
        #bindings
        #spec
    })
}

fn parts(config: &Config, options: &Options) -> Parts {
    let runtime = &options.runtime;
    let private = quote!(#runtime::__private);
    let mut bind = Bindings::default();
    let block = bind.axes(&config.block, "block");
    let dynamic_smem = bind.number(&config.dynamic_smem, "dynamic_smem");
    let static_smem = bind.number(&config.static_smem, "static_smem");
    let barriers = bind.number(&config.barriers, "barriers");
    let declared = optional(config.registers.as_ref().map(|value| bind.number(value, "registers")));
    let stack = optional(config.max_stack.as_ref().map(|value| bind.number(value, "max_stack")));
    let spills = optional(config.max_spills.as_ref().map(|value| bind.number(value, "max_spills")));
    // Beside a compiled kernel, declared registers are a ceiling.
    let none = optional(None);
    let (registers, ceiling) = if config.compiled.is_empty() { (declared, none) } else { (none, declared) };
    let cluster = optional(config.cluster.as_ref().map(|value| bind.axes(value, "cluster")));
    let grid = optional(config.grid.as_ref().map(|value| bind.axes(value, "grid")));
    let carveout = match &config.carveout {
        Carveout::Default => quote!(#private::Carveout::Default),
        Carveout::Percent(value) => {
            let percent = bind.number(value, "carveout");
            quote!(#private::carveout(#percent))
        }
    };
    let min_occupancy = optional(config.min_occupancy.as_ref().map(|value| bind.fraction(value, "min_occupancy")));
    let min_blocks = optional(config.min_blocks_per_sm.as_ref().map(|value| bind.number(value, "min_blocks_per_sm")));
    let min_warps = optional(config.min_warps_per_sm.as_ref().map(|value| bind.number(value, "min_warps_per_sm")));
    let lanes = optional(config.min_lane_efficiency.as_ref().map(|value| bind.fraction(value, "min_lane_efficiency")));
    let waves = optional(config.min_waves.as_ref().map(|value| bind.fraction(value, "min_waves")));
    let tail = optional(config.max_tail_idle.as_ref().map(|value| bind.fraction(value, "max_tail_idle")));
    Parts {
        bindings: bind.tokens,
        kernel: quote!(#private::kernel(#registers, #static_smem, #barriers)),
        compiled: compiled(config, runtime),
        ceilings: quote!(#private::Ceilings { registers: #ceiling, max_stack: #stack, max_spills: #spills }),
        launch: quote!(#private::launch(#block, #dynamic_smem, #carveout, #cluster, #grid)),
        requirement: quote!(
            #private::Requirement {
                min_occupancy: #min_occupancy,
                min_blocks_per_sm: #min_blocks,
                min_warps_per_sm: #min_warps,
                min_lane_efficiency: #lanes,
                min_waves: #waves,
                max_tail_idle: #tail,
            }
        ),
    }
}

/// The kernels that were read, as a constant.
fn compiled(config: &Config, runtime: &TokenStream) -> TokenStream {
    let private = quote!(#runtime::__private);
    let kernels = config.compiled.iter().map(|compiled| {
        let CompiledKernel { kernel, source, .. } = compiled;
        let arch = Ident::new(&compiled.arch.name().to_uppercase(), Span::call_site());
        let registers = literal(kernel.registers);
        let amounts = [kernel.static_smem, kernel.barriers, kernel.virtual_resources].map(Literal::u32_unsuffixed);
        let max_threads = literal(kernel.max_threads);
        let bounds = optional(kernel.bounds.map(|bounds| launch_bounds(&bounds, &private)));
        let [stack, spills, blocks] = [compiled.stack, compiled.spills, compiled.min_blocks_per_sm].map(literal);
        quote!(#private::Compiled {
            arch: #private::Arch::#arch,
            kernel: #private::compiled_kernel(#registers, [#(#amounts),*], #max_threads, #bounds),
            stack: #stack,
            spills: #spills,
            min_blocks_per_sm: #blocks,
            source: #source,
        })
    });
    quote!({
        const __OCC_COMPILED: &[#private::Compiled<'static>] = &[#(#kernels),*];
        __OCC_COMPILED
    })
}

fn launch_bounds(bounds: &LaunchBounds, private: &TokenStream) -> TokenStream {
    let block = bounds.required_block.map(|axes| quote!(.required_block([#(#axes),*])));
    let cluster = bounds.required_cluster.map(|axes| quote!(.required_cluster([#(#axes),*])));
    let max_cluster_blocks = bounds.max_cluster_blocks.map(|blocks| quote!(.max_cluster_blocks(#blocks)));
    let needs_cluster = bounds.needs_cluster.then(|| quote!(.needs_cluster(true)));
    let counts_clusters = bounds.grid_counts_clusters.then(|| quote!(.grid_counts_clusters(true)));
    quote!(#private::LaunchBounds::new() #block #cluster #max_cluster_blocks #needs_cluster #counts_clusters)
}

fn literal(number: Option<u32>) -> TokenStream {
    optional(number.map(|number| Literal::u32_unsuffixed(number).to_token_stream()))
}

fn gpus(config: &Config, runtime: &TokenStream) -> TokenStream {
    let indices = config.gpus.iter().map(|gpu| gpu.index());
    if config.gpus.is_empty() {
        return quote!(&[]);
    }
    quote!({
        const __OCC_GPUS: &[&#runtime::__private::Gpu] = &[#(#runtime::__private::gpu(#indices)),*];
        __OCC_GPUS
    })
}

fn optional(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

/// Typed `let`s for the user's expressions: so a wrong type is reported at the expression, and nothing of the user's
/// can meet a name of ours.
#[derive(Default)]
struct Bindings {
    tokens: TokenStream,
}

impl Bindings {
    fn number(&mut self, value: &Value<u32>, name: &str) -> TokenStream {
        match value {
            Value::Known(number) => Literal::u32_unsuffixed(*number).to_token_stream(),
            Value::Constant(tokens) => self.bind(tokens, name, "u32"),
        }
    }

    fn fraction(&mut self, value: &Value<f64>, name: &str) -> TokenStream {
        match value {
            Value::Known(fraction) => Literal::f64_suffixed(*fraction).to_token_stream(),
            Value::Constant(tokens) => self.bind(tokens, name, "f64"),
        }
    }

    fn axes(&mut self, axes: &Axes, name: &str) -> TokenStream {
        let [x, y, z] = axes;
        let x = self.number(x, &format!("{name}_x"));
        let y = self.number(y, &format!("{name}_y"));
        let z = self.number(z, &format!("{name}_z"));
        quote!([#x, #y, #z])
    }

    fn bind(&mut self, expression: &TokenStream, name: &str, primitive: &str) -> TokenStream {
        let local = local(&format!("__occ_{name}"));
        let span = expression.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span());
        let primitive = Ident::new(primitive, span);
        let ty = quote_spanned!(span=> ::core::primitive::#primitive);
        // The compiler would find the user's own parentheses unnecessary here.
        let starts_with_group = matches!(expression.clone().into_iter().next(), Some(TokenTree::Group(_)));
        if starts_with_group {
            self.tokens.extend(quote!(#[allow(unused_parens, unused_braces)]));
        }
        self.tokens.extend(quote!(let #local: #ty = #expression;));
        local.to_token_stream()
    }
}

/// A local of the expansion that no code of the user can see.
fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// Tokens in another place. `$crate` stays the crate it was.
pub(crate) fn respanned(tokens: TokenStream, span: Span) -> TokenStream {
    tokens
        .into_iter()
        .map(|mut token| {
            let is_crate = matches!(&token, TokenTree::Ident(ident) if ident == "$crate");
            token.set_span(if is_crate { span.resolved_at(token.span()) } else { span });
            token
        })
        .collect()
}

/// `const _: Option<&str> = option_env!("OCC_ARCH");`: a change of the variable rebuilds the crate.
pub(crate) fn tracked(variables: &[&str]) -> TokenStream {
    variables
        .iter()
        .map(|variable| {
            quote!(
                const _: ::core::option::Option<&::core::primitive::str> = ::core::option_env!(#variable);
            )
        })
        .collect()
}

/// A function nobody calls that includes the files: a change of one rebuilds the crate, and nothing of them gets into
/// what is built. (A constant would put each file into the crate's metadata, four times its size.)
pub(crate) fn tracked_files(files: &[String]) -> TokenStream {
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

/// A warning at the user's tokens, as the use of a deprecated constant: the one way stable Rust has.
pub(crate) fn warning(name: &str, text: &str, ends: Ends) -> TokenStream {
    let constant = Ident::new(name, Span::call_site());
    let used = Ident::new(name, ends.first);
    quote! {
        const _: () = {
            #[deprecated(note = #text)]
            #[allow(non_upper_case_globals)]
            const #constant: () = ();
            #used
        };
    }
}
