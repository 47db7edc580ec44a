//! What a mangled kernel name means, and which kernels a name written by hand means.

mod path;

use crate::image::KernelImage;
use path::path;

impl KernelImage {
    /// The name in the words of the source: `void ns::gemm<float, 4>(float const*)`, of Rust `kernels::gemm::<f32>`.
    ///
    /// The mangled name where it is not mangled, cannot be demangled or would be longer than 64 KiB, and without the
    /// feature `demangle`.
    ///
    /// ```
    /// use occ_artifacts::{Format, KernelImage, Origin};
    ///
    /// let image = KernelImage::new("_ZN2ns4gemmIfLi4EEEvPKT_", Origin::whole(Format::Cubin));
    /// let name = if cfg!(feature = "demangle") { "void ns::gemm<float, 4>(float const*)" } else { &*image.name };
    /// assert_eq!(image.demangled(), name);
    /// ```
    pub fn demangled(&self) -> String {
        readable(&self.name)
    }
}

/// The demangled name, or the name itself.
pub(crate) fn readable(name: &str) -> String {
    view(name, View::Whole).unwrap_or_else(|| name.to_owned())
}

/// The last component of a kernel's path, if it is certain: `gemm`.
pub(crate) fn bare(name: &str) -> Option<String> {
    path(name).map(|path| last_component(&path).to_owned())
}

/// How much of a name is shown.
#[derive(Clone, Copy, PartialEq)]
enum View {
    /// All: `void ns::gemm<float, 4>(float const*)`.
    Whole,
    /// Without the type it returns: `ns::gemm<float, 4>(float const*)`.
    WithoutReturn,
    /// `ns::gemm<float, 4>`.
    WithoutParameters,
    /// `ns::gemm`.
    Path,
}

/// How a name written by hand can mean a kernel, the nearest meaning first.
#[derive(Clone, Copy)]
pub(crate) enum Tier {
    /// It is the name in the artifact.
    Mangled,
    /// It is the demangled name, with or without the returned type.
    Demangled,
    /// The same, with constants written in any way: `(int)4`, `4u`, `true`.
    DemangledLoosely,
    /// It is the path with template arguments.
    Instance,
    /// The same, with constants written in any way.
    InstanceLoosely,
    /// It is the path.
    Path,
    /// It is the last component of the path.
    Bare,
}

impl Tier {
    pub(crate) const ALL: [Tier; 7] = [
        Tier::Mangled,
        Tier::Demangled,
        Tier::DemangledLoosely,
        Tier::Instance,
        Tier::InstanceLoosely,
        Tier::Path,
        Tier::Bare,
    ];
}

/// A kernel's name as somebody wrote it.
pub(crate) struct Wanted<'a> {
    text: &'a str,
    spaced: String,
    loose: String,
    /// The last identifier of its path, which every mangled name of it contains.
    identifier: &'a str,
}

impl<'a> Wanted<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let text = text.trim();
        let spaced = evenly_spaced(text);
        Wanted { text, loose: loosely(&spaced), spaced, identifier: path_identifier(text) }
    }

    /// The last identifier of the path: `gemm` of `ns::gemm<float, 4>`.
    pub(crate) fn identifier(&self) -> &'a str {
        self.identifier
    }

    /// Whether this may mean the kernel of that mangled name at all: a quick look before demangling.
    pub(crate) fn may_mean(&self, name: &str) -> bool {
        name.contains(self.identifier)
    }

    /// Whether this means the kernel of that mangled name.
    pub(crate) fn means(&self, name: &str, tier: Tier) -> bool {
        let spaced = |view| self::view(name, view).map(|text| evenly_spaced(&text));
        let is = |view| spaced(view).is_some_and(|text| text == self.spaced);
        let is_loosely = |view| spaced(view).is_some_and(|text| loosely(&text) == self.loose);
        match tier {
            Tier::Mangled => name == self.text,
            Tier::Demangled => is(View::Whole) || is(View::WithoutReturn),
            Tier::DemangledLoosely => is_loosely(View::Whole) || is_loosely(View::WithoutReturn),
            Tier::Instance => is(View::WithoutParameters),
            Tier::InstanceLoosely => is_loosely(View::WithoutParameters),
            Tier::Path => is(View::Path),
            Tier::Bare => {
                view(name, View::Path).is_some_and(|path| evenly_spaced(last_component(&path)) == self.spaced)
            }
        }
    }
}

