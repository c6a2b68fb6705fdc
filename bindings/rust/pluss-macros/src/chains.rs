// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the loops of Rayon are in an expression: chains of methods that begin with `par_iter` or the
//! like. What takes one item after the other belongs to the iterations, and what consumes them stays
//! outside of the mark. Trees of tasks are calls of `join`, `scope` and `spawn`.

use std::iter;

use syn::parse::{Parse, ParseBuffer, ParseStream};
use syn::visit_mut::{self, VisitMut};
use syn::{
    parse_quote, Expr, ExprCall, ExprClosure, ExprMethodCall, ExprPath, Ident, Macro, Pat, Path,
    Stmt, Token,
};

/// Makes a parallel iterator, with an index or without.
const SOURCES: &[&str] = &[
    "into_par_iter",
    "par_bridge",
    "par_chunk_by",
    "par_chunk_by_mut",
    "par_chunks",
    "par_chunks_exact",
    "par_chunks_exact_mut",
    "par_chunks_mut",
    "par_column_iter",
    "par_column_iter_mut",
    "par_drain",
    "par_iter",
    "par_iter_mut",
    "par_rchunks",
    "par_rchunks_exact",
    "par_rchunks_exact_mut",
    "par_rchunks_mut",
    "par_split",
    "par_split_mut",
    "par_windows",
];

/// Makes another indexed one of it, and takes items as they come: only addresses are computed. What
/// follows in the chain, such as the closure of `map`, is a part of the iterations.
const ADAPTERS: &[&str] =
    &["enumerate", "panic_fuse", "rev", "skip", "step_by", "take", "with_max_len", "with_min_len"];

/// The same of two.
const JOINS: &[&str] = &["chain", "interleave", "interleave_shortest", "zip", "zip_eq"];

fn is_in(call: &ExprMethodCall, list: &[&str]) -> bool {
    list.iter().any(|name| call.method == name)
}

/// Whether this is no chain, or one of those above alone.
fn is_plain(expression: &Expr) -> bool {
    match expression {
        Expr::MethodCall(call) => is_indexed(call),
        _ => true,
    }
}

/// Whether the call is the last of a chain that makes a parallel iterator of these alone.
fn is_indexed(call: &ExprMethodCall) -> bool {
    let receiver = match &*call.receiver {
        _ if is_in(call, SOURCES) => return true,
        Expr::MethodCall(receiver) => receiver,
        _ => return false,
    };
    (is_in(call, ADAPTERS) || is_in(call, JOINS) && call.args.iter().all(is_plain))
        && is_indexed(receiver)
}

/// Whether items may be moved out of what is iterated over, which is an access.
fn moves(expression: &Expr) -> bool {
    let Expr::MethodCall(call) = expression else { return false };
    if is_in(call, SOURCES) {
        return match &*call.receiver {
            Expr::Paren(inner) => !matches!(*inner.expr, Expr::Range(_)),
            _ => call.method == "into_par_iter" || call.method == "par_drain",
        };
    }
    moves(&call.receiver) || call.args.iter().any(moves)
}

/// Puts `marks::chain(...).mark()`, or `watching::chain(...).watch()`, around each such chain.
pub struct Marker {
    /// The path of pluss-rayon.
    pub of: Path,
    pub is_traced: bool,
}

