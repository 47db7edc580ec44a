//! Values: what a macro can evaluate in tokens, and what only the compiler can.

pub(crate) use crate::arithmetic::Evaluated;
use crate::arithmetic::{fold, literal_value};
use crate::diagnostics::{Diagnostic, TokenRange};
use crate::messages;
use crate::tokens::{is_name, is_punct, ungrouped};
use proc_macro2::{Delimiter, Literal, Spacing, Span, TokenStream, TokenTree};
use syn::{Expr, Lit};

/// A value of type `T`, or the constant expression that yields it.
#[derive(Clone, Debug)]
pub(crate) enum Value<T> {
    Known(T),
    Constant(TokenStream),
}

impl<T: Copy> Value<T> {
    /// Returns the value, if the macro knows it.
    pub(crate) fn known(&self) -> Option<T> {
        match self {
            Value::Known(value) => Some(*value),
            Value::Constant(_) => None,
        }
    }

    /// Returns the expression, if the value is one.
    pub(crate) fn constant(&self) -> Option<&TokenStream> {
        match self {
            Value::Constant(tokens) => Some(tokens),
            Value::Known(_) => None,
        }
    }
}

/// A number, in the type that its constant expression must have.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    Integer(Value<u32>),
    Float(Value<f64>),
}

impl Number {
    /// Returns the number, if the macro knows it.
    pub(crate) fn known(&self) -> Option<occ_core::Number> {
        match self {
            Number::Integer(value) => value.known().map(occ_core::Number::Integer),
            Number::Float(value) => value.known().map(occ_core::Number::Float),
        }
    }

    /// Returns the expression, if the number is one.
    pub(crate) fn constant(&self) -> Option<&TokenStream> {
        match self {
            Number::Integer(value) => value.constant(),
            Number::Float(value) => value.constant(),
        }
    }
}

/// Evaluates tokens as far as the macro can.
pub(crate) fn evaluate(tokens: &[TokenTree]) -> Result<Evaluated, Diagnostic> {
    if is_plain_constant(tokens) {
        return Ok(Evaluated::Constant(tokens.iter().cloned().collect()));
    }
    match tokens {
        [TokenTree::Literal(literal)] if has_too_many_digits(literal) => {
            Err(messages::number_too_large(TokenRange::at(literal.span())))
        }
        [TokenTree::Literal(literal)] => match literal_value(&Lit::new(literal.clone())) {
            Some(value) => Ok(value),
            None => evaluate_expression(tokens),
        },
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::None => evaluate(&ungrouped(tokens)),
        _ => evaluate_expression(tokens),
    }
}

/// Evaluates tokens that are a string.
pub(crate) fn evaluate_text(tokens: &[TokenTree]) -> Option<String> {
    match evaluate(tokens) {
        Ok(Evaluated::Text(text)) => Some(text),
        _ => None,
    }
}

/// Returns whether tokens are certainly an expression with a constant in it: operands with operators between them, as
/// in `BLOCK`, `config::TILE * 4` or `SIZE as u32`. Nearly every constant is, and parsing it would cost more than all
/// the rest.
fn is_plain_constant(tokens: &[TokenTree]) -> bool {
    let mut has_name = false;
    let mut rest = tokens;
    loop {
        // An operand: a literal or a path.
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
        // An operator or the end.
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

/// Maximum nesting of groups in a value, since the parser recurses into each.
const MAX_DEPTH: usize = 100;

/// Maximum number of tokens of a value outside of groups.
const MAX_TOKENS: usize = 4096;

/// Maximum length of a number: more digits would take long to parse and never fit.
const MAX_DIGITS: usize = 400;

fn is_deeper_than(depth: usize, tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => depth == 0 || is_deeper_than(depth - 1, group.stream()),
        _ => false,
    })
}

fn has_too_many_digits(literal: &Literal) -> bool {
    let text = literal.to_string();
    text.len() > MAX_DIGITS && text.starts_with(|c: char| c.is_ascii_digit())
}

fn evaluate_expression(tokens: &[TokenTree]) -> Result<Evaluated, Diagnostic> {
    let whole = TokenRange::of(tokens).unwrap_or(TokenRange::at(Span::call_site()));
    if let [TokenTree::Literal(number), TokenTree::Punct(percent)] = tokens
        && percent.as_char() == '%'
    {
        let fraction = number.to_string().parse::<f64>().ok().map(|percent| percent / 100.0);
        let help = fraction.map(|fraction| messages::write(format_args!("{fraction:?}")));
        return Err(messages::percent_sign(whole).maybe_help(help));
    }
    let stream: TokenStream = tokens.iter().cloned().collect();
    let opened = tokens.iter().filter(|token| is_punct(token, '<')).count();
    if opened > MAX_DEPTH || tokens.len() > MAX_TOKENS || is_deeper_than(MAX_DEPTH, stream.clone()) {
        return Err(messages::expression_too_long(whole));
    }
    let expression: Expr = syn::parse2(stream.clone()).map_err(|error| {
        let at = TokenRange::at(error.span());
        match error.to_string() {
            // An error at the end of the tokens has no span of its own.
            text if text.starts_with("unexpected end") => messages::incomplete_expression(whole),
            text if text == "unexpected token" => messages::expected_comma(at),
            text => Diagnostic::new(at, text),
        }
    })?;
    Ok(fold(&expression).unwrap_or(Evaluated::Constant(stream)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evaluated(source: &str) -> String {
        let tokens: Vec<TokenTree> = source.parse::<TokenStream>().unwrap().into_iter().collect();
        match evaluate(&tokens) {
            Ok(Evaluated::Integer(value)) => value.to_string(),
            Ok(Evaluated::Float(value)) => format!("{value:?}"),
            Ok(Evaluated::Text(text)) => format!("{text:?}"),
            Ok(Evaluated::Constant(tokens)) => format!("constant {tokens}"),
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
        assert_eq!(evaluated("50%"), "error: expected a fraction without `%` = help: write `0.5`");
        assert_eq!(evaluated("3 +"), "error: this expression is incomplete");
        assert_eq!(evaluated("256 block"), "error: expected a comma before this");
        assert!(evaluated("+ 3").starts_with("error: "));
    }
}
