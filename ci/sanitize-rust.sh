#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The tests of the safe Rust layer with a libpluss built under the address and undefined-behaviour sanitizers, leaks
# included. (`make check` runs them under valgrind; this is quicker to tell and sees more of the C side.) Prints TAP.
set -u
cd "$(dirname "$0")/.."
build=$(realpath -m "${BUILD:-build}")
flags=-fsanitize=address,undefined
runtime=$(gcc -print-file-name=libasan.so)
log=$build/sanitize-rust.log
failed=0
mkdir -p "$build"
make --no-print-directory -s -j"$(nproc)" BUILD="$build/asan" OPT="-O1 -g1" SAN="$flags" "$build/asan/libpluss.a" >"$log" 2>&1 ||
    { echo "not ok - libpluss with $flags"; tail -n 20 "$log"; exit 1; }
# rustc links with -nodefaultlibs: the sanitizers are named, and loaded first when the program runs
export PLUSS_LIB_DIR=$build/asan CARGO_TARGET_DIR=$build/asan/rust-target
export RUSTFLAGS="-Clink-arg=-L$(dirname "$runtime") -Clink-arg=-lasan -Clink-arg=-lubsan"
cd bindings/rust || exit 1
for test in pluss:building pluss:engines pluss-trace:traced; do
    name=${test#*:}
    # pluss-trace compiles libpluss-rt itself
    program=$(CFLAGS="$flags -g1" cargo test -p "${test%:*}" --all-features --locked --test "$name" --no-run --message-format=json 2>"$log" |
        sed -nE 's/.*"name":"'$name'".*"executable":"([^"]*)".*/\1/p' | head -n 1)
    leaks=1
    [ "$name" = traced ] && leaks=0 # the descriptions of sites are never freed
    if [ -n "$program" ] && LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=$leaks UBSAN_OPTIONS=halt_on_error=1 "$program" >"$log" 2>&1; then
        echo "ok - $flags $name"
    else
        echo "not ok - $flags $name"
        tail -n 30 "$log" | sed 's/^/    /'
        failed=1
    fi
done
exit $failed
