//! Matches a kernel name in source code with mangled names.

use super::path::last_component;
use super::view::{View, view};

/// A way in which a pattern can match a kernel, the most specific first.
#[derive(Clone, Copy)]
pub(crate) enum Tier {
    /// The name in the artifact.
    Mangled,
    /// The demangled name, with or without the return type.
    Demangled,
    /// The same, with any notation of constants: `(int)4`, `4u`, `true`.
    DemangledLoosely,
    /// The path with template arguments.
    Instance,
    /// The same, with any notation of constants.
    InstanceLoosely,
    /// The path.
    Path,
    /// The last component of the path.
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

/// A kernel name as a person wrote it.
pub(crate) struct NamePattern<'a> {
    text: &'a str,
    /// The name with normalized white space.
    spaced: String,
    /// The name with normalized constants too.
    loose: String,
    /// The last identifier of the path, which every matching mangled name contains.
    identifier: &'a str,
}

impl<'a> NamePattern<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let text = text.trim();
        let spaced = normalize_spaces(text);
        NamePattern { text, loose: normalize_constants(&spaced), spaced, identifier: path_identifier(text) }
    }

    /// Returns the last identifier of the path: `gemm` of `ns::gemm<float, 4>`.
    pub(crate) fn identifier(&self) -> &'a str {
        self.identifier
    }

    /// Returns whether a mangled name can match at all: a quick check before demangling.
    pub(crate) fn can_match(&self, name: &str) -> bool {
        name.contains(self.identifier)
    }

    /// Returns whether a mangled name matches in this way.
    pub(crate) fn matches(&self, name: &str, tier: Tier) -> bool {
        // Without them the name cannot match, so it need not be demangled.
        let (has_parameters, has_arguments) = (self.text.contains('('), self.text.contains('<'));
        let spaced = |parts| view(name, parts).map(|text| normalize_spaces(&text));
        let equals = |view| spaced(view).is_some_and(|text| text == self.spaced);
        let equals_loosely = |view| spaced(view).is_some_and(|text| normalize_constants(&text) == self.loose);
        match tier {
            Tier::Mangled => name == self.text,
            Tier::Demangled => has_parameters && (equals(View::Whole) || equals(View::WithoutReturn)),
            Tier::DemangledLoosely => {
                has_parameters && (equals_loosely(View::Whole) || equals_loosely(View::WithoutReturn))
            }
            Tier::Instance => has_arguments && equals(View::WithoutParameters),
            Tier::InstanceLoosely => has_arguments && equals_loosely(View::WithoutParameters),
            Tier::Path => equals(View::Path),
            Tier::Bare => {
                view(name, View::Path).is_some_and(|path| normalize_spaces(last_component(&path)) == self.spaced)
            }
        }
    }
}

/// Returns the last identifier of the path, before template arguments and parameters; empty if none is certain.
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

/// Returns whether the character can be part of an identifier.
fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

/// Removes white space, except one space between two words.
fn normalize_spaces(text: &str) -> String {
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

/// Rewrites constant arguments in one notation: `(int)4`, `4u` and `4` as `4`, `true` as `1`. Removes the `,` that a
/// demangler leaves before `>` for an empty pack.
fn normalize_constants(spaced: &str) -> String {
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

/// Returns the digits of a constant that is a whole argument, and the rest of the text.
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
    fn constants_are_normalized() {
        let loose = |text: &str| normalize_constants(&normalize_spaces(text));
        for text in ["f<(int)4, true>", "f< 4u,1 >", "f<4, (bool)1, >", "f<(unsigned long)4ul, 1UL>"] {
            assert_eq!(loose(text), "f<4,1>", "{text}");
        }
        assert_eq!(loose("f<-1, u, (E), 4x, g<(int)-2>>"), "f<-1,u,(E),4x,g<-2>>");
        assert_eq!(loose("f<(é>"), "f<(é>");
        assert_eq!(normalize_spaces(" unsigned  int const * f < a > "), "unsigned int const*f<a>");
    }

    #[test]
    fn identifiers_of_paths() {
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
