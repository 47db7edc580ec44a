//! The parts of a launch as expressions, and the calls they are passed to.

use crate::config::{Axes, Config};
use crate::diagnostics::TokenRange;
use crate::keys::{Needs, ValueKind};
use crate::options::Options;
use crate::value::{Number, Value};
use occ_core::LaunchBounds;
use proc_macro2::{Delimiter, Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};

/// Expressions for the parts of a launch, and typed bindings for the user's constants in them.
pub(super) struct Parts {
    pub(super) bindings: TokenStream,
    pub(super) kernel: TokenStream,
    pub(super) compiled: TokenStream,
    pub(super) ceilings: TokenStream,
    pub(super) launch: TokenStream,
    pub(super) requirement: TokenStream,
}

impl Parts {
    /// Returns the parts of a configuration.
    pub(super) fn of(config: &Config, options: &Options) -> Parts {
        let runtime = &options.runtime;
        let private = quote!(#runtime::__private);
        let mut bind = Bindings::default();
        let block = bind.axes("block", &config.block);
        let dynamic_smem = bind.integer("dynamic_smem", &config.dynamic_smem);
        let static_smem = bind.integer("static_smem", &config.static_smem);
        let barriers = bind.integer("barriers", &config.barriers);
        let declared = config.registers.as_ref().map(|value| bind.integer("registers", value));
        let cluster = optional(config.cluster.as_ref().map(|axes| bind.axes("cluster", axes)));
        let grid = optional(config.grid.as_ref().map(|axes| bind.axes("grid", axes)));
        let carveout = match &config.carveout {
            None => quote!(#private::Carveout::Default),
            Some(percent) => {
                let percent = bind.integer("carveout", percent);
                quote!(#private::carveout(#percent))
            }
        };
        // Beside compiled kernels, declared registers are a maximum for them.
        let (registers, ceiling) = if config.compiled.is_empty() { (declared, None) } else { (None, declared) };
        let registers = optional(registers);
        let mut requirement = quote!(#private::Requirement::new());
        let mut ceilings = quote!(#private::Ceilings::new());
        ceilings.extend(ceiling.map(|value| quote!(.registers(#value))));
        for argument in &config.requirements {
            let name = argument.key.name();
            let setter = Ident::new(name, Span::call_site());
            let value = bind.number(name, &argument.value);
            match argument.key.row().kind {
                ValueKind::Requirement(_, Needs::Cubin) => ceilings.extend(quote!(.#setter(#value))),
                _ => requirement.extend(quote!(.#setter(#value))),
            }
        }
        Parts {
            bindings: bind.tokens,
            kernel: quote!(#private::kernel(#registers, #static_smem, #barriers)),
            compiled: compiled(config, &private),
            ceilings,
            launch: quote!(#private::launch(#block, #dynamic_smem, #carveout, #cluster, #grid)),
            requirement,
        }
    }
}

/// Returns the capabilities as a set: bit n is `Arch::ALL[n]`.
pub(super) fn archs(config: &Config) -> Literal {
    Literal::u32_unsuffixed(occ_core::internal::arch_bits(&config.archs))
}

/// Returns the GPUs as a constant.
pub(super) fn gpus(config: &Config, runtime: &TokenStream) -> TokenStream {
    let indices = config.gpus.iter().map(|gpu| gpu.index());
    if config.gpus.is_empty() {
        return quote!(&[]);
    }
    quote!({
        const __OCC_GPUS: &[&#runtime::__private::Gpu] = &[#(#runtime::__private::gpu(#indices)),*];
        __OCC_GPUS
    })
}

/// Returns the compiled kernels as a constant.
fn compiled(config: &Config, private: &TokenStream) -> TokenStream {
    let kernels = config.compiled.iter().map(|compiled| {
        let (source, numbers) = (&compiled.source, &compiled.numbers);
        let kernel = &numbers.kernel;
        let arch = Ident::new(&numbers.arch.name().to_uppercase(), Span::call_site());
        let registers = literal(kernel.registers);
        let amounts = [kernel.static_smem, kernel.barriers, kernel.virtual_resources].map(Literal::u32_unsuffixed);
        let max_threads = literal(kernel.max_threads);
        let bounds = optional(kernel.bounds.map(|bounds| launch_bounds(&bounds, private)));
        let [stack, spills, blocks] = [numbers.stack, numbers.spills, numbers.min_blocks_per_sm].map(literal);
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

fn optional(value: Option<TokenStream>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

/// Typed `let`s for the user's expressions, so that a wrong type is reported at the expression, and no name of the user
/// meets one of ours.
#[derive(Default)]
pub(super) struct Bindings {
    pub(super) tokens: TokenStream,
}

impl Bindings {
    /// Returns an expression for a number.
    pub(super) fn number(&mut self, name: &str, number: &Number) -> TokenStream {
        match number {
            Number::Integer(value) => self.integer(name, value),
            Number::Float(Value::Known(number)) => Literal::f64_suffixed(*number).to_token_stream(),
            Number::Float(Value::Constant(tokens)) => self.bind(name, tokens, "f64"),
        }
    }

    fn integer(&mut self, name: &str, value: &Value<u32>) -> TokenStream {
        match value {
            Value::Known(number) => Literal::u32_unsuffixed(*number).to_token_stream(),
            Value::Constant(tokens) => self.bind(name, tokens, "u32"),
        }
    }

    fn axes(&mut self, name: &str, axes: &Axes) -> TokenStream {
        let [x, y, z] = axes;
        let x = self.integer(&format!("{name}_x"), x);
        let y = self.integer(&format!("{name}_y"), y);
        let z = self.integer(&format!("{name}_z"), z);
        quote!([#x, #y, #z])
    }

    fn bind(&mut self, name: &str, expression: &TokenStream, primitive: &str) -> TokenStream {
        let local = local(&format!("__occ_{name}"));
        let first = expression.clone().into_iter().next();
        let span = first.as_ref().map_or_else(Span::call_site, TokenTree::span);
        let primitive = Ident::new(primitive, span);
        let ty = quote_spanned!(span=> ::core::primitive::#primitive);
        // The user's own parentheses would be unnecessary here.
        if matches!(first, Some(TokenTree::Group(_))) {
            self.tokens.extend(quote!(#[allow(unused_parens, unused_braces)]));
        }
        self.tokens.extend(quote!(let #local: #ty = #expression;));
        local.to_token_stream()
    }
}

/// Returns the name of a local that no code of the user can see.
pub(super) fn local(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// Returns a call of a function of `occ_runtime::__private` that an error underlines as `range`: the path has the span of
/// its first token, the parentheses that of its last.
pub(super) fn call_at(range: TokenRange, function: &str, arguments: TokenStream, runtime: &TokenStream) -> TokenStream {
    let runtime = respanned(runtime.clone(), range.first);
    let function = Ident::new(function, range.first);
    let mut arguments = Group::new(Delimiter::Parenthesis, arguments);
    arguments.set_span(range.last);
    quote_spanned!(range.first=> #runtime::__private::#function #arguments)
}

/// Returns tokens with another span. `$crate` keeps the crate that it names.
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
