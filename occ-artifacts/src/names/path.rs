//! Extracts the path from a mangled name without a demangler: `ns::gemm` from `_ZN2ns4gemmIfLi4EEEvPKT_`.
//!
//! The result is certain: a name must be a plain path, and the rest of it must parse to the end.

/// Returns the path in a mangled name, without template arguments and parameters; `None` if it is not certain.
///
/// A name that is not mangled is its own path.
pub(super) fn path(name: &str) -> Option<String> {
    let name = without_static_prefix(name);
    if name.starts_with("_R") {
        return None;
    }
    let Some(encoding) = name.strip_prefix("_Z") else {
        return Some(name.to_owned());
    };
    let (components, rest) = match encoding.strip_prefix('N') {
        Some(nested) => components(nested)?,
        None => only_component(encoding)?,
    };
    if rest.is_empty()
        && let [path @ .., hash] = components.as_slice()
        && !path.is_empty()
        && is_rust_hash(hash)
    {
        // Escapes of Rust's legacy mangling are left to a demangler.
        return path.iter().all(|component| !component.contains(['$', '.'])).then(|| path.join("::"));
    }
    only_types(rest).then(|| components.join("::"))
}

/// Removes the prefix that nvcc adds to names of static kernels with `-rdc=true`.
///
/// The prefix is `__nv_static_<n>_`, `n` bytes that identify the file, and `_`.
pub(super) fn without_static_prefix(name: &str) -> &str {
    let inner = || {
        let (length, rest) = number(name.strip_prefix("__nv_static_")?)?;
        rest.strip_prefix('_')?.get(length..)?.strip_prefix('_')
    };
    inner().unwrap_or(name)
}

/// Returns whether the name has Rust's legacy mangling, which ends with a hash.
#[cfg(feature = "demangle")]
pub(super) fn is_rust_legacy(name: &str) -> bool {
    let hash = name.strip_suffix('E').and_then(|name| name.get(name.len().checked_sub(19)?..));
    name.starts_with("_ZN") && hash.is_some_and(|hash| hash.strip_prefix("17").is_some_and(is_rust_hash))
}

fn is_rust_hash(component: &str) -> bool {
    let is_hexadecimal = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    component.strip_prefix('h').is_some_and(|hash| hash.len() == 16 && hash.bytes().all(is_hexadecimal))
}

/// Parses the components of a nested name up to its `E`; returns the rest too.
fn components(mut rest: &str) -> Option<(Vec<&str>, &str)> {
    let mut components = Vec::new();
    if let Some(after) = rest.strip_prefix("St") {
        components.push("std");
        rest = after;
    }
    loop {
        if let Some(after) = rest.strip_prefix('E') {
            return (!components.is_empty()).then_some((components, after));
        }
        let (component, after) = component(rest)?;
        components.push(component);
        rest = after;
    }
}

/// Parses the components of a name that is not nested: one, optionally after `std`.
fn only_component(rest: &str) -> Option<(Vec<&str>, &str)> {
    match rest.strip_prefix("St") {
        Some(rest) => component(rest).map(|(component, rest)| (vec!["std", component], rest)),
        None => component(rest).map(|(component, rest)| (vec![component], rest)),
    }
}

/// Parses an identifier with its template arguments; returns the rest too.
fn component(rest: &str) -> Option<(&str, &str)> {
    let (identifier, rest) = identifier(rest.strip_prefix('L').unwrap_or(rest))?;
    let rest = if rest.starts_with('I') { after_arguments(rest)? } else { rest };
    let name = if is_anonymous(identifier) { "(anonymous namespace)" } else { identifier };
    Some((name, rest))
}

/// Returns whether this is an anonymous namespace: `_GLOBAL__N_1`, or of nvcc `_GLOBAL__N__3d87e102_4_a_cu`.
fn is_anonymous(identifier: &str) -> bool {
    let kind = identifier.strip_prefix("_GLOBAL_").and_then(|rest| rest.strip_prefix(['_', '.', '$']));
    kind.is_some_and(|kind| kind.starts_with('N'))
}