impl Marker {
    /// The methods that are marked in place of `par_azip!`. The macro stays where it is not executed, as
    /// otherwise nothing uses what it is imported by.
    fn mark_zip(&mut self, call: &Macro) -> Option<Expr> {
        let mut zip = zip_of(call).filter(|_| self.is_traced)?;
        self.visit_expr_mut(&mut zip);
        Some(parse_quote!(if false { #call; } else { #zip; }))
    }

    /// What a marked chain is made of: closures may have loops of their own.
    fn visit_parts(&mut self, call: &mut ExprMethodCall) {
        let is_source = is_in(call, SOURCES);
        match &mut *call.receiver {
            Expr::MethodCall(receiver) if !is_source => self.visit_parts(receiver),
            receiver => self.visit_expr_mut(receiver),
        }
        if !is_in(call, JOINS) {
            call.args.iter_mut().for_each(|argument| self.visit_expr_mut(argument));
        }
    }
}

/// Whether it is `NAME(...)` or `rayon::NAME(...)`, with so many arguments.
fn is_call(call: &ExprCall, name: &str, arguments: usize) -> bool {
    let Expr::Path(ExprPath { path, qself: None, .. }) = &*call.func else { return false };
    let segments: Vec<_> = path.segments.iter().map(|segment| &segment.ident).collect();
    call.args.len() == arguments
        && match segments[..] {
            [last] => last == name,
            [first, last] => first == "rayon" && last == name,
            _ => false,
        }
}

/// Whether it is `SCOPE.spawn(|...| ...)` of Rayon: closures of the standard library's have no parameter.
fn is_spawn(call: &ExprMethodCall) -> bool {
    let closure = match call.args.first() {
        Some(Expr::Closure(closure)) if call.args.len() == 1 => closure,
        _ => return false,
    };
    call.method == "spawn" && closure.inputs.len() == 1
}

/// `par_azip!((index I, A in EXPRESSION, ...) BODY)` of ndarray: its arrays, parameters and body.
struct Azip {
    is_indexed: bool,
    arrays: Vec<Expr>,
    parameters: Vec<Pat>,
    body: Expr,
}

impl Parse for Azip {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let (parts, mut arrays, mut parameters) = (group(input)?, Vec::new(), Vec::new());
        let mut is_indexed = false;
        while !parts.is_empty() {
            if parameters.is_empty()
                && parts.peek(Ident)
                && parts.fork().parse::<Ident>()? == "index"
            {
                parts.parse::<Ident>()?;
                parameters.push(Pat::parse_single(&parts)?);
                is_indexed = true;
            } else {
                parameters.push(Pat::parse_single(&parts)?);
                parts.parse::<Token![in]>()?;
                arrays.push(parts.parse()?);
            }
            if !parts.is_empty() {
                parts.parse::<Token![,]>()?;
            }
        }
        if arrays.is_empty() {
            return Err(input.error("an array"));
        }
        Ok(Self { is_indexed, arrays, parameters, body: input.parse()? })
    }
}

fn group(input: ParseStream<'_>) -> syn::Result<ParseBuffer<'_>> {
    let content;
    syn::parenthesized!(content in input);
    Ok(content)
}

/// The same by methods.
fn zip_of(call: &Macro) -> Option<Expr> {
    let (last, before) =
        call.path.segments.iter().collect::<Vec<_>>().split_last().map(|(last, before)| {
            ((*last).clone(), before.first().map(|first| first.ident.clone()))
        })?;
    if last.ident != "par_azip" {
        return None;
    }
    let Azip { is_indexed, arrays, parameters, body } = call.parse_body().ok()?;
    let (first, rest) = arrays.split_first()?;
    let ndarray = before.unwrap_or_else(|| Ident::new("ndarray", last.ident.span()));
    let from = Ident::new(if is_indexed { "indexed" } else { "from" }, last.ident.span());
    Some(parse_quote!(
        #ndarray::Zip::#from(#first)#(.and(#rest))*.par_for_each(|#(#parameters),*| #body)
    ))
}

/// What `ITEMS.par_bridge()` is called of.
fn bridged(expression: &Expr) -> Option<&Expr> {
    match expression {
        Expr::MethodCall(call) if call.method == "par_bridge" => Some(&call.receiver),
        _ => None,
    }
}

/// The closure of ndarray's `par_for_each`, as it is for the one tuple of Rayon's.
fn closure_of_tuple(call: &ExprMethodCall) -> Option<ExprClosure> {
    let Some(Expr::Closure(closure)) = call.args.first() else { return None };
    if call.method != "par_for_each" || call.args.len() != 1 {
        return None;
    }
    let (mut closure, inputs) = (closure.clone(), closure.inputs.iter());
    let tuple: Pat = parse_quote!((#(#inputs,)*));
    closure.inputs = iter::once(tuple).collect();
    Some(closure)
}

impl VisitMut for Marker {
    /// A macro that stands alone is no expression to the parser.
    fn visit_stmt_mut(&mut self, statement: &mut Stmt) {
        match statement {
            Stmt::Macro(call) => {
                if let Some(zip) = self.mark_zip(&call.mac) {
                    *statement = Stmt::Expr(zip, call.semi_token);
                }
            }
            _ => visit_mut::visit_stmt_mut(self, statement),
        }
    }

    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if let Expr::Macro(call) = expression {
            if let Some(zip) = self.mark_zip(&call.mac) {
                *expression = zip;
            }
            return;
        }
        let moves = moves(expression);
        let of = self.of.clone();
        match expression {
            Expr::MethodCall(call) if self.is_traced && closure_of_tuple(call).is_some() => {
                visit_mut::visit_expr_method_call_mut(self, call);
                let (receiver, closure) = (&call.receiver, closure_of_tuple(call));
                *expression = parse_quote!(#of::marks::for_each(#receiver, #closure));
            }
            Expr::MethodCall(call) if is_spawn(call) => {
                visit_mut::visit_expr_method_call_mut(self, call);
                let (scope, body) = (&call.receiver, &call.args);
                *expression = if self.is_traced {
                    parse_quote!(#of::marks::spawn(#scope, #body))
                } else {
                    parse_quote!(#of::watching::spawn(#scope, #body))
                };
            }
            Expr::Call(call) if is_call(call, "scope", 1) => {
                visit_mut::visit_expr_call_mut(self, call);
                let body = &call.args;
                *expression = if self.is_traced {
                    parse_quote!(#of::marks::scope(#body))
                } else {
                    parse_quote!(#of::watching::scope(#body))
                };
            }
            Expr::Call(call) if is_call(call, "join", 2) => {
                visit_mut::visit_expr_call_mut(self, call);
                let tasks = &call.args;
                *expression = if self.is_traced {
                    parse_quote!(#of::marks::join(#tasks))
                } else {
                    parse_quote!(#of::watching::join(#tasks))
                };
            }
            Expr::MethodCall(call) if is_indexed(call) => {
                self.visit_parts(call);
                let items = bridged(expression);
                *expression = match items {
                    Some(items) if self.is_traced => parse_quote!(#of::marks::bridge(#items)),
                    _ if self.is_traced => {
                        parse_quote!(#of::marks::chain::<_, #moves>(#expression).mark())
                    }
                    _ => parse_quote!(#of::watching::chain(#expression).watch()),
                };
            }
            _ => visit_mut::visit_expr_mut(self, expression),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Marker;
    use quote::ToTokens;
    use syn::visit_mut::VisitMut;
    use syn::{parse_quote, Expr};

    fn marked(mut expression: Expr) -> String {
        Marker { of: parse_quote!(p), is_traced: true }.visit_expr_mut(&mut expression);
        expression.to_token_stream().to_string().replace("p :: marks", "m")
    }

    #[test]
    fn chains_and_joins_are_watched() {
        let mut expression: Expr =
            parse_quote!(rayon::join(|| a.par_iter().map(f).for_each(g), || b.par_for_each(|x| x)));
        Marker { of: parse_quote!(p), is_traced: false }.visit_expr_mut(&mut expression);
        let expected: Expr = parse_quote!(p::watching::join(
            || p::watching::chain(a.par_iter()).watch().map(f).for_each(g),
            || b.par_for_each(|x| x)
        ));
        assert_eq!(expression.to_token_stream().to_string(), text(expected));
        let mut expression: Expr = parse_quote!(scope(|s| s.spawn(|_| f())));
        Marker { of: parse_quote!(p), is_traced: false }.visit_expr_mut(&mut expression);
        let expected = parse_quote!(p::watching::scope(|s| p::watching::spawn(s, |_| f())));
        assert_eq!(text(expression), text(expected));
    }

    fn text(expression: Expr) -> String {
        expression.to_token_stream().to_string()
    }

    #[test]
    fn the_mark_is_before_what_computes() {
        let found = marked(parse_quote!(a.par_iter().enumerate().map(|x| x).sum::<f64>()));
        let expected = parse_quote!(m::chain::<_, false>(a.par_iter().enumerate())
            .mark()
            .map(|x| x)
            .sum::<f64>());
        assert_eq!(found, text(expected));
    }

    #[test]
    fn what_is_zipped_is_one_loop() {
        let found = marked(parse_quote!(a.par_chunks(n).zip(b.par_iter().rev()).for_each(f)));
        let expected = parse_quote!(m::chain::<_, false>(a.par_chunks(n).zip(b.par_iter().rev()))
            .mark()
            .for_each(f));
        assert_eq!(found, text(expected));
        let found = marked(parse_quote!(a.par_iter().zip(b.par_iter().map(g)).for_each(f)));
        let expected = parse_quote!(m::chain::<_, false>(a.par_iter())
            .mark()
            .zip(m::chain::<_, false>(b.par_iter()).mark().map(g))
            .for_each(f));
        assert_eq!(found, text(expected));
    }

    #[test]
    fn ranges_are_no_accesses_and_other_values_may_be() {
        let found = marked(parse_quote!((0..n).into_par_iter().for_each(f)));
        assert_eq!(
            found,
            text(parse_quote!(m::chain::<_, false>((0..n).into_par_iter()).mark().for_each(f)))
        );
        let found = marked(parse_quote!(v.into_par_iter().for_each(f)));
        assert_eq!(
            found,
            text(parse_quote!(m::chain::<_, true>(v.into_par_iter()).mark().for_each(f)))
        );
    }

    #[test]
    fn joins_and_zips_of_ndarray_are_marked() {
        let found = marked(parse_quote!(rayon::join(|| a.par_iter().for_each(f), g)));
        let expected =
            parse_quote!(m::join(|| m::chain::<_, false>(a.par_iter()).mark().for_each(f), g));
        assert_eq!(found, text(expected));
        let found = marked(parse_quote!(Zip::from(a).and(b).par_for_each(|a, mut b| *a += b)));
        let expected = "m :: for_each (Zip :: from (a) . and (b) , | (a , mut b ,) | * a += b)";
        assert_eq!(found, expected);
        let other: Expr = parse_quote!(handle.join(a, b));
        assert_eq!(marked(other.clone()), text(other));
    }

    #[test]
    fn loops_in_closures_are_marked_and_others_are_left() {
        let found = marked(parse_quote!(a.par_iter().for_each(|a| a.par_iter().for_each(f))));
        let expected = parse_quote!(m::chain::<_, false>(a.par_iter())
            .mark()
            .for_each(|a| m::chain::<_, false>(a.par_iter()).mark().for_each(f)));
        assert_eq!(found, text(expected));
        for other in ["a.iter().map(f).sum()", "a.par_sort()", "thread::scope(|s| s.spawn(|| f()))"]
        {
            let expression: Expr = syn::parse_str(other).unwrap();
            assert_eq!(marked(expression.clone()), text(expression));
        }
    }

    #[test]
    fn trees_of_tasks_and_what_has_no_index_are_marked() {
        let found = marked(parse_quote!(rayon::scope(|s| s.spawn(|_| f(a.par_iter().sum())))));
        let expected =
            parse_quote!(m::scope(|s| m::spawn(s, |_| f(m::chain::<_, false>(a.par_iter())
                .mark()
                .sum()))));
        assert_eq!(found, text(expected));
        let found = marked(parse_quote!(a.chunks(3).par_bridge().map(f).sum::<f64>()));
        assert_eq!(found, text(parse_quote!(m::bridge(a.chunks(3)).map(f).sum::<f64>())));
        let found = marked(parse_quote!({
            par_azip!((a in &mut a, &b in &b) *a += b);
            nd::par_azip!((index (i, j), a in a.view_mut()) { *a = f(i, j) })
        }));
        let first = "m :: for_each (ndarray :: Zip :: from (& mut a) . and (& b) , | (a , & b ,) | * a += b)";
        let second = "m :: for_each (nd :: Zip :: indexed (a . view_mut ()) , \
                      | ((i , j) , a ,) | { * a = f (i , j) })";
        for (text, zip) in found.split("else").skip(1).zip([first, second]) {
            assert!(text.starts_with(&format!(" {{ {zip} ; }}")), "{text}");
        }
    }
}
