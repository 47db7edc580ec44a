//! Launches that are guarded at run time: `launch!(SITE)` becomes `__guarded!([launch] [SPEC] SITE)`, in place.
//!
//! `__guarded!` compares the launch with the specs in its second group, and then makes it with the macro in its first
//! group. A launch that several attributes may be for gets a spec of each.

use crate::arguments::Arguments;
use crate::config::Config;
use crate::expand;
use crate::item::{Item, Kind};
use crate::launch_site::{GUARDED, LaunchSite, invoked, launched};
use crate::options::Options;
use crate::regroup::{preserve_fragment, with_stream};
use crate::share::Share;
use crate::tokens::{is_name, is_punct};
use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{TokenStreamExt, quote, quote_spanned};

/// A function's body with guarded launches.
pub(crate) struct Guarded {
    pub(crate) body: Group,
    /// The spec for the beginning of the body. Empty if each launch has its own.
    pub(crate) constant: TokenStream,
}

/// Guards the launches of a function that an attribute is for. `None` if there are none.
pub(crate) fn guarded(item: &Item, arguments: &Arguments, config: &Config, options: &Options) -> Option<Guarded> {
    // A `launch!` in a `const fn` is another macro.
    let Kind::Function { is_const: false, body, .. } = &item.kind else {
        return None;
    };
    let text = body.to_string();
    if !text.contains("launch") {
        return None;
    }
    let runtime = &options.runtime;
    let by_instance = expand::depends_on_generics(config, options, item);
    let value = expand::spec_value(config, options, item, None);
    let (spec, constant) = if by_instance {
        (quote!(&const #value), TokenStream::new())
    } else {
        let name = free_name(&text);
        (quote!(&#name), quote!(const #name: #runtime::LaunchSpec = #value;))
    };
    let guard = Guard { share: Share::of(arguments, item), runtime, spec, by_instance };
    Some(Guarded { body: guard.rewrite(body)?, constant })
}

/// Returns a name for a constant that no other attribute uses, of this function or of one inside it.
fn free_name(text: &str) -> Ident {
    let names = (0u32..).map(|number| format!("__OCC_SPEC_{number}"));
    let name = names.into_iter().find(|name| !text.contains(name)).unwrap_or_default();
    Ident::new(&name, Span::call_site())
}

/// Rewrites the launches of a body.
struct Guard<'a> {
    share: Share<'a>,
    runtime: &'a TokenStream,
    /// Reference to the spec.
    spec: TokenStream,
    /// Whether the spec depends on the function's parameters, which items inside the function do not see.
    by_instance: bool,
}

impl Guard<'_> {
    /// Returns a group with guarded launches, if it has any. All other tokens stay.
    fn rewrite(&self, group: &Group) -> Option<Group> {
        let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
        let mut result: Vec<TokenTree> = Vec::with_capacity(tokens.len() + 8);
        let mut is_changed = false;
        for (at, token) in tokens.iter().enumerate() {
            let changed = match token {
                TokenTree::Group(inner) if !self.is_apart(&tokens[..at]) => {
                    let deeper = self.rewrite(inner);
                    let whole = self.rewrite_launch(&mut result, deeper.as_ref().unwrap_or(inner));
                    whole.or(deeper)
                }
                _ => None,
            };
            is_changed |= changed.is_some();
            result.push(changed.map_or_else(|| token.clone(), TokenTree::Group));
        }
        is_changed.then(|| with_stream(group, result.into_iter().map(preserve_fragment).collect()))
    }

    /// Returns the group of a guarded launch, if a launching macro is invoked with this group, and replaces the macro
    /// before it.
    fn rewrite_launch(&self, before: &mut Vec<TokenTree>, group: &Group) -> Option<Group> {
        let macro_name = invoked(before)?;
        let inside: Vec<TokenTree> = group.stream().into_iter().collect();
        let site = LaunchSite::parse(launched(macro_name, &inside)?)?;
        // Tokens behind the arguments are the grammar of another macro.
        let ends_with_arguments =
            matches!(inside.last(), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
        if !ends_with_arguments || !self.share.includes(&site) {
            return None;
        }
        if macro_name == GUARDED {
            return Some(with_stream(group, self.with_another_spec(inside)));
        }
        let start = path_start(&before[..before.len() - 1])?;
        let path: Vec<TokenTree> = before.drain(start..).collect();
        let (bang, launch) = path.split_last()?;
        before.extend(self.macro_path(launch.first()?.span()));
        before.push(bang.clone());
        let spec = &self.spec;
        let mut stream = quote_spanned!(bang.span()=> [#(#launch)*] [#spec]);
        stream.extend([group.stream()]);
        Some(with_stream(group, stream))
    }

    /// Returns the inside of a guarded launch with this spec behind those of other attributes.
    fn with_another_spec(&self, mut inside: Vec<TokenTree>) -> TokenStream {
        if let Some(TokenTree::Group(specs)) = inside.get_mut(1) {
            let mut stream = specs.stream();
            stream.append(Punct::new(',', Spacing::Alone));
            stream.extend(self.spec.clone());
            *specs = with_stream(specs, stream);
        }
        inside.into_iter().collect()
    }

    /// Returns `::occ_runtime::__guarded`.
    fn macro_path(&self, span: Span) -> TokenStream {
        let runtime = expand::respanned(self.runtime.clone(), span);
        let guarded = Ident::new(GUARDED, span);
        quote_spanned!(span=> #runtime::#guarded)
    }

    /// Returns whether what follows belongs to a definition in the body that does not launch as part of the function: of
    /// a macro, a module or a `const fn`, or of anything that would not see a spec which depends on parameters.
    fn is_apart(&self, before: &[TokenTree]) -> bool {
        if let [.., TokenTree::Ident(definition), bang, TokenTree::Ident(_)] = before
            && definition == "macro_rules"
            && is_punct(bang, '!')
        {
            return true;
        }
        for (at, token) in before.iter().enumerate().rev() {
            let next = before.get(at + 1);
            match token {
                TokenTree::Punct(punct) if punct.as_char() == ';' => return false,
                // The end of the previous statement or item, unless it is an argument as in `Array<{ N }>`.
                TokenTree::Group(group)
                    if group.delimiter() == Delimiter::Brace
                        && !next.is_some_and(|next| is_punct(next, '>') || is_punct(next, ',')) =>
                {
                    return false;
                }
                TokenTree::Ident(keyword) if matches!(next, Some(TokenTree::Ident(_))) => {
                    match keyword.to_string().as_str() {
                        "mod" => return true,
                        "fn" => return self.by_instance || is_const(&before[..at]),
                        "static" if self.by_instance => return true,
                        // Not the `const` of a pointer's type.
                        "const" if self.by_instance && before.get(at + 2).is_some_and(|token| is_punct(token, ':')) => {
                            return true;
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        false
    }
}

/// Returns whether `const` is among the qualifiers of a function, at the end of the tokens.
fn is_const(qualifiers: &[TokenTree]) -> bool {
    qualifiers
        .iter()
        .rev()
        .map_while(|token| match token {
            TokenTree::Ident(ident) => Some(ident.to_string()),
            // An ABI.
            TokenTree::Literal(_) => Some(String::new()),
            _ => None,
        })
        .take_while(|word| matches!(word.as_str(), "const" | "async" | "unsafe" | "safe" | "extern" | ""))
        .any(|word| word == "const")
}

/// Returns where the path begins that ends with the last token, a name. `None` for a path in a macro's definition, which
/// begins with `$`.
fn path_start(tokens: &[TokenTree]) -> Option<usize> {
    let mut start = tokens.len().checked_sub(1)?;
    while let [.., first, second] = &tokens[..start]
        && is_punct(first, ':')
        && is_punct(second, ':')
    {
        start -= 2;
        match &tokens[..start] {
            // `break 'a ::cust::launch!(..)`
            [.., quote, TokenTree::Ident(_)] if is_punct(quote, '\'') => break,
            [.., TokenTree::Ident(segment)] if is_segment(segment) => start -= 1,
            _ => break,
        }
    }
    let is_defined = tokens[..start].last().is_some_and(|token| is_punct(token, '$'));
    (!is_defined).then_some(start)
}

/// Returns whether a word can be part of a path. In `return ::cust::launch!(..)` the first one cannot.
fn is_segment(word: &Ident) -> bool {
    is_name(word) || matches!(word.to_string().as_str(), "crate" | "self" | "super")
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::config;
    use crate::diagnostics::Diagnostics;
    use proc_macro2::LineColumn;

    /// The tokens with their launches as they were before they were guarded, behind the path of what guarded them.
    pub(crate) fn unguarded(tokens: TokenStream) -> TokenStream {
        let mut result: Vec<TokenTree> = Vec::new();
        for token in tokens {
            let TokenTree::Group(group) = token else {
                result.push(token);
                continue;
            };
            let inside: Vec<TokenTree> = group.stream().into_iter().collect();
            let is_guarded = invoked(&result).is_some_and(|name| name == GUARDED);
            let group = match &inside[..] {
                [TokenTree::Group(launch), TokenTree::Group(_), site @ ..] if is_guarded => {
                    let bang = result.pop();
                    result.extend(launch.stream());
                    result.extend(bang);
                    with_stream(&group, unguarded(site.iter().cloned().collect()))
                }
                _ => with_stream(&group, unguarded(group.stream())),
            };
            result.push(TokenTree::Group(group));
        }
        result.into_iter().collect()
    }

    /// Every token with its place; a group has two.
    fn texts(tokens: TokenStream) -> Vec<(String, LineColumn)> {
        let mut list = Vec::new();
        for token in tokens {
            let place = token.span();
            match token {
                TokenTree::Group(group) => {
                    list.push((format!("{:?}", group.delimiter()), place.start()));
                    list.extend(texts(group.stream()));
                    list.push((format!("end of {:?}", group.delimiter()), place.end()));
                }
                token => list.push((token.to_string(), place.start())),
            }
        }
        list
    }

    /// The body of a function after the attributes on it, each with its constant at the beginning.
    fn body_of(source: &str) -> Group {
        let mut tokens: Vec<TokenTree> = source.parse::<TokenStream>().unwrap().into_iter().collect();
        loop {
            let attribute = match &tokens[..] {
                [TokenTree::Punct(_), TokenTree::Group(attribute), ..] => attribute.clone(),
                [.., TokenTree::Group(body)] => return body.clone(),
                _ => panic!("not a function: {source}"),
            };
            let Some(TokenTree::Group(arguments)) = attribute.stream().into_iter().last() else { panic!("{source}") };
            let mut diagnostics = Diagnostics::default();
            let arguments = Arguments::parse(arguments.stream(), &mut diagnostics);
            let item = Item::parse(tokens.drain(2..).collect(), &arguments);
            let options = Options::read(&arguments, &mut diagnostics);
            let config = config::read(&arguments, &item, &mut diagnostics);
            let errors = diagnostics.into_errors();
            assert!(errors.is_empty(), "{source}: {errors:?}");
            let expansion = match guarded(&item, &arguments, &config.unwrap(), &options) {
                Some(guarded) => item.with_body(&guarded.body, guarded.constant),
                None => item.tokens,
            };
            tokens = expansion.into_iter().collect();
        }
    }

    /// What stands for each launch of a body: the guarded macro's path, its groups, its delimiter.
    fn guarded_launches(source: &str) -> Vec<String> {
        fn find(group: &Group, found: &mut Vec<String>) {
            let tokens: Vec<TokenTree> = group.stream().into_iter().collect();
            for (at, token) in tokens.iter().enumerate() {
                let TokenTree::Group(inner) = token else { continue };
                if invoked(&tokens[..at]).is_some_and(|name| name == GUARDED) {
                    let path = &tokens[path_start(&tokens[..at - 1]).unwrap()..at];
                    let text = |tokens: &[TokenTree]| {
                        tokens.iter().cloned().collect::<TokenStream>().to_string().replace(' ', "")
                    };
                    let inside: Vec<TokenTree> = inner.stream().into_iter().collect();
                    assert!(LaunchSite::parse(&inside[2..]).is_some());
                    let (path, groups) = (text(path), text(&inside[..2]));
                    found.push(format!("{path}{:?}{groups}", inner.delimiter()));
                }
                find(inner, found);
            }
        }
        let mut found = Vec::new();
        find(&body_of(source), &mut found);
        found
    }

    const ONE: &str = "#[launch_config(arch = \"sm_80\", block = 64)]";

    /// How a launch is guarded by the first constant.
    fn by_first(path: &str) -> String {
        format!("::occ_runtime::__guarded!Parenthesis[{path}][&__OCC_SPEC_0]")
    }

    #[test]
    fn every_path_and_place() {
        let site = "(module.k<<<grid, 64, 0, stream>>>(x, y))";
        for (path, code) in [
            ("launch", "LAUNCH"),
            ("launch", "LAUNCH?;"),
            ("launch", "LAUNCH.map_err(Error::from)?; Ok(())"),
            ("launch", "return LAUNCH;"),
            ("cust::launch", "LAUNCH"),
            ("::cust::launch", "return LAUNCH;"),
            ("::cust::launch", "let r = 'a: { break 'a LAUNCH };"),
            ("crate::gpu::launch", "unsafe { LAUNCH }?;"),
            ("self::launch", "let run = || unsafe { LAUNCH }; run()"),
            ("super::super::launch", "for _ in 0..n { if a { LAUNCH? } else { LAUNCH? } }"),
            ("occ_runtime::launch", "match x { A { y } => LAUNCH, _ => Ok(()) }"),
            ("launch", "vec![LAUNCH?, LAUNCH?]; assert!(LAUNCH.is_ok());"),
            ("launch", "tokio::select! { x = a => LAUNCH?, _ = b => { LAUNCH? } }"),
            ("launch", "async move { LAUNCH }.await"),
            ("launch", "fn inner() -> R { LAUNCH } inner()"),
            ("launch", "impl K { fn k<const N: u32>(&self) -> [Foo<{ N }>; 3] where T: Copy, { LAUNCH } }"),
            ("launch", "const X: *const u8 = p; static F: fn() -> R = || LAUNCH; { unsafe { LAUNCH } }"),
            ("launch", "const fn f() {} LAUNCH; fn g() {} LAUNCH"),
            ("launch", "let f: fn(u8) -> u8 = g; LAUNCH"),
            ("launch", "#![allow(unused)] let r#mod = 1; LAUNCH"),
        ] {
            let body = code.replace("LAUNCH", &format!("{path}!{site}"));
            let source = format!("{ONE} fn f<'a, T>(x: &'a T) -> R {{ {body} }}");
            let launches = guarded_launches(&source);
            assert_eq!(launches.len(), code.matches("LAUNCH").count(), "{source}");
            assert!(launches.iter().all(|launch| *launch == by_first(path)), "{source}: {launches:?}");
        }
    }

    /// Forms of block, shared memory and stream that real code has.
    #[test]
    fn every_form_of_a_launch() {
        for site in [
            "module.k<<<1, 64, 0, stream>>>(p)",
            "func<<<(w as u32 / 16 + 1, h), (64, 1), 4 * B, stream>>>(p, 1u32,)",
            "func<<<GridSize::xy(1, 2), BlockSize::xy(8 * TILE as u32, TILE), a >> b, stream>>>(p)",
            "func<<<&g, &b, (TILE * 4) as u32, stream>>>(p)",
            "func<<<{ block expr }, if c { 64 } else { 32 }, 0, stream>>>(p)",
            "func<<<s.grid, (s.bs, 1, 1), 0, stream>>>()",
            "self.module.k<<<n.div_ceil(64), self.block_size, size_of::<(u8, u8)>() as u32, self.stream>>>(a < b)",
        ] {
            let source =
                format!("{ONE} fn f() -> R {{ launch!({site}) }}").replace("block =", "dynamic_smem = S, block =");
            assert_eq!(
                guarded_launches(&source.replace("block = 64", "block = BLOCK")),
                [by_first("launch")],
                "{site}"
            );
        }
        for (delimiter, call) in
            [("Brace", "launch! { k<<<1, 64, 0, s>>>() }"), ("Bracket", "cust::launch![k<<<1, 64, 0, s>>>()]")]
        {
            let launches = guarded_launches(&format!("{ONE} fn f() {{ {call} }}"));
            assert!(launches[0].contains(delimiter), "{launches:?}");
        }
        let nested =
            "launch!(k<<<{ launch!(j<<<1, 64, 0, s>>>())?; 1 }, 64, 0, s>>>(|| launch!(i<<<1, 64, 0, s>>>())))";
        assert_eq!(guarded_launches(&format!("{ONE} fn f() {{ {nested} }}")).len(), 3);
    }

    #[test]
    fn what_is_left_alone() {
        for body in [
            "launch(1); launched!(f<<<1, 64, 0, s>>>()); launch!(f<<<1, 64>>>()); launch!();",
            "macro_rules! m { ($f:ident) => { $crate::launch!($f<<<1, 64, 0, s>>>()) }; }",
            "macro_rules! m ( () => ( launch!(f<<<1, 64, 0, s>>>()) ) );",
            "define! { m, $crate::launch!(f<<<1, 64, 0, s>>>()) }",
            "mod m { fn f() -> R { launch!(f<<<1, 64, 0, s>>>()) } }",
            "const unsafe extern \"C\" fn g<const N: usize>() { launch!(f<<<1, 64, 0, s>>>()) }",
        ] {
            let source = format!("{ONE} fn f() {{ {body} }}").replace("block =", "dynamic_smem = 0, block =");
            assert_eq!(guarded_launches(&source), [""; 0], "{body}");
        }
        let launch = "launch!(f<<<1, 64, 0, s>>>())";
        assert_eq!(guarded_launches(&format!("{ONE} const fn f() {{ {launch} }}")), [""; 0]);
        assert_eq!(guarded_launches(&format!("{ONE} fn f() {{ {launch}; const fn g() {{ {launch} }} }}")).len(), 1);
    }

    #[test]
    fn a_spec_of_parameters_is_at_the_launch() {
        for (attribute, function) in [
            ("block = N", "fn f<const N: u32>()"),
            ("block = Self::BLOCK", "fn f(&self)"),
            ("block = BLOCK, generic", "async fn f()"),
            ("block = N, instances(N = [32, 64])", "fn f<const N: u32>()"),
        ] {
            let launch = "launch!(m.k<<<g, b, 0, s>>>(x))";
            let source = format!(
                "#[launch_config(arch = \"sm_80\", {attribute})] {function} {{ let r = {launch}; (|| {launch})() }}"
            );
            let launches = guarded_launches(&source);
            assert_eq!(launches.len(), 2);
            for launch in launches {
                assert!(launch.contains("[launch][&const{"), "{launch}");
            }
            let items =
                format!("fn g() {{ {launch} }} static F: fn() = || {launch}; impl K {{ fn f() {{ {launch} }} }}");
            let source = format!("#[launch_config(arch = \"sm_80\", {attribute})] {function} {{ {items} {launch} }}");
            assert_eq!(guarded_launches(&source).len(), 1, "{source}");
        }
    }

    #[test]
    fn several_attributes() {
        let attributes = "#[launch_config(arch = \"sm_80\", block = 64, kernel = \"a\")]
            #[launch_config(arch = \"sm_80\", block = 128, kernel = \"ns::b<int>(int)\")]
            #[launch_config(arch = \"sm_80\", block = BLOCK)]";
        for (site, specs) in [
            // Whose kernel is known and named.
            ("m.a<<<1, block, 0, s>>>", "&__OCC_SPEC_0"),
            ("m.b<<<1, block, 0, s>>>", "&__OCC_SPEC_1"),
            // That nobody names: the attribute without a name is for it.
            ("m.c<<<1, block, 0, s>>>", "&__OCC_SPEC_2"),
            // Whose kernel nobody can know.
            ("f<<<1, block, 0, s>>>", "&__OCC_SPEC_0,&__OCC_SPEC_1,&__OCC_SPEC_2"),
            ("f<<<1, 64, 0, s>>>", "&__OCC_SPEC_0,&__OCC_SPEC_2"),
            ("f<<<1, 128, 0, s>>>", "&__OCC_SPEC_1,&__OCC_SPEC_2"),
        ] {
            let all = ["m.a<<<1, 64, 0, s>>>", "m.b<<<1, 128, 0, s>>>", "m.c<<<1, block, 0, s>>>"];
            let all = all.map(|site| format!("launch!({site}()); ")).concat();
            let source = format!("{attributes} fn f() {{ cust::launch!({site}()); {all} }}");
            let expected = format!("::occ_runtime::__guarded!Parenthesis[cust::launch][{specs}]");
            assert_eq!(guarded_launches(&source)[0], expected);
        }
        // In the other order.
        let attributes = "#[launch_config(arch = \"sm_80\", block = BLOCK)]
            #[launch_config(arch = \"sm_80\", block = 64, kernel = \"a\")]";
        let source = format!("{attributes} fn f() {{ launch!(m.a<<<1, b, 0, s>>>()); launch!(f<<<1, b, 0, s>>>()); }}");
        let launches = guarded_launches(&source);
        assert!(launches[0].ends_with("[&__OCC_SPEC_1]") && launches[1].ends_with("[&__OCC_SPEC_0,&__OCC_SPEC_1]"));
    }

    #[test]
    fn everything_else_keeps_its_tokens_and_places() {
        let body = "{
            let r = || unsafe { ::cust::launch!(module.k<<<(1, n), 64, 0, stream>>>(a[0], { b })) };
            match x { _ if vec![1].len() > 0 => launch! { f<<<1, 64, 0, s>>>(launch![g<<<1, 64, 0, s>>>()]) } }
            return crate::launch!(f<<<1, 64, 0, s>>>()).map_err(|e| e.into());
        }";
        for attributes in [ONE.to_owned(), ONE.repeat(3), ONE.replace("64", "Self::BLOCK")] {
            let guarded = body_of(&format!("{attributes} fn f() {body}"));
            let written = format!("{attributes} fn f() {body}").parse::<TokenStream>().unwrap().into_iter().last();
            assert_eq!(guarded.to_string().matches("__guarded").count(), 4);
            let written = texts(written.unwrap().into());
            let mut found = texts(unguarded(TokenTree::Group(guarded).into()));
            let path = [":", ":", "occ_runtime", ":", ":", "__guarded"];
            while let Some(at) =
                found.windows(path.len()).position(|tokens| tokens.iter().map(|(text, _)| text).eq(path))
            {
                found.drain(at..at + path.len());
            }
            // The constants stand at the beginning, behind the opening brace.
            let added = found.len() - written.len();
            assert_eq!(found[added + 1..], written[1..]);
        }
    }
}
