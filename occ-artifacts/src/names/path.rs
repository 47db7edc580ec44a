//! The path in a mangled name, without a demangler: `ns::gemm` of `_ZN2ns4gemmIfLi4EEEvPKT_`.
//!
//! Only what is certain: a name is answered if it is a plain path and all that follows it can be followed to its end.

/// The path in a mangled name, without template arguments and parameters. `None` where that is not certain.
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
        // The escapes of Rust's old mangling are left to a demangler.
        return path.iter().all(|component| !component.contains(['$', '.'])).then(|| path.join("::"));
    }
    only_types(rest).then(|| components.join("::"))
}

/// A name without what nvcc puts before those of static kernels under `-rdc=true`.
///
/// `__nv_static_<n>_` is followed by `n` bytes that tell the file, `_`, and the name.
pub(super) fn without_static_prefix(name: &str) -> &str {
    let inner = || {
        let (length, rest) = number(name.strip_prefix("__nv_static_")?)?;
        rest.strip_prefix('_')?.get(length..)?.strip_prefix('_')
    };
    inner().unwrap_or(name)
}

/// Whether the name is in Rust's old mangling, which ends in a hash.
#[cfg(feature = "demangle")]
pub(super) fn is_rust_legacy(name: &str) -> bool {
    let hash = name.strip_suffix('E').and_then(|name| name.get(name.len().checked_sub(19)?..));
    name.starts_with("_ZN") && hash.is_some_and(|hash| hash.strip_prefix("17").is_some_and(is_rust_hash))
}

fn is_rust_hash(component: &str) -> bool {
    let is_hexadecimal = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    component.strip_prefix('h').is_some_and(|hash| hash.len() == 16 && hash.bytes().all(is_hexadecimal))
}

/// The components of a nested name up to its `E`, and what follows.
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

/// The components of a name that is not nested: one, and perhaps `std` before it.
fn only_component(rest: &str) -> Option<(Vec<&str>, &str)> {
    match rest.strip_prefix("St") {
        Some(rest) => component(rest).map(|(component, rest)| (vec!["std", component], rest)),
        None => component(rest).map(|(component, rest)| (vec![component], rest)),
    }
}

/// An identifier with its template arguments, and what follows.
fn component(rest: &str) -> Option<(&str, &str)> {
    let (identifier, rest) = identifier(rest.strip_prefix('L').unwrap_or(rest))?;
    let rest = if rest.starts_with('I') { after_arguments(rest)? } else { rest };
    let shown = if is_anonymous(identifier) { "(anonymous namespace)" } else { identifier };
    Some((shown, rest))
}

/// `_GLOBAL__N_1`, or with nvcc's hash and file: `_GLOBAL__N__3d87e102_4_a_cu`.
fn is_anonymous(identifier: &str) -> bool {
    let kind = identifier.strip_prefix("_GLOBAL_").and_then(|rest| rest.strip_prefix(['_', '.', '$']));
    kind.is_some_and(|kind| kind.starts_with('N'))
}

/// `4gemm` → `gemm`.
fn identifier(rest: &str) -> Option<(&str, &str)> {
    let (length, rest) = number(rest)?;
    rest.split_at_checked(length).filter(|(identifier, _)| !identifier.is_empty())
}

fn number(text: &str) -> Option<(usize, &str)> {
    let (digits, rest) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    Some((digits.parse().ok()?, rest))
}

/// What follows the template arguments that `rest` begins with.
fn after_arguments(mut rest: &str) -> Option<&str> {
    let mut open = Vec::new();
    loop {
        rest = token(rest, &mut open)?;
        if open.is_empty() {
            return Some(rest);
        }
    }
}

/// Whether `rest` is a list of types to its end, as the parameters of a function are.
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

/// Something that ends at its own `E`.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    /// Template arguments.
    Arguments,
    /// A nested name.
    Name,
    /// The type of a function.
    Function,
    /// A literal whose type has been read once what is open above it has been closed.
    Literal,
    /// The function or variable that is an argument, or that something local belongs to.
    Encoding,
    /// `&function` or `Type::value` as an argument.
    Expression,
    /// The parameters of a lambda.
    Lambda,
}

/// Most of what can be open at once.
const DEEPEST: usize = 128;
/// Most of it that are neither template arguments nor nested names. Demanglers try some of these several ways, each time
/// with all that is in them.
const DEEPEST_RARE: usize = 4;

fn push(what: Open, open: &mut Vec<Open>) -> Option<()> {
    open.push(what);
    let is_rare = |open: &&Open| !matches!(open, Open::Arguments | Open::Name);
    (open.len() <= DEEPEST && open.iter().filter(is_rare).count() <= DEEPEST_RARE).then_some(())
}

/// What stands for itself: what qualifies a type, and the types of one letter.
const SINGLE: &[u8] = b"PROKVrGMuvwbcahstijlmxynofdegz";

/// What follows the first token. Types need not be understood, only what opens and what ends.
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

fn opened<'a>(rest: &'a str, what: Open, open: &mut Vec<Open>) -> Option<&'a str> {
    push(what, open)?;
    rest.get(1..)
}

/// After an `E`.
fn end<'a>(rest: &'a str, open: &mut Vec<Open>) -> Option<&'a str> {
    match open.pop()? {
        Open::Lambda => numbered(rest),
        _ => Some(rest),
    }
}

/// After the `L` of an argument's value, or of a name only its file knows.
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

/// After the `X` of an argument that is a template parameter, a member of a type, or the address of a function. Others are not followed.
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

/// What follows the digits of a value; its `E` comes next.
fn value(rest: &str) -> Option<&str> {
    let rest = rest.trim_start_matches(|c: char| matches!(c, '0'..='9' | 'a'..='f' | 'n' | '_'));
    rest.starts_with('E').then_some(rest)
}

/// After `S`.
fn substitution(rest: &str) -> Option<&str> {
    rest.strip_prefix(['t', 'a', 'b', 's', 'i', 'o', 'd']).or_else(|| numbered(rest))
}

/// After a number in base 36 and its `_`: `_`, `0_`, `1A_`.
fn numbered(rest: &str) -> Option<&str> {
    rest.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase()).strip_prefix('_')
}

/// After the `D` of a type of two letters, a vector or a float of so many bits.
fn d_type(rest: &str) -> Option<&str> {
    if let Some(bits) = rest.strip_prefix('F') {
        return number(bits)?.1.strip_prefix(['_', 'b', 'x']);
    }
    match rest.strip_prefix('v') {
        Some(elements) => number(elements)?.1.strip_prefix('_'),
        None => rest.strip_prefix(['n', 'd', 'e', 'f', 'h', 'i', 's', 'u', 'a', 'c', 'p', 'o']),
    }
}

/// After the `U` of a lambda or a type without a name.
fn unnamed<'a>(rest: &'a str, open: &mut Vec<Open>) -> Option<&'a str> {
    if let Some(parameters) = rest.strip_prefix('l') {
        push(Open::Lambda, open)?;
        return Some(parameters);
    }
    numbered(rest.strip_prefix('t')?)
}

/// After the `_` that tells local things of one name apart: `_0`, `__12_`.
fn discriminator(rest: &str) -> Option<&str> {
    match rest.strip_prefix('_') {
        Some(rest) => number(rest)?.1.strip_prefix('_'),
        None => rest.strip_prefix(|c: char| c.is_ascii_digit()),
    }
}

/// The last component of a path without template arguments. Only `::` outside of brackets divides.
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