/// Parses an identifier after its length: `4gemm` → `gemm`.
fn identifier(rest: &str) -> Option<(&str, &str)> {
    let (length, rest) = number(rest)?;
    rest.split_at_checked(length).filter(|(identifier, _)| !identifier.is_empty())
}

fn number(text: &str) -> Option<(usize, &str)> {
    let (digits, rest) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    Some((digits.parse().ok()?, rest))
}

/// Skips the template arguments at the start of `rest`.
fn after_arguments(mut rest: &str) -> Option<&str> {
    let mut open = Vec::new();
    loop {
        rest = token(rest, &mut open)?;
        if open.is_empty() {
            return Some(rest);
        }
    }
}

/// Returns whether all of `rest` is a list of types, as the parameters of a function are.
fn only_types(mut rest: &str) -> bool {
    let mut open = Vec::new();
    while !rest.is_empty() {
        match token(rest, &mut open) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    open.is_empty()
}

/// A construct that is closed by its own `E`.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    /// Template arguments.
    Arguments,
    /// A nested name.
    Name,
    /// The type of a function.
    Function,
    /// A literal. Its type is complete when the constructs inside are closed.
    Literal,
    /// A function or variable: an argument, or the scope of a local name.
    Encoding,
    /// `&function` or `Type::value` as an argument.
    Expression,
    /// The parameters of a lambda.
    Lambda,
}

/// The maximum nesting depth.
const MAX_DEPTH: usize = 128;
/// The maximum nesting depth of constructs other than template arguments and nested names. Demanglers backtrack on some of
/// these, in time that is exponential in the depth.
const MAX_RARE_DEPTH: usize = 4;

fn push(what: Open, open: &mut Vec<Open>) -> Option<()> {
    open.push(what);
    let is_rare = |open: &&Open| !matches!(open, Open::Arguments | Open::Name);
    (open.len() <= MAX_DEPTH && open.iter().filter(is_rare).count() <= MAX_RARE_DEPTH).then_some(())
}

/// Tokens of one letter: qualifiers and builtin types.
const SINGLE: &[u8] = b"PROKVrGMuvwbcahstijlmxynofdegz";

/// Skips the first token. Only the nesting matters, not the meaning of types.
fn token<'a>(rest: &'a str, open: &mut Vec<Open>) -> Option<&'a str> {
    let first = *rest.as_bytes().first()?;
    let inside = open.last().copied();
    if inside == Some(Open::Name) && first.is_ascii_lowercase() {
        return None;
    }
    let is_type = !matches!(first, b'P' | b'R' | b'O' | b'K' | b'V' | b'r' | b'L');
    let after = match first {
        b'0'..=b'9' => identifier(rest)?.1,
        b'E' => end(rest.get(1..)?, open)?,
        b'L' => literal(rest.get(1..)?, open)?,
        b'X' => expression(rest.get(1..)?, open)?,
        b'I' | b'J' => opened(rest, Open::Arguments, open)?,
        b'N' => opened(rest, Open::Name, open)?,
        b'F' => opened(rest, Open::Function, open)?.trim_start_matches('Y'),
        b'Z' => opened(rest, Open::Encoding, open)?,
        b'S' => substitution(rest.get(1..)?)?,
        b'T' | b'A' => numbered(rest.get(1..)?)?,
        b'D' => d_type(rest.get(1..)?)?,
        b'U' => unnamed(rest.get(1..)?, open)?,
        b'_' => discriminator(rest.get(1..)?)?,
        _ if SINGLE.contains(&first) => rest.get(1..)?,
        _ => return None,
    };
    let is_literal = is_type && open.last() == Some(&Open::Literal);
    if is_literal { value(after) } else { Some(after) }
}

