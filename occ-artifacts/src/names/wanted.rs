//! A kernel's name as somebody wrote it, and which kernels it means.

use super::path::last_component;
use super::view::{View, view};

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
        let spaced = |shown| view(name, shown).map(|text| evenly_spaced(&text));
        let is = |shown| spaced(shown).is_some_and(|text| text == self.spaced);
        let is_loosely = |shown| spaced(shown).is_some_and(|text| loosely(&text) == self.loose);
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

#[cfg(test)]
mod tests {
    use super::*;

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
