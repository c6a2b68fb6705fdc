#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# How loops are dispatched, against GCC and libgomp themselves: loops of all kinds, steps, ranges, chunks and teams
# (loops.h) are compiled and run, and the exact walk, the closed forms, libpluss-rt and generated samplers in C and Rust
# must have each of them the same. Prints TAP.
# Tier: check, limit 120 s
set -u
cd "$(dirname "$0")/../.."
build=$(realpath -m "${BUILD:-build}")
dir=$build/tests/libgomp
here=tests/libgomp
mkdir -p "$dir/rust/src"
failed=0
verdict() { # NAME STATUS LOG
    if [ "$2" -eq 0 ]; then echo "ok - libgomp: $1"; else echo "not ok - libgomp: $1"; head -n 8 "$3" | sed 's/^/    /'; failed=1; fi
}
export OMP_DYNAMIC=false OMP_WAIT_POLICY=passive
unset OMP_SCHEDULE OMP_THREAD_LIMIT

# ---- programs --------------------------------------------------------------------------------------------------------
wrap=
for kind in nonmonotonic_dynamic nonmonotonic_guided ull_nonmonotonic_dynamic ull_nonmonotonic_guided; do
    for call in start next; do wrap+=,--wrap=GOMP_loop_${kind}_$call; done
done
gcc -std=c11 -O1 -D_GNU_SOURCE -Wall -Wextra -Werror -fopenmp $here/observed.c "-Wl$wrap" -o "$dir/observed" >"$dir/log" 2>&1 &&
    gcc -std=c11 -O1 -D_GNU_SOURCE -Wall -Wextra -Werror -Iruntime -Iffi $here/expected.c "$build/libpluss.a" \
        $(pkg-config --libs gsl libelf jansson zlib libzstd) -lm -pthread -o "$dir/expected" >>"$dir/log" 2>&1 &&
    gcc -std=c11 -O1 -D_GNU_SOURCE -Wall -Wextra -Werror -Iruntime $here/expected_rt.c "$build/libpluss-rt.a" -pthread \
        -o "$dir/expected_rt" >>"$dir/log" 2>&1
status=$?
verdict "the programs compile" $status "$dir/log"
[ $status -eq 0 ] || exit 1

# The loops as a nest; iteration (i, j) touches the line [team][chunk][range][i][j] of its loop's array.
write_nest() {
    local id=0 kind step clause head inner
    echo "pluss-nest 1"
    echo "region loops"
    for id in {0..59}; do echo "array b64 A$id[10][5][41][51][4]"; done
    echo "for t in 1..10 { for c in 1..5 { for r in 0..41 {"
    id=0
    for kind in static "static, c" "dynamic, c" "guided, c" "static, c" "guided, c"; do
        for step in 1 2 3 4 5 -1 -2 -3 -4 -5; do
            clause="schedule($kind)" head="10..10 + r" inner="read A$id[t][c][r][i][0]"
            [ $step -lt 0 ] && head="10 + r..10"
            [ $id -ge 40 ] && clause+=" collapse(2)" inner="for j in 0..5 step 3 { read A$id[t][c][r][i][j] }"
            echo "parallel num_threads(t) { workshare for i in $head step $step $clause { $inner } }"
            id=$((id + 1))
        done
    done
    echo "} } }"
}
write_nest >"$dir/loops.nest"

# ---- what libgomp does, whatever the type of the variable -----------------------------------------------------------
for type in int unsigned long ulong; do
    timeout 100 "$dir/observed" $type >"$dir/$type" 2>"$dir/log" && [ "$(wc -l <"$dir/$type")" -gt 70000 ] || cat "$dir/log" >"$dir/$type"
done
timeout 100 "$dir/observed" long dealt >"$dir/dealt" 2>"$dir/log"
# In 32 unsigned bits, GCC (12) gives libgomp a step down as a large one up, and the loop does nothing.
up() { grep -vE '^(dynamic|guided) step=-' "$1"; }
diff "$dir/long" "$dir/int" >"$dir/log" && diff "$dir/long" "$dir/ulong" >>"$dir/log" && diff <(up "$dir/long") <(up "$dir/unsigned") >>"$dir/log"
verdict "the type of the variable changes nothing" $? "$dir/log"

# ---- the same here ---------------------------------------------------------------------------------------------------
compare() { # NAME OBSERVED, how the rest of the arguments has it
    local name=$1 observed=$2
    shift 2
    timeout 100 "$@" >"$dir/expected.lines" 2>"$dir/log" && [ -s "$observed" ] && diff "$observed" "$dir/expected.lines" >"$dir/log"
    verdict "$name" $? "$dir/log"
}
# Where a team of one takes all chunks it does not matter how many there are, and they are not counted.
grep -vE '^(dynamic|guided|collapsed-guided) .* team=1:' "$dir/long" >"$dir/teams"
teams() { "$@" | grep -vE '^(dynamic|guided|collapsed-guided) .* team=1:'; }
compare "the exact walk" "$dir/long" "$dir/expected" walk "$dir/loops.nest"
teams "$dir/expected" closed "$dir/loops.nest" >"$dir/closed" 2>"$dir/log"
compare "the closed forms" "$dir/teams" cat "$dir/closed"
for how in "" unsigned; do
    teams "$dir/expected_rt" $how >"$dir/rt"
    compare "libpluss-rt $how" "$dir/teams" cat "$dir/rt"
done

# ---- generated samplers ----------------------------------------------------------------------------------------------
"$build/pluss" codegen "$dir/loops.nest" --lang c -o "$dir/sampler.c" >"$dir/log" 2>&1 &&
    { sed 's/^int main(/int sampler_main(/' "$dir/sampler.c" && cat $here/owners_main.inc; } >"$dir/owners.c" &&
    gcc -std=c11 -O1 -D_GNU_SOURCE -pthread "$dir/owners.c" -o "$dir/owners" >>"$dir/log" 2>&1
verdict "a sampler in C" $? "$dir/log"
timeout 100 "$dir/owners" >"$dir/touched" 2>"$dir/log"
compare "C" "$dir/dealt" "$dir/expected" sampler <"$dir/touched"

if command -v cargo >/dev/null; then
    export CARGO_TARGET_DIR=$build/rust-target
    printf '[package]\nname = "owners"\nversion = "0.0.0"\nedition = "2021"\npublish = false\n[dependencies]\nrayon = "1.10"\n[workspace]\n' >"$dir/rust/Cargo.toml"
    cp -f bindings/rust/Cargo.lock "$dir/rust/Cargo.lock"
    build_rust() { (cd "$dir/rust" && cargo build -q -j2 "$@"); }
    "$build/pluss" codegen "$dir/loops.nest" --lang rust -o "$dir/sampler.rs" >"$dir/log" 2>&1 &&
        { sed 's/^fn main(/#[allow(dead_code)]\nfn sampler_main(/' "$dir/sampler.rs" && cat $here/owners.rs; } >"$dir/rust/src/main.rs" &&
        { build_rust --offline >>"$dir/log" 2>&1 || build_rust >>"$dir/log" 2>&1; }
    verdict "a sampler in Rust" $? "$dir/log"
    timeout 100 "$CARGO_TARGET_DIR/debug/owners" >"$dir/touched" 2>"$dir/log"
    compare "Rust" "$dir/dealt" "$dir/expected" sampler <"$dir/touched"
else
    echo "ok - libgomp: Rust # SKIP no cargo"
fi
exit $failed