/// Skips a letter that opens a construct.
fn opened<'a>(rest: &'a str, what: Open, open: &mut Vec<Open>) -> Option<&'a str> {
    push(what, open)?;
    rest.get(1..)
}

/// Continues after an `E`.
fn end<'a>(rest: &'a str, open: &mut Vec<Open>) -> Option<&'a str> {
    match open.pop()? {
        Open::Lambda => numbered(rest),
        _ => Some(rest),
    }
}

/// Continues after the `L` of a literal argument, or of a name with internal linkage.
fn literal<'a>(rest: &'a str, open: &mut Vec<Open>) -> Option<&'a str> {
    match open.last()? {
        Open::Name => rest.starts_with(|c: char| c.is_ascii_digit()).then_some(rest),
        Open::Arguments => match rest.strip_prefix("_Z") {
            Some(encoding) => {
                push(Open::Encoding, open)?;
                Some(encoding.strip_prefix('L').unwrap_or(encoding))
            }
            None => {
                push(Open::Literal, open)?;
                Some(rest)
            }
        },
        _ => None,
    }
}

/// Continues after the `X` of an argument that is a template parameter, a member of a type, or the address of a function.
/// Other expressions are not parsed.
fn expression<'a>(rest: &'a str, open: &mut Vec<Open>) -> Option<&'a str> {
    if let Some(parameter) = rest.strip_prefix('T') {
        return numbered(parameter)?.strip_prefix('E');
    }
    if let Some(value) = rest.strip_prefix("sr") {
        push(Open::Expression, open)?;
        return Some(value);
    }
    let encoding = rest.strip_prefix("adL_Z")?;
    push(Open::Expression, open)?;
    push(Open::Encoding, open)?;
    Some(encoding.strip_prefix('L').unwrap_or(encoding))
}

/// Skips the digits of a value, which must be followed by `E`.
fn value(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches(|c: char| matches!(c, '0'..='9' | 'a'..='f' | 'n' | '_'));
    rest.starts_with('E').then_some(rest)
}

/// Skips the rest of a substitution after its `S`.
fn substitution(rest: &str) -> Option<&str> {
    rest.strip_prefix(['t', 'a', 'b', 's', 'i', 'o', 'd']).or_else(|| numbered(rest))
}

/// Skips a number in base 36 and its `_`: `_`, `0_`, `1A_`.
fn numbered(rest: &str) -> Option<&str> {
    rest.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase()).strip_prefix('_')
}

/// Continues after the `D` of a type of two letters, a vector, or a floating-point type with a width.
fn d_type(rest: &str) -> Option<&str> {
    if let Some(bits) = rest.strip_prefix('F') {
        return number(bits)?.1.strip_prefix(['_', 'b', 'x']);
    }
    match rest.strip_prefix('v') {
        Some(elements) => number(elements)?.1.strip_prefix('_'),
        None => rest.strip_prefix(['n', 'd', 'e', 'f', 'h', 'i', 's', 'u', 'a', 'c', 'p', 'o']),
    }
}

/// Continues after the `U` of a lambda or an unnamed type.
fn unnamed<'a>(rest: &'a str, open: &mut Vec<Open>) -> Option<&'a str> {
    if let Some(parameters) = rest.strip_prefix('l') {
        push(Open::Lambda, open)?;
        return Some(parameters);
    }
    numbered(rest.strip_prefix('t')?)
}

/// Skips the rest of the discriminator of a local name after its `_`: `_0`, `__12_`.
fn discriminator(rest: &str) -> Option<&str> {
    match rest.strip_prefix('_') {
        Some(rest) => number(rest)?.1.strip_prefix('_'),
        None => rest.strip_prefix(|c: char| c.is_ascii_digit()),
    }
}

/// Returns the last component of a path without template arguments. Only `::` outside of brackets separates components.
pub(super) fn last_component(path: &str) -> &str {
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
