#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# docs/any-program.md: its files, its commands and what these print; and nests folded out of runs of kernels against the plugin's,
# at more than a hundred times the accesses. TAP.
# Tier: check, limit 300 s
set -u
cd "$(dirname "$0")/../.."
root=$PWD
export BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin" "$tmp/doc"
ln -s "$BUILD/pluss" "$tmp/bin/pluss"
export LC_ALL=C TMPDIR=$tmp PATH=$tmp/bin:$PATH LIBRARY_PATH=$BUILD
export CARGO_TARGET_DIR=$BUILD/rust-fold CARGO_TERM_COLOR=never
verdict() { # NAME, exit status, file with details
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; sed 's/^/    /' "$3" | head -n 20; fi
}

# ---- the document: blocks with a name are files; those named sh are commands, the text after them is what they print ----
cd "$tmp/doc" || exit 1
mkdir -p rows/src
cp "$root/bindings/rust/Cargo.lock" rows/
awk '/^```sh/ { file = "sh." ++n; print $2 >("needs." n); printf "" >file; next }
    /^```text$/ { file = "text." n; next }
    /^```[a-z]+ ./ { file = $2; next }
    /^```$/ { file = ""; next }
    file { print >file }' "$root/docs/any-program.md"
rustc_serves() {
    echo 'fn main() {}' >empty.rs
    RUSTC_BOOTSTRAP=1 rustc -Zsanitizer=thread -Zexternal-clangrt -Cunsafe-allow-abi-mismatch=sanitizer -Clink-arg=-lpluss-trace empty.rs >log 2>&1
}
if cargo fetch --offline --manifest-path rows/Cargo.toml >log 2>&1; then export CARGO_NET_OFFLINE=true; fi
for block in sh.?; do
    n=${block#sh.} needs=$(cat "needs.${block#sh.}")
    name="docs/any-program.md, commands $n${needs:+ ($needs)}"
    case $needs in
    rust) rustc_serves || { echo "ok - $name # SKIP no rustc that takes -Zsanitizer=thread"; continue; } ;;
    clang) command -v clang-14 >/dev/null || { echo "ok - $name # SKIP no clang-14"; continue; } ;;
    esac
    bash -e "$block" >printed 2>log && diff "text.$n" printed >>log 2>&1
    verdict "$name" $? log
done

# ---- the plugin's nests ------------------------------------------------------------------------------------------------
cd "$tmp" || exit 1
compare() { # KERNEL SIZE...
    local kernel=$1 sizes=() region team
    shift
    for size in "$@"; do sizes+=(-D "$size"); done
    OPTS=-O2 TEAMS=3 KEEP=$tmp "$root/polybench/fold.py" "$BUILD" "$kernel" && gcc -std=c11 -O2 -fopenmp -fplugin="$BUILD/pluss.so" -c "$root/polybench/$kernel.c" -o described.o || return
    region=$(pluss nests --text described.o | sed -n 's/^region \([a-z0-9_]*\).*/\1/p')
    sed "s/^region folded/region $region/" "$kernel-O2.3.nest" >folded.nest
    for team in 1 4; do
        pluss simulate folded.nest "${sizes[@]}" -T $team --json -o folded.json && pluss simulate described.o "${sizes[@]}" -T $team --json -o described.json &&
            pluss compare --tolerance 0.005 folded.json described.json || return
    done
}
compare syrk m=100 n=150 >log 2>&1
verdict "syrk: the nest of small runs is the plugin's, at 125 times the accesses" $? log
compare syr2k m=100 n=150 >log 2>&1
verdict "syr2k: the nest of small runs is the plugin's, at 125 times the accesses" $? log
compare jacobi-2d tsteps=40 n=215 >log 2>&1
verdict "jacobi-2d: the nest of small runs is the plugin's, at 100 times the accesses" $? log
