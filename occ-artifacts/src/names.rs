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

/// A kernel's path without template arguments, if it is certain: `ns::gemm`.
pub(crate) fn whole_path(name: &str) -> Option<String> {
    path(name)
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
        // Only such names can be meant by their parameters or arguments; the others need not be demangled for it.
        let (has_parameters, has_arguments) = (self.text.contains('('), self.text.contains('<'));
        let spaced = |view| self::view(name, view).map(|text| evenly_spaced(&text));
        let is = |view| spaced(view).is_some_and(|text| text == self.spaced);
        let is_loosely = |view| spaced(view).is_some_and(|text| loosely(&text) == self.loose);
        match tier {
            Tier::Mangled => name == self.text,
            Tier::Demangled => has_parameters && (is(View::Whole) || is(View::WithoutReturn)),
            Tier::DemangledLoosely => has_parameters && (is_loosely(View::Whole) || is_loosely(View::WithoutReturn)),
            Tier::Instance => has_arguments && is(View::WithoutParameters),
            Tier::InstanceLoosely => has_arguments && is_loosely(View::WithoutParameters),
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

    /// Most letters `B` of a Rust v0 name that is demangled.
    const MOST_BACK_REFERENCES: usize = 24;

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
        // Each may stand for a part that holds others: what is printed does not bound the work.
        let back_references = name.bytes().filter(|&byte| byte == b'B').count();
        if name.starts_with("_R") && back_references > MOST_BACK_REFERENCES {
            return None;
        }
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
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    /// Names as nvcc 13.5 writes them, and what GNU `c++filt` makes of them.
    const NAMES: [(&str, &str, &str); 8] = [
        ("_Z4statPi", "stat(int*)", "stat"),
        ("_Z3lamIZ2goPiEUliE_EvT_S0_", "void lam<go(int*)::{lambda(int)#1}>(go(int*)::{lambda(int)#1}, int*)", "lam"),
        ("_Z5autoKIL1E1EEvPi", "void autoK<(E)1>(int*)", "autoK"),
        ("_ZN2ns3st2EPf", "ns::st2(float*)", "ns::st2"),
        (
            "_ZN2ns33_GLOBAL__N__3d87e102_4_s_cu_plain4anonIfLi4EEEvPKT_PS2_",
            "void ns::(anonymous namespace)::anon<float, 4>(float const*, float*)",
            "ns::(anonymous namespace)::anon",
        ),
        ("_ZN12_GLOBAL__N_1L3fooEv", "(anonymous namespace)::foo()", "(anonymous namespace)::foo"),
        ("_Z3fooIXadL_Z3barPfiEELb1ELd4000000000000000EEvPT_", "", "foo"),
        ("_Z3fooIN2ns3BoxILNS0_4KindE2EEELi3EEv5ArrayIT_XT0_EEPFviEA4_i", "", "foo"),
    ];

    #[test]
    fn paths() {
        for (name, _, path) in NAMES {
            assert_eq!(view(name, View::Path).as_deref(), Some(path), "{name}");
            let in_a_file = format!("__nv_static_22__3d87e102_4_s_cu_plain_{name}");
            assert_eq!(view(&in_a_file, View::Path).as_deref(), Some(path), "{in_a_file}");
        }
        assert_eq!(bare("plain").as_deref(), Some("plain"));
        assert_eq!(bare("_ZN12_GLOBAL__N_1L3fooEv").as_deref(), Some("foo"));
        assert_eq!(bare("_ZN7kernels4gemm17h0123456789abcdefE").as_deref(), Some("gemm"));
        // Not one hexadecimal digit: a namespace like any other.
        assert_eq!(bare("_ZN7kernels17h0123456789abcdegE").as_deref(), Some("h0123456789abcdeg"));
    }

    /// Operators, constructors, members, local functions, suffixes and what is cut off or misspelt.
    #[test]
    fn paths_that_are_not_certain() {
        for name in [
            "_ZplRK1aS1_",
            "_ZN1aC1Ev",
            "_ZN1aD0Ev",
            "_ZNK1a1fEv",
            "_ZZ1fvE1x",
            "_ZTV1a",
            "_Z1fv.part.0",
            "_Z",
            "_ZN",
            "_ZNE",
            "_Z0",
            "_Z9f",
            "_Z3fooI",
            "_Z3fooIiEv_",
            "_Z3fooIiEvE",
            "_Z99999999999999999999f",
            "_ZN1a1fB3abiEv",
            "_Z1fIXplLi1ELi2EEEvv",
            "_ZNSsC1Ev",
            "_ZN4$u7b4gemm17h0123456789abcdefE",
            "_Z3é",
            "_Z1é",
        ] {
            assert_eq!(path::path(name), None, "{name}");
        }
    }

    #[cfg(feature = "demangle")]
    #[test]
    fn demangled() {
        for (name, whole, _) in NAMES {
            if !whole.is_empty() {
                assert_eq!(readable(name), whole);
            }
        }
        // The examples of Rust's RFC 2603, and the old mangling.
        for (name, whole, path) in [
            ("_RNvC6_123foo3bar", "123foo::bar", "123foo::bar"),
            ("_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>", "std::mem::align_of"),
            ("_ZN7kernels4gemm17h0123456789abcdefE", "kernels::gemm", "kernels::gemm"),
        ] {
            assert_eq!((readable(name).as_str(), view(name, View::Path).as_deref()), (whole, Some(path)));
        }
        for name in ["plain", "_Z", "_R", "", "é", "_Zé"] {
            assert_eq!(readable(name), name);
        }
    }

    #[cfg(not(feature = "demangle"))]
    #[test]
    fn not_demangled() {
        for (name, ..) in NAMES {
            assert_eq!(readable(name), name);
        }
    }

    /// In a substitution each name stands for two of the one before.
    #[test]
    fn doubling_names() {
        let mut name = "_Z3fooI1aIiE".to_owned();
        for at in 0..60_u32 {
            let digit = |at: u32| char::from_digit(at % 36, 36).map_or('0', |digit| digit.to_ascii_uppercase());
            let before = if at < 36 { digit(at).to_string() } else { format!("{}{}", digit(at / 36), digit(at)) };
            for part in ["S_IS", &before, "_S", &before, "_E"] {
                name.push_str(part);
            }
        }
        name += "Evv";
        assert_eq!(path::path(&name).as_deref(), Some("foo"));
        assert_eq!(readable(&name), name);
    }

    /// Names that take a demangler minutes, or more stack than there is.
    #[test]
    fn hostile_names() {
        let nested =
            |open: &str, close: &str, count: usize| format!("_Z3fooI{}i{}Evv", open.repeat(count), close.repeat(count));
        let start = Instant::now();
        for count in [3, 10, 17, 30, 60, 127, 2000, 40_000] {
            for (open, close) in [
                ("nw", ""),
                ("Xnw", "E"),
                ("1aIL", "E"),
                ("1aIL", "0EE"),
                ("LN1aI", "EE0E"),
                ("U1aIS_I", "EE"),
                ("DTcl", "E"),
                ("1aI", "E"),
                ("N1aI", "EE"),
                ("P", ""),
                ("PFv", "E"),
                ("Z1fI", "EvvE1b"),
                ("XadL_Z1fI", "EvvEE"),
                ("Xsr1aI", "E1vE"),
                ("IJ", "EE"),
                ("A3_", ""),
                ("UlP", "E_"),
                ("S_I", "E"),
            ] {
                let name = nested(open, close, count);
                assert!(readable(&name).len() <= name.len().max(64 << 10));
                let wanted = Wanted::new(&name);
                assert!(Tier::ALL.into_iter().any(|tier| wanted.means(&name, tier)));
            }
            for name in
                [format!("_R{}", "NvB_".repeat(count)), format!("_RINv{}", "IB_".repeat(count)), "_".repeat(count)]
            {
                assert!(readable(&name).len() <= name.len().max(64 << 10));
            }
        }
        assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
    }

    #[test]
    fn one_way_to_write_constants() {
        let loose = |text: &str| loosely(&evenly_spaced(text));
        for text in ["f<(int)4, true>", "f< 4u,1 >", "f<4, (bool)1, >", "f<(unsigned long)4ul, 1UL>"] {
            assert_eq!(loose(text), "f<4,1>", "{text}");
        }
        assert_eq!(loose("f<-1, u, (E), 4x, g<(int)-2>>"), "f<-1,u,(E),4x,g<-2>>");
        assert_eq!(loose("f<(é>"), "f<(é>");
        assert_eq!(evenly_spaced(" unsigned  int const * f < a > "), "unsigned int const*f<a>");
    }

    #[test]
    fn the_identifier_to_look_for() {
        for (text, identifier) in [
            ("gemm", "gemm"),
            ("ns::gemm<float>", "gemm"),
            ("void gemm<a::b>(c)", "gemm"),
            ("gemm (int)", "gemm"),
            ("(anonymous namespace)::gemm", "gemm"),
            ("kernels::gemm::<f32>", "gemm"),
            ("a::operator()", ""),
            ("", ""),
            ("::", ""),
            ("<", ""),
            ("é", "é"),
            ("é-", ""),
            ("(", ""),
        ] {
            assert_eq!(path_identifier(text), identifier, "{text}");
        }
    }
}
