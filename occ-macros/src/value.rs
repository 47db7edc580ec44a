//! A value as it was written: a literal the macro can evaluate, or a constant only the compiler can.

use crate::arguments::is_punct;
use crate::diagnostics::{Diagnostic, Ends};
use proc_macro2::{Delimiter, Ident, Literal, Spacing, TokenStream, TokenTree};
use syn::{BinOp, Expr, Lit, UnOp};

/// What a stretch of tokens is worth.
#[derive(Clone, Debug)]
pub(crate) enum Written {
    Integer(i128),
    Float(f64),
    Text(String),
    /// An expression whose value the macro cannot know.
    Constant(TokenStream),
}

/// A value of type `T`, or the constant expression it will be.
#[derive(Clone, Debug)]
pub(crate) enum Value<T> {
    Known(T),
    Constant(TokenStream),
}

impl<T> Value<T> {
    /// The expression, where the value is one.
    pub(crate) fn constant(&self) -> Option<&TokenStream> {
        match self {
            Value::Constant(tokens) => Some(tokens),
            Value::Known(_) => None,
        }
    }
}

impl<T: Copy> Value<T> {
    pub(crate) fn known(&self) -> Option<T> {
        match self {
            Value::Known(value) => Some(*value),
            Value::Constant(_) => None,
        }
    }
}

/// The tokens inside of invisible parentheses, which `macro_rules!` puts around an `$x:expr`.
pub(crate) fn visible(tokens: &[TokenTree]) -> Vec<TokenTree> {
    match tokens {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::None => {
            visible(&group.stream().into_iter().collect::<Vec<_>>())
        }
        _ => tokens.to_vec(),
    }
}

/// Evaluates tokens as far as the macro can.
pub(crate) fn evaluate(tokens: &[TokenTree]) -> Result<Written, Diagnostic> {
    if is_plain_constant(tokens) {
        return Ok(Written::Constant(tokens.iter().cloned().collect()));
    }
    let [token] = tokens else {
        return evaluate_expression(tokens);
    };
    match token {
        TokenTree::Literal(literal) if is_endless(literal) => {
            Err(Diagnostic::new(Ends::one(literal.span()), "this number is too large"))
        }
        TokenTree::Literal(literal) => literal_value(&Lit::new(literal.clone())).map_or_else(
            || evaluate_expression(tokens),
            |written| match written {
                Written::Integer(_) | Written::Float(_) | Written::Text(_) => Ok(written),
                Written::Constant(_) => evaluate_expression(tokens),
            },
        ),
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => evaluate(&visible(tokens)),
        _ => evaluate_expression(tokens),
    }
}

/// Whether tokens are certainly an expression with a constant in it: operands with operators between them, as in
/// `BLOCK`, `config::TILE * 4` or `SIZE as u32`. Nearly every constant is, and a parser costs more than all the rest.
fn is_plain_constant(tokens: &[TokenTree]) -> bool {
    let mut has_name = false;
    let mut rest = tokens;
    loop {
        // An operand: a literal, or a path of names.
        match rest {
            [TokenTree::Literal(_), after @ ..] => rest = after,
            [TokenTree::Ident(name), after @ ..] if is_name(name) => {
                has_name = true;
                rest = after;
                while let [first, second, TokenTree::Ident(name), after @ ..] = rest
                    && is_punct(first, ':')
                    && is_punct(second, ':')
                    && is_name(name)
                {
                    rest = after;
                }
            }
            _ => return false,
        }
        while let [TokenTree::Ident(cast), TokenTree::Ident(to), after @ ..] = rest
            && cast == "as"
            && is_name(to)
        {
            rest = after;
        }
        // An operator, or the end.
        match rest {
            [] => return has_name,
            [TokenTree::Punct(operator), after @ ..]
                if operator.spacing() == Spacing::Alone && "+-*/%".contains(operator.as_char()) =>
            {
                rest = after;
            }
            _ => return false,
        }
    }
}

/// Whether an identifier can be a name or a segment of a path.
pub(crate) fn is_name(ident: &Ident) -> bool {
    const KEYWORDS: [&str; 41] = [
        "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else", "enum",
        "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
        "move", "mut", "override", "pub", "ref", "return", "static", "struct", "trait", "true", "try", "type",
        "unsafe", "use",
    ];
    let name = ident.to_string();
    let may_be_keyword = name.starts_with(|c: char| c.is_ascii_lowercase());
    name != "_"
        && !(may_be_keyword
            && (KEYWORDS.contains(&name.as_str())
                || matches!(
                    name.as_str(),
                    "self"
                        | "super"
                        | "crate"
                        | "where"
                        | "while"
                        | "yield"
                        | "typeof"
                        | "unsized"
                        | "virtual"
                        | "priv"
                )))
}

