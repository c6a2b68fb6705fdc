// SPDX-License-Identifier: MIT OR Apache-2.0
//! The attribute `kernel`, which pluss and pluss-rayon export, each with the path of its own crate.
//!
//! A build as ever leaves the function as it is. `cargo pluss` sets `PLUSS_KERNELS` for others. traced:
//! the function is not put in line, and each parallel iterator marks its loop and iterations. watched:
//! each tells how it was cut, and who ran what when. The variable is read while the crate is compiled:
//! there is no other code in the program, and no choice while it runs.

mod chains;

use std::ffi::CString;

use proc_macro::TokenStream;
use quote::{quote, ToTokens};
use syn::visit_mut::VisitMut;
use syn::{parse_quote, FnArg, Ident, ItemFn, LitCStr, Pat, PatType, Path, Signature, Stmt, Type};

/// Calls that tell the names of the parameters that are slices. (To look into a vector is an access.)
fn names(signature: &Signature, marks: &Path) -> Vec<Stmt> {
    let slice = |input: &FnArg| match input {
        FnArg::Typed(PatType { pat, ty, .. }) => match (&**pat, &**ty) {
            (Pat::Ident(name), Type::Reference(to)) if matches!(*to.elem, Type::Slice(_)) => {
                Some(name.ident.clone())
            }
            _ => None,
        },
        FnArg::Receiver(_) => None,
    };
    let call = |name: Ident| {
        let text = CString::new(name.to_string()).expect("an identifier");
        let text = LitCStr::new(&text, name.span());
        parse_quote!(#marks::name(&#name[..], #text);)
    };
    signature.inputs.iter().filter_map(slice).map(call).collect()
}

/// `of`: the path of pluss-rayon.
fn expand(arguments: &TokenStream, item: TokenStream, of: Path) -> TokenStream {
    if !arguments.is_empty() {
        return quote!(compile_error! { "kernel takes no arguments" }).into();
    }
    let build = std::env::var("PLUSS_KERNELS").unwrap_or_default();
    if build != "traced" && build != "watched" {
        return item;
    }
    let mut function = match syn::parse::<ItemFn>(item) {
        Ok(function) => function,
        Err(error) => return error.into_compile_error().into(),
    };
    if build == "traced" {
        let mut begin = names(&function.sig, &parse_quote!(#of::marks));
        begin.push(parse_quote!(#[allow(unused_imports)] use #of::marks::Unindexed as _;));
        chains::Marker { of, is_traced: true }.visit_block_mut(&mut function.block);
        function.block.stmts.splice(0..0, begin);
        function.attrs.retain(|attribute| !attribute.path().is_ident("inline"));
        function.attrs.push(parse_quote!(#[inline(never)]));
    } else {
        let name = function.sig.ident.to_string();
        let begin = parse_quote!(let _kernel = #of::watching::Kernel::begin(#name););
        let unindexed = parse_quote!(#[allow(unused_imports)] use #of::watching::Unindexed as _;);
        chains::Marker { of, is_traced: false }.visit_block_mut(&mut function.block);
        function.block.stmts.splice(0..0, [unindexed, begin]);
    }
    function.into_token_stream().into()
}

/// A function whose loops `cargo pluss` traces or watches; `pluss::kernel`.
#[proc_macro_attribute]
pub fn kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand(&arguments, item, parse_quote!(::pluss::rayon))
}

/// The same for crates that depend on pluss-rayon alone; `pluss_rayon::kernel`.
#[proc_macro_attribute]
pub fn rayon_kernel(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand(&arguments, item, parse_quote!(::pluss_rayon))
}

#[cfg(test)]
mod tests {
    use quote::ToTokens;
    use syn::{parse_quote, ItemFn};

    #[test]
    fn slices_are_named() {
        let function: ItemFn = parse_quote!(
            fn f(n: usize, a: &[f64], mut b: &mut [[u8; 2]], v: &Vec<u8>) {}
        );
        let names = super::names(&function.sig, &parse_quote!(m));
        let text: Vec<String> =
            names.iter().map(|name| name.to_token_stream().to_string()).collect();
        assert_eq!(text, ["m :: name (& a [..] , c\"a\") ;", "m :: name (& b [..] , c\"b\") ;"]);
    }
}
