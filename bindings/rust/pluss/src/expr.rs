// SPDX-License-Identifier: GPL-3.0-or-later
//! Expressions of a nest under construction: integers, symbols, induction variables, + - * / %,
//! minimum, maximum, choice, values of index arrays.

use std::fmt::Write;
use std::ops::{Add, BitAnd, BitOr, Div, Mul, Neg, Not, RangeFull, Rem, Sub};

use crate::builder::Array;

/// Marks the number of a name in an expression's text; the builder puts the name there.
pub(crate) const MARK: char = '\u{1}';

/// A symbol or an induction variable of a [`Builder`](crate::Builder).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Var {
    pub(crate) builder: u32,
    pub(crate) name: u32,
}

/// An integer that depends on symbols and induction variables. `/` is floor division and `%` the
/// modulus that goes with it.
#[derive(Clone, Debug)]
pub struct Expr(pub(crate) Text);

/// A condition over expressions; combine with `&`, `|` and `!`.
#[derive(Clone, Debug)]
pub struct Cond(pub(crate) Text);

#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    pub(crate) text: String,
    pub(crate) builder: Option<u32>,
    /// Holds variables of two builders.
    pub(crate) mixed: bool,
}

impl Text {
    fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), builder: None, mixed: false }
    }

    fn name(builder: u32, name: u32) -> Self {
        Self { text: format!("{MARK}{name}{MARK}"), builder: Some(builder), mixed: false }
    }

    fn push(&mut self, other: &Text) {
        self.text += &other.text;
        self.mixed |=
            other.mixed || matches!((self.builder, other.builder), (Some(a), Some(b)) if a != b);
        self.builder = self.builder.or(other.builder);
    }

    /// `before a between b after`
    fn pair(before: &str, a: Text, between: &str, b: &Text, after: &str) -> Self {
        let mut out = Text::plain(before);
        out.push(&a);
        out.text += between;
        out.push(b);
        out.text += after;
        out
    }
}

impl From<Var> for Expr {
    fn from(var: Var) -> Self {
        Self(Text::name(var.builder, var.name))
    }
}

impl From<&Expr> for Expr {
    fn from(expr: &Expr) -> Self {
        expr.clone()
    }
}

impl From<i64> for Expr {
    fn from(value: i64) -> Self {
        let text = if value < 0 { format!("({value})") } else { value.to_string() };
        Self(Text::plain(text))
    }
}

impl From<i32> for Expr {
    fn from(value: i32) -> Self {
        i64::from(value).into()
    }
}

impl From<u32> for Expr {
    fn from(value: u32) -> Self {
        i64::from(value).into()
    }
}

/// Where the value does not fit 64 bits signed, the nest is refused when it is finished.
impl From<usize> for Expr {
    fn from(value: usize) -> Self {
        Self(Text::plain(value.to_string()))
    }
}

/// An extent that is not known.
const OPEN: &str = "..";

/// `..` is an array's slowest extent that is not known, and nothing else.
impl From<RangeFull> for Expr {
    fn from(_: RangeFull) -> Self {
        Self(Text::plain(OPEN))
    }
}

impl Expr {
    pub(crate) fn is_open(&self) -> bool {
        self.0.text == OPEN
    }

    /// The number of the executing thread in its team.
    pub fn thread() -> Self {
        Self(Text::plain("$thread"))
    }

    /// The size of the executing team.
    pub fn team() -> Self {
        Self(Text::plain("$team"))
    }

    /// The smaller of the two.
    pub fn min(self, other: impl Into<Expr>) -> Self {
        Self(Text::pair("min(", self.0, ", ", &other.into().0, ")"))
    }

    /// The larger of the two.
    pub fn max(self, other: impl Into<Expr>) -> Self {
        Self(Text::pair("max(", self.0, ", ", &other.into().0, ")"))
    }

    /// The value that an index array holds.
    pub fn load(array: Array, subscripts: impl Subscripts) -> Self {
        let mut out = Text::name(array.builder, array.name);
        for subscript in subscripts.list() {
            out.text.push('[');
            out.push(&subscript.0);
            out.text.push(']');
        }
        Self(out)
    }
}