/// Most groups inside of each other in a value: a parser calls itself for each.
const DEEPEST: usize = 100;

/// Most tokens of a value outside of groups.
const LONGEST: usize = 4096;

fn is_deeper(tokens: TokenStream, than: usize) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => than == 0 || is_deeper(group.stream(), than - 1),
        _ => false,
    })
}

/// Whether a number has more digits than any that fits, which would take long to read.
fn is_endless(literal: &Literal) -> bool {
    let text = literal.to_string();
    text.len() > 400 && text.starts_with(|c: char| c.is_ascii_digit())
}

fn literal_value(literal: &Lit) -> Option<Written> {
    match literal {
        Lit::Int(number) if matches!(number.suffix(), "f32" | "f64") => {
            number.base10_digits().parse().ok().map(Written::Float)
        }
        Lit::Int(number) => number.base10_parse().ok().map(Written::Integer),
        Lit::Float(number) => number.base10_parse().ok().map(Written::Float),
        Lit::Str(text) => Some(Written::Text(text.value())),
        _ => None,
    }
}

fn evaluate_expression(tokens: &[TokenTree]) -> Result<Written, Diagnostic> {
    if let [TokenTree::Literal(number), TokenTree::Punct(percent)] = tokens
        && percent.as_char() == '%'
    {
        let ends = Ends { first: number.span(), last: percent.span() };
        let error = Diagnostic::new(ends, "a fraction is written without `%`");
        let fraction = number.to_string().parse::<f64>().ok().map(|percent| percent / 100.0);
        return Err(match fraction {
            Some(fraction) => error.help(&format!("write `{fraction:?}`")),
            None => error,
        });
    }
    let stream: TokenStream = tokens.iter().cloned().collect();
    let opened = tokens.iter().filter(|token| is_punct(token, '<')).count();
    if opened > DEEPEST || tokens.len() > LONGEST || is_deeper(stream.clone(), DEEPEST) {
        let whole = Ends::of(tokens).unwrap_or(Ends::one(proc_macro2::Span::call_site()));
        return Err(Diagnostic::new(whole, "this expression is too long or nested too deeply"));
    }
    let expression: Expr = syn::parse2(stream.clone()).map_err(|error| {
        let whole = Ends::of(tokens).unwrap_or(Ends::one(error.span()));
        // An error at the end of the tokens has no place of its own.
        let text = error.to_string();
        if text.starts_with("unexpected end") {
            Diagnostic::new(whole, "this expression is not complete")
        } else if text == "unexpected token" {
            Diagnostic::new(Ends::one(error.span()), "expected a comma before this")
        } else {
            Diagnostic::new(Ends::one(error.span()), text)
        }
    })?;
    Ok(match fold(&expression) {
        Some(number) => number,
        None => Written::Constant(stream),
    })
}

/// The value of arithmetic on literals, where it is exact and in range of every type a value can have.
fn fold(expression: &Expr) -> Option<Written> {
    match expression {
        Expr::Lit(literal) => literal_value(&literal.lit),
        Expr::Paren(inner) => fold(&inner.expr),
        Expr::Group(inner) => fold(&inner.expr),
        Expr::Unary(unary) => match (&unary.op, fold(&unary.expr)?) {
            (UnOp::Neg(_), Written::Integer(value)) => value.checked_neg().map(Written::Integer),
            (UnOp::Neg(_), Written::Float(value)) => Some(Written::Float(-value)),
            _ => None,
        },
        Expr::Binary(binary) => match (fold(&binary.left)?, fold(&binary.right)?) {
            (Written::Integer(left), Written::Integer(right)) => {
                fold_integers(&binary.op, left, right).map(Written::Integer)
            }
            (Written::Float(left), Written::Float(right)) => fold_floats(&binary.op, left, right).map(Written::Float),
            _ => None,
        },
        Expr::Cast(cast) => {
            let Written::Integer(value) = fold(&cast.expr)? else {
                return None;
            };
            let syn::Type::Path(path) = &*cast.ty else {
                return None;
            };
            let bits = match path.path.get_ident()?.to_string().as_str() {
                "u8" => 8,
                "u16" => 16,
                "u32" | "usize" => 32,
                "u64" => 64,
                _ => return None,
            };
            (0..1i128 << bits).contains(&value).then_some(Written::Integer(value))
        }
        _ => None,
    }
}

