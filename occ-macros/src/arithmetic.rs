//! Literals, and arithmetic on them that the macro can do itself.

use proc_macro2::TokenStream;
use syn::{BinOp, Expr, Lit, UnOp};

/// What tokens evaluate to.
#[derive(Clone, Debug)]
pub(crate) enum Evaluated {
    Integer(i128),
    Float(f64),
    Text(String),
    /// An expression that only the compiler can evaluate.
    Constant(TokenStream),
}

/// Returns the value of a number or a string; numbers with a `f32` or `f64` suffix are floating-point.
pub(crate) fn literal_value(literal: &Lit) -> Option<Evaluated> {
    match literal {
        Lit::Int(number) if matches!(number.suffix(), "f32" | "f64") => {
            number.base10_digits().parse().ok().map(Evaluated::Float)
        }
        Lit::Int(number) => number.base10_parse().ok().map(Evaluated::Integer),
        Lit::Float(number) => number.base10_parse().ok().map(Evaluated::Float),
        Lit::Str(text) => Some(Evaluated::Text(text.value())),
        _ => None,
    }
}

/// Returns the value of arithmetic on literals, if it is exact and in range of every type that a value can have.
pub(crate) fn fold(expression: &Expr) -> Option<Evaluated> {
    match expression {
        Expr::Lit(literal) => literal_value(&literal.lit),
        Expr::Paren(inner) => fold(&inner.expr),
        Expr::Group(inner) => fold(&inner.expr),
        Expr::Unary(unary) => match (&unary.op, fold(&unary.expr)?) {
            (UnOp::Neg(_), Evaluated::Integer(value)) => value.checked_neg().map(Evaluated::Integer),
            (UnOp::Neg(_), Evaluated::Float(value)) => Some(Evaluated::Float(-value)),
            _ => None,
        },
        Expr::Binary(binary) => match (fold(&binary.left)?, fold(&binary.right)?) {
            (Evaluated::Integer(left), Evaluated::Integer(right)) => {
                fold_integers(&binary.op, left, right).map(Evaluated::Integer)
            }
            (Evaluated::Float(left), Evaluated::Float(right)) => {
                fold_floats(&binary.op, left, right).map(Evaluated::Float)
            }
            _ => None,
        },
        Expr::Cast(cast) => {
            let Evaluated::Integer(value) = fold(&cast.expr)? else {
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
            (0..1i128 << bits).contains(&value).then_some(Evaluated::Integer(value))
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