macro_rules! compare {
    ($($(#[$doc:meta])* $name:ident $op:literal;)*) => {
        impl Expr {
            $($(#[$doc])* pub fn $name(self, other: impl Into<Expr>) -> Cond {
                Cond(Text::pair("(", self.0, $op, &other.into().0, ")"))
            })*
        }
        impl Var {
            $($(#[$doc])* pub fn $name(self, other: impl Into<Expr>) -> Cond {
                Expr::from(self).$name(other)
            })*
        }
    };
}
compare! {
    /// `self < other`
    lt " < ";
    /// `self <= other`
    le " <= ";
    /// `self > other`
    gt " > ";
    /// `self >= other`
    ge " >= ";
    /// `self == other`
    equals " == ";
    /// `self != other`
    differs " != ";
}

impl Var {
    /// The smaller of the two.
    pub fn min(self, other: impl Into<Expr>) -> Expr {
        Expr::from(self).min(other)
    }

    /// The larger of the two.
    pub fn max(self, other: impl Into<Expr>) -> Expr {
        Expr::from(self).max(other)
    }
}

impl Cond {
    /// `yes` where the condition holds, else `no`.
    pub fn choose(self, yes: impl Into<Expr>, no: impl Into<Expr>) -> Expr {
        let mut out = Text::pair("(", self.0, " ? ", &yes.into().0, " : ");
        out.push(&no.into().0);
        out.text.push(')');
        Expr(out)
    }
}

impl BitAnd for Cond {
    type Output = Cond;
    fn bitand(self, other: Cond) -> Cond {
        Cond(Text::pair("(", self.0, " && ", &other.0, ")"))
    }
}

impl BitOr for Cond {
    type Output = Cond;
    fn bitor(self, other: Cond) -> Cond {
        Cond(Text::pair("(", self.0, " || ", &other.0, ")"))
    }
}

impl Not for Cond {
    type Output = Cond;
    fn not(self) -> Cond {
        let mut out = Text::plain("!");
        out.push(&self.0);
        Cond(out)
    }
}

impl Neg for Expr {
    type Output = Expr;
    fn neg(self) -> Expr {
        let mut out = Text::plain("(-");
        out.push(&self.0);
        out.text.push(')');
        Expr(out)
    }
}

impl Neg for Var {
    type Output = Expr;
    fn neg(self) -> Expr {
        -Expr::from(self)
    }
}

macro_rules! operator {
    ($($trait:ident $method:ident $op:literal;)*) => {$(
        impl<T: Into<Expr>> $trait<T> for Expr {
            type Output = Expr;
            fn $method(self, other: T) -> Expr {
                Expr(Text::pair("(", self.0, $op, &other.into().0, ")"))
            }
        }
        impl<T: Into<Expr>> $trait<T> for Var {
            type Output = Expr;
            fn $method(self, other: T) -> Expr {
                Expr::from(self).$method(other)
            }
        }
        impl $trait<Var> for i64 {
            type Output = Expr;
            fn $method(self, other: Var) -> Expr {
                Expr::from(self).$method(other)
            }
        }
        impl $trait<Expr> for i64 {
            type Output = Expr;
            fn $method(self, other: Expr) -> Expr {
                Expr::from(self).$method(other)
            }
        }
    )*};
}
operator! {
    Add add " + ";
    Sub sub " - ";
    Mul mul " * ";
    Div div " / ";
    Rem rem " % ";
}

/// Subscripts of a reference, extents of an array: arrays, vectors and tuples of what becomes an
/// [`Expr`]. `()` for a scalar.
pub trait Subscripts {
    /// In order.
    fn list(self) -> Vec<Expr>;
}

impl Subscripts for () {
    fn list(self) -> Vec<Expr> {
        Vec::new()
    }
}

impl<T: Into<Expr>, const N: usize> Subscripts for [T; N] {
    fn list(self) -> Vec<Expr> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<T: Into<Expr>> Subscripts for Vec<T> {
    fn list(self) -> Vec<Expr> {
        self.into_iter().map(Into::into).collect()
    }
}

macro_rules! tuples {
    ($($($name:ident)*;)*) => {$(
        impl<$($name: Into<Expr>),*> Subscripts for ($($name,)*) {
            #[allow(non_snake_case)]
            fn list(self) -> Vec<Expr> {
                let ($($name,)*) = self;
                vec![$($name.into()),*]
            }
        }
    )*};
}
tuples! { A; A B; A B C; A B C D; A B C D E; A B C D E F; }

/// Replaces marked numbers by backquoted names.
pub(crate) fn with_names(text: &str, names: &[String]) -> String {
    let mut out = String::with_capacity(text.len());
    for (i, piece) in text.split(MARK).enumerate() {
        match piece.parse::<usize>().ok().filter(|_| i % 2 == 1).and_then(|n| names.get(n)) {
            Some(name) => write!(out, "`{name}`").expect("a String takes all"),
            None => out += piece,
        }
    }
    out
}
