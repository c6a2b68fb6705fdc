#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Generated samplers in C and Rust against each other and against the library's own collection, to the last count.
# (Where chunks are dispatched on demand the library draws at random: there only with one thread.) Prints TAP.
# Tier: check, limit 900 s
set -u
cd "$(dirname "$0")/../.."
build=$(realpath -m "${BUILD:-build}")
work=$build/codegen-test
mkdir -p "$work"
pluss=$build/pluss
here=tests/codegen
failed=0
verdict() { # NAME STATUS LOG
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; head -n 15 "$3" | sed 's/^/    /'; failed=1; fi
}
warn="-std=c11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wstrict-prototypes -Wwrite-strings -Werror"
if ! gcc -Iffi $here/expected_pri.c "$build/libpluss.a" $(pkg-config --libs gsl libelf jansson zlib libzstd) -lm -pthread -o "$work/pri" >"$work/log" 2>&1; then
    verdict "the library's own intervals" 1 "$work/log"
    exit 1
fi
gcc -O1 $warn -Wmissing-prototypes -Iruntime -pthread runtime/codegen/prelude/prelude.c -o "$work/prelude" >"$work/log" 2>&1 &&
    "$work/prelude" -T 3 -D n=20 >"$work/prelude.json" 2>"$work/log" && grep -q '"accesses": 20,' "$work/prelude.json"
verdict "the prelude in C is a program of its own" $? "$work/log"
rust=
command -v cargo >/dev/null && rust=yes

# one package with a program a nest
mkdir -p "$work/rust/src/bin"
cat >"$work/rust/Cargo.toml" <<END
[package]
name = "samplers"
version = "0.0.0"
edition = "2021"
publish = false

[dependencies]
rayon = "1.10"

[workspace]

[lints.rust]
warnings = "deny"
END
cp -f bindings/rust/Cargo.lock "$work/rust/Cargo.lock" 2>/dev/null || :
for nest in gemm syrk jacobi-2d constructs straddle dynamic names; do
    "$pluss" codegen $here/$nest.nest --lang c -o "$work/$nest.c" >"$work/log" 2>&1 && gcc -O1 -g -fsanitize=undefined -fno-sanitize-recover $warn -pthread "$work/$nest.c" -o "$work/$nest" >>"$work/log" 2>&1
    verdict "$nest: C without warnings" $? "$work/log"
    "$pluss" codegen $here/$nest.nest --lang rust -o "$work/rust/src/bin/$nest.rs" >"$work/log" 2>&1
    verdict "$nest: Rust is written" $? "$work/log"
done
cp runtime/codegen/prelude/prelude.rs "$work/rust/src/bin/"
if command -v rustfmt >/dev/null; then
    rustfmt --edition 2021 --config-path bindings/rust --check runtime/codegen/prelude/prelude.rs >"$work/log" 2>&1
    verdict "the prelude in Rust is formatted" $? "$work/log"
fi
if [ -n "$rust" ]; then
    export CARGO_TARGET_DIR=$build/rust-target CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=0 # as tests/rust
    run_cargo() { (cd "$work/rust" && cargo build -q -j2 "$@"); }
    run_cargo --offline >"$work/log" 2>&1 || run_cargo >"$work/log" 2>&1
    verdict "Rust without warnings" $? "$work/log"
    "$CARGO_TARGET_DIR/debug/prelude" -T 3 -D n=20 >"$work/rust.json" 2>"$work/log" &&
        python3 $here/equal.py "$work/prelude.json" "$work/rust.json" >"$work/log" 2>&1
    verdict "the prelude in Rust is a program of its own" $? "$work/log"
    if cargo clippy --version >/dev/null 2>&1; then
        touch "$work/rust/src/bin/prelude.rs"
        (cd "$work/rust" && cargo clippy -q -j2 --offline --bin prelude -- -D warnings) >"$work/log" 2>&1
        verdict "clippy has nothing to say of the prelude in Rust" $? "$work/log"
    fi
    grep -l 'unsafe [{f]' "$work"/rust/src/bin/*.rs >"$work/log"
    [ ! -s "$work/log" ]
    verdict "Rust without unsafe code" $? "$work/log"
else
    echo "ok - Rust # SKIP no cargo"
fi

compare() { # NEST THREADS LIBRARY? NAME VALUE...
    local nest=$1 threads=$2 library=$3 defines=() pairs i
    shift 3
    pairs=("$@")
    for ((i = 0; i < ${#pairs[@]}; i += 2)); do defines+=(-D "${pairs[i]}=${pairs[i + 1]}"); done
    "$work/$nest" -T "$threads" "${defines[@]}" >"$work/c.json" 2>"$work/log" || { verdict "$nest $threads" 1 "$work/log"; return; }
    if [ "$library" = yes ]; then
        "$work/pri" $here/$nest.nest "$threads" "$@" >"$work/library.json" 2>"$work/log" &&
            python3 $here/equal.py "$work/c.json" "$work/library.json" >"$work/log" 2>&1
        verdict "$nest, $threads threads, $*: C as the library" $? "$work/log"
    fi
    if [ -n "$rust" ]; then
        "$CARGO_TARGET_DIR/debug/$nest" -T "$threads" "${defines[@]}" >"$work/rust.json" 2>"$work/log" &&
            python3 $here/equal.py "$work/c.json" "$work/rust.json" >"$work/log" 2>&1
        verdict "$nest, $threads threads, $*: Rust as C" $? "$work/log"
    fi
}
for threads in 1 3 4 8; do
    compare gemm $threads yes ni 20 nj 21 nk 22
    compare syrk $threads yes n 24 m 17
    compare jacobi-2d $threads yes tsteps 3 n 22
    compare constructs $threads yes n 13
    compare constructs $threads yes n 8 k 5
    compare straddle $threads yes n 50
done
compare dynamic 1 yes n 31
compare names 3 yes fn 9
compare dynamic 4 no n 31

# bad input
"$work/gemm" -D ni=1 >"$work/log" 2>&1
[ $? -eq 2 ] && grep -q 'nj: has no value\|has no value' "$work/log"
verdict "a symbol without a value is named" $? "$work/log"
"$work/gemm" -T 0 >"$work/log" 2>&1
[ $? -eq 2 ]
verdict "no team of 0" $? "$work/log"
"$work/gemm" --workers 0 >"$work/log" 2>&1
[ $? -eq 2 ] && grep -q -- '--workers' "$work/log"
verdict "no 0 workers" $? "$work/log"
# how many workers walk changes nothing
for program in "$work/constructs" ${rust:+"$CARGO_TARGET_DIR/debug/constructs"}; do
    for workers in 1 2 7; do "$program" -T 4 --workers $workers -D n=13 | sha256sum; done | uniq >"$work/log"
    [ "$(wc -l <"$work/log")" -eq 1 ]
    verdict "$(basename "$program"): the number of workers changes nothing" $? "$work/log"
done
printf 'pluss-nest 1 region r "f.c":1 array f64 A[9] branch 0.5 { read A[1] @7 }' >"$work/branch.nest"
"$pluss" codegen "$work/branch.nest" --lang c >"$work/log" 2>&1
[ $? -eq 3 ] && grep -q 'a branch that depends on data' "$work/log"
verdict "what a sampler cannot follow is refused" $? "$work/log"
"$pluss" codegen "$work/branch.nest" >"$work/log" 2>&1
[ $? -eq 2 ] && grep -q -- '--lang' "$work/log"
verdict "the language must be given" $? "$work/log"
exit $failed
