// SPDX-License-Identifier: GPL-3.0-or-later
//! The macro `nest!`.

use crate::builder::Element;

#[doc(hidden)]
pub fn element(name: &str) -> Element {
    Element::from(name)
}

#[doc(hidden)]
pub fn range<A, B>(lo: A, hi: B) -> (A, B) {
    (lo, hi)
}

/// Writes a [`Nest`](crate::Nest) as it reads; gives `Result<Nest, Error>`.
///
/// What is in brackets and bounds are Rust expressions over the names declared (each an
/// [`Expr`](crate::Expr) or [`Var`](crate::Var)) and over integers around them; names that are not
/// declared do not compile. A bound that is more than one name or number stands in parentheses.
///
/// ```
/// # use pluss::nest;
/// let n = 10_i64;
/// let nest = nest! {
///     region stencil(steps, m) {
///         let inner = m - 1;
///         array f64 A[m][n], B[m][n];
///         for t in 0..steps {
///             parallel for i in 1..inner, schedule(dynamic, 2) {
///                 for j in 1..(n - 1) step 2 {
///                     read A[i - 1][j]; read A[i + 1][j]; read A[i][j - 1]; read A[i][j + 1];
///                     if (i.lt(j)) { atomic write B[i][j]; } else { write B[i][j]; }
///                 }
///             }
///             swap A, B;
///         }
///     }
/// }?;
/// assert_eq!(nest.loops().len(), 3);
/// assert_eq!(nest.refs().len(), 6);
/// # Ok::<(), pluss::Error>(())
/// ```
///
/// ```compile_fail,E0425
/// pluss::nest! { region r(n) { array f64 A[n]; for i in 0..n { read A[k]; } } };
/// ```
///
/// Statements: `array ELEMENT name[extent]..., ...;` (element `f64`, `i32`, `b48`, ...; the slowest
/// extent may be `..`: not known),
/// `private array ...;`, `let symbol = expression;`, `[workshare | parallel] for i in lo..hi
/// [step n] [, clause]* { ... }` with the clauses `schedule(kind[, chunk[, most]])`, `nowait`,
/// `collapse(n)`, `num_threads(e)`, `parallel { ... }`, `read`, `write`, `update`, `atomic read`,
/// `atomic write`, `barrier;`, `swap A, B;`, `single { ... }`, `master { ... }`,
/// `critical { ... }`, `if (condition) { ... } else { ... }`, `unknown "reason";`. Several regions
/// stand one after another, each with declarations of its own. A long block may need
/// `#![recursion_limit]`.
#[macro_export]
macro_rules! nest {
    (region $name:ident($($symbol:ident),* $(,)?) { $($body:tt)* } $($more:tt)*) => {{
        #[allow(unused_mut)]
        let mut builder = $crate::Nest::builder(::core::stringify!($name));
        {
            let b = &mut builder;
            $(#[allow(unused_variables, non_snake_case)]
              let $symbol = b.symbol(::core::stringify!($symbol));)*
            $crate::__nest!(b; $($body)*);
        }
        $crate::__nest_regions!(builder; $($more)*);
        builder.build()
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __nest_regions {
    ($builder:ident;) => {};
    ($builder:ident; region $name:ident($($symbol:ident),* $(,)?) { $($body:tt)* }
     $($more:tt)*) => {
        $builder.region(::core::stringify!($name));
        {
            let b = &mut $builder;
            $(#[allow(unused_variables, non_snake_case)]
              let $symbol = b.symbol(::core::stringify!($symbol));)*
            $crate::__nest!(b; $($body)*);
        }
        $crate::__nest_regions!($builder; $($more)*);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __nest {
    ($b:ident;) => { let _ = $b; };
    // declarations
    ($b:ident; array $element:ident $($name:ident $([$extent:expr])*),+; $($rest:tt)*) => {
        $(#[allow(unused_variables, non_snake_case)]
          let $name = $b.array(
              $crate::__private::element(::core::stringify!($element)),
              ::core::stringify!($name),
              $crate::__nest_list!($($extent),*),
          );)+
        $crate::__nest!($b; $($rest)*);
    };
    ($b:ident; private array $element:ident $($name:ident $([$extent:expr])*),+;
     $($rest:tt)*) => {
        $(#[allow(unused_variables, non_snake_case)]
          let $name = $b.private_array(
              $crate::__private::element(::core::stringify!($element)),
              ::core::stringify!($name),
              $crate::__nest_list!($($extent),*),
          );)+
        $crate::__nest!($b; $($rest)*);
    };
    ($b:ident; let $name:ident = $value:expr; $($rest:tt)*) => {
        #[allow(unused_variables, non_snake_case)]
        let $name = $b.define(::core::stringify!($name), $value);
        $crate::__nest!($b; $($rest)*);
    };
    // references
    ($b:ident; read $array:ident $([$sub:expr])*; $($rest:tt)*) => {
        $b.read($array, $crate::__nest_list!($($sub),*));
        $crate::__nest!($b; $($rest)*);
    };
    ($b:ident; write $array:ident $([$sub:expr])*; $($rest:tt)*) => {
        $b.write($array, $crate::__nest_list!($($sub),*));
        $crate::__nest!($b; $($rest)*);
    };
    ($b:ident; update $array:ident $([$sub:expr])*; $($rest:tt)*) => {
        $b.update($array, $crate::__nest_list!($($sub),*));
        $crate::__nest!($b; $($rest)*);
    };
    ($b:ident; atomic $way:ident $array:ident $([$sub:expr])*; $($rest:tt)*) => {
        $b.access($crate::Ref::$way($array, $crate::__nest_list!($($sub),*)).atomic());
        $crate::__nest!($b; $($rest)*);
    };
    // loops
    ($b:ident; for $iv:ident in $lo:tt .. $hi:tt $($rest:tt)*) => {
        $crate::__nest_loop!($b, $iv, $b.for_(::core::stringify!($iv),
            $crate::__private::range($lo, $hi)); $($rest)*);
    };
    ($b:ident; parallel for $iv:ident in $lo:tt .. $hi:tt $($rest:tt)*) => {
        $crate::__nest_loop!($b, $iv, $b.parallel_for(::core::stringify!($iv),
            $crate::__private::range($lo, $hi)); $($rest)*);
    };
    ($b:ident; workshare for $iv:ident in $lo:tt .. $hi:tt $($rest:tt)*) => {
        $crate::__nest_loop!($b, $iv, $b.workshare_for(::core::stringify!($iv),
            $crate::__private::range($lo, $hi)); $($rest)*);
    };
    // the rest
    ($b:ident; barrier; $($rest:tt)*) => {
        $b.barrier();
        $crate::__nest!($b; $($rest)*);
    };
    ($b:ident; swap $one:ident, $other:ident; $($rest:tt)*) => {
        $b.swap($one, $other);
        $crate::__nest!($b; $($rest)*);
    };
    ($b:ident; unknown $reason:literal; $($rest:tt)*) => {
        $b.unknown($reason);
        $crate::__nest!($b; $($rest)*);
    };
    ($b:ident; if ($condition:expr) { $($yes:tt)* } else { $($no:tt)* } $($rest:tt)*) => {
        $b.if_else($condition,
            |b| { $crate::__nest!(b; $($yes)*); }, |b| { $crate::__nest!(b; $($no)*); });
        $crate::__nest!($b; $($rest)*);
    };
    ($b:ident; if ($condition:expr) { $($yes:tt)* } $($rest:tt)*) => {
        $b.if_($condition, |b| { $crate::__nest!(b; $($yes)*); });
        $crate::__nest!($b; $($rest)*);
    };
    ($b:ident; $block:ident { $($body:tt)* } $($rest:tt)*) => {
        $b.$block(|b| { $crate::__nest!(b; $($body)*); });
        $crate::__nest!($b; $($rest)*);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __nest_loop {
    ($b:ident, $iv:ident, $loop:expr; step $step:literal $($rest:tt)*) => {
        $crate::__nest_loop!($b, $iv, $loop.step($step); $($rest)*);
    };
    ($b:ident, $iv:ident, $loop:expr; , schedule(static $(, $chunk:expr)?) $($rest:tt)*) => {
        $crate::__nest_loop!($b, $iv, $loop.schedule($crate::Schedule::Static(
            $crate::__nest_option!($($chunk)?))); $($rest)*);
    };
    ($b:ident, $iv:ident, $loop:expr; , schedule(dynamic $(, $chunk:expr)?) $($rest:tt)*) => {
        $crate::__nest_loop!($b, $iv, $loop.schedule($crate::Schedule::Dynamic(
            $crate::__nest_option!($($chunk)?))); $($rest)*);
    };
    ($b:ident, $iv:ident, $loop:expr; , schedule(guided $(, $chunk:expr)?) $($rest:tt)*) => {
        $crate::__nest_loop!($b, $iv, $loop.schedule($crate::Schedule::Guided(
            $crate::__nest_option!($($chunk)?))); $($rest)*);
    };
    ($b:ident, $iv:ident, $loop:expr; , schedule(rayon, $least:expr $(, $most:expr)?)
     $($rest:tt)*) => {
        $crate::__nest_loop!($b, $iv, $loop.schedule($crate::Schedule::Rayon(
            $crate::Expr::from($least), $crate::__nest_option!($($most)?))); $($rest)*);
    };
    ($b:ident, $iv:ident, $loop:expr; , nowait $($rest:tt)*) => {
        $crate::__nest_loop!($b, $iv, $loop.nowait(); $($rest)*);
    };
    ($b:ident, $iv:ident, $loop:expr; , collapse($n:expr) $($rest:tt)*) => {
        $crate::__nest_loop!($b, $iv, $loop.collapse($n); $($rest)*);
    };
    ($b:ident, $iv:ident, $loop:expr; , num_threads($n:expr) $($rest:tt)*) => {
        $crate::__nest_loop!($b, $iv, $loop.num_threads($n); $($rest)*);
    };
    ($b:ident, $iv:ident, $loop:expr; { $($body:tt)* } $($rest:tt)*) => {
        #[allow(unused_variables)]
        $loop.body(|b, $iv| { $crate::__nest!(b; $($body)*); });
        $crate::__nest!($b; $($rest)*);
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __nest_option {
    () => {
        ::core::option::Option::None
    };
    ($value:expr) => {
        ::core::option::Option::Some($crate::Expr::from($value))
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __nest_list {
    () => { () };
    ($($value:expr),+) => { [$($crate::Expr::from($value)),+] };
}