fn fold_integers(operator: &BinOp, left: i128, right: i128) -> Option<i128> {
    match operator {
        BinOp::Add(_) => left.checked_add(right),
        BinOp::Sub(_) => left.checked_sub(right),
        BinOp::Mul(_) => left.checked_mul(right),
        BinOp::Div(_) => left.checked_div(right),
        BinOp::Rem(_) => left.checked_rem(right),
        BinOp::Shl(_) if (0..64).contains(&right) => left.checked_mul(1 << right),
        BinOp::Shr(_) if (0..64).contains(&right) => left.checked_shr(u32::try_from(right).ok()?),
        _ => None,
    }
}

fn fold_floats(operator: &BinOp, left: f64, right: f64) -> Option<f64> {
    match operator {
        BinOp::Add(_) => Some(left + right),
        BinOp::Sub(_) => Some(left - right),
        BinOp::Mul(_) => Some(left * right),
        BinOp::Div(_) => Some(left / right),
        _ => None,
    }
}

/// Whether any token, at any depth, is an identifier `wanted` says yes to, other than behind `::` or `.`.
pub(crate) fn mentions(tokens: &TokenStream, wanted: &impl Fn(&str) -> bool) -> bool {
    let mut path = Path::default();
    tokens.clone().into_iter().any(|token| {
        let found = match &token {
            TokenTree::Ident(ident) => !path.at_member() && wanted(&ident.to_string()),
            TokenTree::Group(group) => mentions(&group.stream(), wanted),
            _ => false,
        };
        path.follow(&token);
        found
    })
}

/// Follows tokens to know whether the next one is a member of what stands before it: behind `::` or a single `.`.
#[derive(Default)]
pub(crate) struct Path {
    state: PathState,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum PathState {
    #[default]
    Elsewhere,
    OneColon,
    Range,
    Member,
}

impl Path {
    pub(crate) fn at_member(&self) -> bool {
        self.state == PathState::Member
    }

    pub(crate) fn follow(&mut self, token: &TokenTree) {
        let TokenTree::Punct(punct) = token else {
            self.state = PathState::Elsewhere;
            return;
        };
        self.state = match (punct.as_char(), punct.spacing(), self.state) {
            (':', Spacing::Alone, PathState::OneColon) | ('.', Spacing::Alone, PathState::Elsewhere) => {
                PathState::Member
            }
            (':', Spacing::Joint, _) => PathState::OneColon,
            ('.', Spacing::Joint, _) => PathState::Range,
            _ => PathState::Elsewhere,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluated(source: &str) -> String {
        let tokens: Vec<TokenTree> = source.parse::<TokenStream>().unwrap().into_iter().collect();
        match evaluate(&tokens) {
            Ok(Written::Integer(value)) => value.to_string(),
            Ok(Written::Float(value)) => format!("{value:?}"),
            Ok(Written::Text(text)) => format!("{text:?}"),
            Ok(Written::Constant(tokens)) => format!("constant {tokens}"),
            Err(error) => format!("error: {}", error.text.replace('\n', " ")),
        }
    }

    #[test]
    fn literals_and_arithmetic_on_them() {
        for (source, expected) in [
            ("256", "256"),
            ("0x100u32", "256"),
            ("1_024usize", "1024"),
            ("-1", "-1"),
            ("48 * 1024", "49152"),
            ("48 << 10", "49152"),
            ("(16 + 16) / 2", "16"),
            ("16usize as u32 * 2", "32"),
            ("0.5", "0.5"),
            ("1.0 / 3.0", "0.3333333333333333"),
            ("1f64", "1.0"),
            ("\"sm_80\"", "\"sm_80\""),
        ] {
            assert_eq!(evaluated(source), expected, "{source}");
        }
    }

    #[test]
    fn what_only_the_compiler_knows_is_left_to_it() {
        for source in ["BLOCK", "Self::BLOCK", "TILE * 2", "size_of::<f32>() as u32 * 4", "-1 as u32", "1 / 0", "true"]
        {
            assert!(evaluated(source).starts_with("constant "), "{source}: {}", evaluated(source));
        }
    }

    #[test]
    fn what_is_no_expression_is_an_error() {
        assert_eq!(evaluated("50%"), "error: a fraction is written without `%` = help: write `0.5`");
        assert_eq!(evaluated("3 +"), "error: this expression is not complete");
        assert_eq!(evaluated("256 block"), "error: expected a comma before this");
        assert!(evaluated("+ 3").starts_with("error: "));
    }
}