/// The last component of a path without template arguments. Only `::` outside of brackets divides.
fn last_component(path: &str) -> &str {
    let mut depth = 0_usize;
    let mut start = 0;
    let mut previous = ' ';
    for (at, character) in path.char_indices() {
        match character {
            '(' | '{' | '[' => depth = depth.saturating_add(1),
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            ':' if depth == 0 && previous == ':' => start = at + 1,
            _ => {}
        }
        previous = character;
    }
    path.get(start..).unwrap_or(path)
}

/// The last identifier of a path before its template arguments and parameters; empty where none is certain.
fn path_identifier(text: &str) -> &str {
    let anonymous = "(anonymous namespace)";
    let after_anonymous = text.rfind(anonymous).map_or(0, |at| at + anonymous.len());
    let text = text.get(after_anonymous..).unwrap_or(text);
    let end = text.find(['<', '(']).unwrap_or(text.len());
    let path = text.get(..end).unwrap_or(text).trim_end().trim_end_matches("::");
    let start = path.rfind(|c: char| !is_word(c)).map_or(0, |at| at + path.get(at..).map_or(1, first_length));
    let identifier = path.get(start..).unwrap_or("");
    if identifier.starts_with("operator") { "" } else { identifier }
}

fn first_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// Characters of an identifier.
fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

/// White space only where it keeps two words apart.
fn evenly_spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    let mut after_space = false;
    for character in text.chars() {
        if character.is_whitespace() {
            after_space = true;
            continue;
        }
        if after_space && is_word(character) && spaced.ends_with(is_word) {
            spaced.push(' ');
        }
        spaced.push(character);
        after_space = false;
    }
    spaced
}

/// An evenly spaced name with one way to write each constant argument: `(int)4`, `4u` and `4` are `4`, `true` is `1`.
/// A `,` that a demangler leaves before `>` where a pack is empty goes too.
fn loosely(spaced: &str) -> String {
    let mut loose = String::with_capacity(spaced.len());
    let mut rest = spaced;
    while let Some(character) = rest.chars().next() {
        let begins = matches!(loose.chars().next_back(), Some('<' | ','));
        if begins && let Some((digits, after)) = constant(rest) {
            loose.push_str(digits);
            rest = after;
            continue;
        }
        if character == '>' && loose.ends_with(',') {
            loose.pop();
        }
        loose.push(character);
        rest = rest.get(character.len_utf8()..).unwrap_or("");
    }
    loose
}

/// The digits of a constant that ends an argument, and what follows it.
fn constant(text: &str) -> Option<(&str, &str)> {
    let end = text.find([',', '<', '>']).unwrap_or(text.len());
    let (whole, after) = text.split_at_checked(end)?;
    let written = match whole.strip_prefix('(') {
        Some(cast) => cast.split_once(')')?.1,
        None => whole,
    };
    let digits = match written {
        "true" => "1",
        "false" => "0",
        _ => written.trim_end_matches(['u', 'l', 'U', 'L']),
    };
    let unsigned = digits.strip_prefix('-').unwrap_or(digits);
    (!unsigned.is_empty() && unsigned.bytes().all(|b| b.is_ascii_digit())).then_some((digits, after))
}

/// A name as far as it is asked for. `None` where it cannot be shown so.
fn view(name: &str, view: View) -> Option<String> {
    #[cfg(feature = "demangle")]
    return demangle::view(name, view);
    #[cfg(not(feature = "demangle"))]
    return if view == View::Path { path(name) } else { None };
}

#[cfg(feature = "demangle")]
mod demangle {
    //! The demanglers, with the bounds that hostile names need.

    use super::View;
    use super::path::{is_rust_legacy, path, without_static_prefix};
    use cpp_demangle::{BorrowedSymbol, DemangleOptions};
    use std::fmt::{self, Write};

    /// Longest name that is demangled. Names up to 2,024 bytes were seen.
    const LONGEST_NAME: usize = 8 << 10;
    /// Longest demangled name: a substitution can stand for more than its letters, and hold others.
    const LONGEST_TEXT: usize = 64 << 10;

