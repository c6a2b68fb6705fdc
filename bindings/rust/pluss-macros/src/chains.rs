// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the loops of Rayon are in an expression: chains of methods that begin with `par_iter` or the
//! like. What takes one item after the other belongs to the iterations, and what consumes them stays
//! outside of the mark.

use std::iter;

use syn::visit_mut::{self, VisitMut};
use syn::{parse_quote, Expr, ExprCall, ExprClosure, ExprMethodCall, ExprPath, Pat, Path};

/// Makes an indexed parallel iterator.
const SOURCES: &[&str] = &[
    "into_par_iter",
    "par_chunks",
    "par_chunks_exact",
    "par_chunks_exact_mut",
    "par_chunks_mut",
    "par_drain",
    "par_iter",
    "par_iter_mut",
    "par_rchunks",
    "par_rchunks_exact",
    "par_rchunks_exact_mut",
    "par_rchunks_mut",
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

/// Whether the call is the last of a chain that makes an indexed parallel iterator of these alone.
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

/// Puts `marks::marked(...)`, or `watching::watched(...)`, around each such chain.
pub struct Marker {
    /// The path of pluss-rayon.
    pub of: Path,
    pub is_traced: bool,
}

impl Marker {
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

/// Whether it is `join(...)` or `rayon::join(...)`.
fn is_join(call: &ExprCall) -> bool {
    let Expr::Path(ExprPath { path, qself: None, .. }) = &*call.func else { return false };
    let name: Vec<_> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    call.args.len() == 2 && matches!(name.join("::").as_str(), "join" | "rayon::join")
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
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        let moves = moves(expression);
        let of = self.of.clone();
        match expression {
            Expr::MethodCall(call) if self.is_traced && closure_of_tuple(call).is_some() => {
                visit_mut::visit_expr_method_call_mut(self, call);
                let (receiver, closure) = (&call.receiver, closure_of_tuple(call));
                *expression = parse_quote!(#of::marks::for_each(#receiver, #closure));
            }
            Expr::Call(call) if is_join(call) => {
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
                *expression = if self.is_traced {
                    parse_quote!(#of::marks::marked::<_, #moves>(#expression))
                } else {
                    parse_quote!(#of::watching::watched(#expression))
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
            || p::watching::watched(a.par_iter()).map(f).for_each(g),
            || b.par_for_each(|x| x)
        ));
        assert_eq!(expression.to_token_stream().to_string(), text(expected));
    }

    fn text(expression: Expr) -> String {
        expression.to_token_stream().to_string()
    }

    #[test]
    fn the_mark_is_before_what_computes() {
        let found = marked(parse_quote!(a.par_iter().enumerate().map(|x| x).sum::<f64>()));
        let expected =
            parse_quote!(m::marked::<_, false>(a.par_iter().enumerate()).map(|x| x).sum::<f64>());
        assert_eq!(found, text(expected));
    }

    #[test]
    fn what_is_zipped_is_one_loop() {
        let found = marked(parse_quote!(a.par_chunks(n).zip(b.par_iter().rev()).for_each(f)));
        let expected = parse_quote!(
            m::marked::<_, false>(a.par_chunks(n).zip(b.par_iter().rev())).for_each(f)
        );
        assert_eq!(found, text(expected));
        let found = marked(parse_quote!(a.par_iter().zip(b.par_iter().map(g)).for_each(f)));
        let expected = parse_quote!(m::marked::<_, false>(a.par_iter())
            .zip(m::marked::<_, false>(b.par_iter()).map(g))
            .for_each(f));
        assert_eq!(found, text(expected));
    }

    #[test]
    fn ranges_are_no_accesses_and_other_values_may_be() {
        let found = marked(parse_quote!((0..n).into_par_iter().for_each(f)));
        assert_eq!(
            found,
            text(parse_quote!(m::marked::<_, false>((0..n).into_par_iter()).for_each(f)))
        );
        let found = marked(parse_quote!(v.into_par_iter().for_each(f)));
        assert_eq!(found, text(parse_quote!(m::marked::<_, true>(v.into_par_iter()).for_each(f))));
    }

    #[test]
    fn joins_and_zips_of_ndarray_are_marked() {
        let found = marked(parse_quote!(rayon::join(|| a.par_iter().for_each(f), g)));
        let expected = parse_quote!(m::join(|| m::marked::<_, false>(a.par_iter()).for_each(f), g));
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
        let expected =
            parse_quote!(m::marked::<_, false>(a.par_iter())
                .for_each(|a| m::marked::<_, false>(a.par_iter()).for_each(f)));
        assert_eq!(found, text(expected));
        for other in ["a.iter().map(f).sum()", "a.par_sort()", "a.par_bridge().for_each(f)"] {
            let expression: Expr = syn::parse_str(other).unwrap();
            assert_eq!(marked(expression.clone()), text(expression));
        }
    }
}