    pub(super) fn view(name: &str, view: View) -> Option<String> {
        let inner = without_static_prefix(name);
        if inner.len() > LONGEST_NAME {
            None
        } else if inner.starts_with("_R") || is_rust_legacy(inner) {
            rust(inner, view)
        } else if view == View::Path {
            path(inner)
        } else if inner.starts_with("_Z") {
            cpp(inner, view)
        } else {
            Some(inner.to_owned())
        }
    }

    fn rust(name: &str, view: View) -> Option<String> {
        let mut text = Text { shown: String::new() };
        write!(text, "{:#}", rustc_demangle::try_demangle(name).ok()?).ok()?;
        Some(if view == View::Path { without_generics(&text.shown) } else { text.shown })
    }

    fn cpp(name: &str, view: View) -> Option<String> {
        // On other names the demangler can take time that doubles with each letter.
        path(name)?;
        let options = match view {
            View::Whole => DemangleOptions::new(),
            View::WithoutReturn => DemangleOptions::new().no_return_type(),
            View::WithoutParameters | View::Path => DemangleOptions::new().no_return_type().no_params(),
        };
        let mut text = Text { shown: String::new() };
        BorrowedSymbol::new(name.as_bytes()).ok()?.structured_demangle(&mut text, &options).ok()?;
        Some(text.shown)
    }

    /// `gemm::<f32>` → `gemm`.
    fn without_generics(text: &str) -> String {
        let mut path = String::with_capacity(text.len());
        let mut depth = 0_usize;
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            let opens = rest.starts_with("::<");
            if depth == 0 && !opens {
                path.push(character);
            } else if opens || character == '<' {
                depth += 1;
            } else if character == '>' {
                depth -= 1;
            }
            let length = if opens { 3 } else { character.len_utf8() };
            rest = rest.get(length..).unwrap_or("");
        }
        path
    }

    /// Demangled text, bounded.
    struct Text {
        shown: String,
    }

    impl Write for Text {
        fn write_str(&mut self, part: &str) -> fmt::Result {
            if self.shown.len().saturating_add(part.len()) > LONGEST_TEXT {
                return Err(fmt::Error);
            }
            self.shown.push_str(part);
            Ok(())
        }
    }
}

#[cfg(test)]
mod corpus {
    fn stripped(s: &str) -> String {
        let (mut d, mut o) = (0i32, String::new());
        for c in s.replace("operator<<", "operator").chars() {
            match c {
                '<' => d += 1,
                '>' => d -= 1,
                _ if d == 0 => o.push(c),
                _ => {}
            }
        }
        o
    }
    #[test]
    fn corpus() {
        let (mut n, mut answered, mut wrong, mut no_demangle) = (0u64, 0, 0, 0);
        let mut why = std::collections::BTreeMap::new();
        let text = std::fs::read_to_string(std::env::var("OCC_NAMES").unwrap()).unwrap();
        let filt = std::env::var("OCC_FILT").ok().map(|f| std::fs::read_to_string(f).unwrap());
        let mut filt = filt.iter().flat_map(|f| f.lines());
        let mut worst = std::time::Duration::ZERO;
        for name in text.lines() {
            n += 1;
            let filt = filt.next();
            let light = super::path::path(name);
            let start = std::time::Instant::now();
            let full = super::view(name, super::View::Whole);
            let _ = super::view(name, super::View::WithoutParameters);
            let e = start.elapsed();
            if e.as_millis() > 50 {
                println!("SLOW {e:?} {name}")
            }
            worst = worst.max(e);
            if full.is_none() {
                no_demangle += 1;
            }
            if let Some(light) = light {
                answered += 1;
                if !full.as_ref().is_some_and(|f| stripped(f).contains(&light)) {
                    wrong += 1;
                    if wrong < 20 {
                        println!("WRONG {name}\n  {light}\n  {full:?}");
                    }
                }
                if let Some(filt) = filt {
                    let bare = super::last_component(&light);
                    if !filt.contains(&light) || !filt.contains(bare) {
                        println!("FILT {name} {light} {filt}")
                    }
                }
            } else {
                *why.entry(name.chars().take(3).collect::<String>()).or_insert(0) += 1;
                if n % 997 == 0 {
                    println!("none: {name}");
                }
            }
        }
        println!(
            "{n} names, {answered} answered, {wrong} wrong, {no_demangle} not demangled, slowest {worst:?} none by {why:?}"
        );
    }
}
