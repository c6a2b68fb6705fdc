#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The Rust crates: their tests against the library just built, examples (traced runs must meet the prediction for the
# assignment that they had, walked and in closed form, to the last count), one nest from three sources, clippy and
# rustfmt where they are, documentation, memory errors by valgrind; in tier full packages that build the C sources, and more
# under valgrind. Prints TAP.
# Tier: check, limit 1800 s
set -u
cd "$(dirname "$0")/../.."
build=$(realpath -m "${BUILD:-build}")
log=$build/rust-test.log
mkdir -p "$build"
failed=0 tier=${PLUSS_TIER:-check}
verdict() { # NAME STATUS LOG
    if [ "$2" -eq 0 ]; then echo "ok - $1"; else echo "not ok - $1"; tail -n 30 "$3" | sed 's/^/    /'; failed=1; fi
}
if ! command -v cargo >/dev/null; then
    echo "ok - Rust # SKIP no cargo; ci/deps.sh installs it"
    exit 0
fi
export CARGO_TARGET_DIR=$build/rust-target PLUSS_LIB_DIR=$build CARGO_TERM_COLOR=never RUST_BACKTRACE=1
export CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=0 CARGO_INCREMENTAL=0 # half the time to build, as fast to run
root=$PWD
cd bindings/rust || exit 1

# Dependencies: from the local cache where they are all there, else fetched.
offline=--offline
if ! cargo fetch --locked --offline >"$log" 2>&1; then
    offline=
    if ! cargo fetch --locked >"$log" 2>&1; then
        verdict "dependencies (neither in the cache nor to be fetched)" 1 "$log"
        exit 1
    fi
fi

cargo test --workspace --all-features --locked $offline -j2 --no-run >"$log" 2>&1
verdict "builds" $? "$log"
grep -qE '^warning: (unused|missing|unreachable|.*generated [0-9]+ warning)' "$log"
[ $? -ne 0 ]
verdict "builds without warnings" $? "$log"

# every Rust test is a test here
cargo test --workspace --all-features --locked $offline -j2 --no-fail-fast >"$log" 2>&1
status=$?
sed -nE 's/^test (.*) \.\.\. ok$/ok - \1/p; s/^test (.*) \.\.\. FAILED$/not ok - \1/p' "$log"
if [ $status -ne 0 ]; then sed -n '/^failures:/,/^test result/p' "$log" | head -n 60 | sed 's/^/    /'; failed=1; fi
[ $status -eq 0 ] && [ "$(grep -c '^test .* ok$' "$log")" -ge 40 ]
verdict "cargo test" $? "$log"

work=$build/rust-examples
mkdir -p "$work"
for tool in closed rayon_pieces; do
    # shellcheck disable=SC2046
    gcc -std=c11 -O2 -Wall -Wextra -Werror -I"$root/runtime" -D_GNU_SOURCE "$root/tests/rust/$tool.c" "$build/libpluss.a" \
        $(pkg-config --libs gsl libelf jansson zlib libzstd) -lm -pthread -o "$work/$tool" >"$log" 2>&1
    verdict "the comparison $tool compiles" $? "$log"
done
examples=$CARGO_TARGET_DIR/debug/examples # `cargo test` builds them
"$examples/pieces" >"$work/pieces.txt" 2>"$log" && "$work/rayon_pieces" <"$work/pieces.txt" >"$log" 2>&1
verdict "the model of Rayon cuts loops as Rayon does, piece by piece" $? "$log"

cargo check -p pluss --no-default-features --lib --locked $offline -j2 >"$log" 2>&1
verdict "pluss without its features" $? "$log"

for example in gemm stencil convolution; do
    "$examples/$example" "$work" >"$log" 2>&1 && grep -q 'T=4' "$log" &&
        [ "$(grep -c '^traced run, [124] thread.* for the recorded assignment 0.0000 %' "$log")" -eq 3 ]
    verdict "example $example: traced runs are as predicted for the assignment they had" $? "$log"
    for threads in 1 2 4; do
        "$work/closed" "$work/$example-$threads" >"$log" 2>&1
        verdict "example $example, $threads threads: as the closed form has it, access by access" $? "$log"
    done
done
# exchanged threads in one of the stencil's steps must show
for end in nest pri; do cp "$work/stencil-2.$end" "$work/other.$end"; done
awk '$1 == "chunk" && $4 == 1 { $3 = 1 - $3 } 1' "$work/stencil-2.chunks" >"$work/other.chunks"
"$work/closed" "$work/other" >"$log" 2>&1
[ $? -eq 1 ] && grep -q differ "$log"
verdict "another assignment has other intervals" $? "$log"

gcc -O2 -fopenmp -fplugin="$build/pluss.so" -c "$root/tests/rust/gemm_nest.c" -o "$work/gemm.o" >"$log" 2>&1 &&
    "$examples/same" "$work/gemm.o" "$root/tests/rust/gemm.nest" >"$log" 2>&1 &&
    [ "$(grep -c ': equal, and so are [1-9]' "$log")" -eq 2 ]
verdict "gemm of nest!, of the plugin and by hand: equal, and what is predicted to the last bit" $? "$log"
sed 's/read B\[k\]\[j\]/read B[j][k]/' "$root/tests/rust/gemm.nest" >"$work/other.nest"
! "$examples/same" "$work/other.nest" >"$log" 2>&1 && grep -q 'another nest' "$log"
verdict "another gemm is not" $? "$log"

if cargo clippy --version >/dev/null 2>&1; then
    cargo clippy -q --workspace --all-targets --all-features --locked $offline -j2 -- -D warnings >"$log" 2>&1
    verdict "clippy" $? "$log"
else
    echo "ok - clippy # SKIP not there"
fi
RUSTDOCFLAGS="-D warnings" cargo doc -q --workspace --all-features --no-deps --locked $offline -j2 >"$log" 2>&1
verdict "documentation without warnings" $? "$log"
if grep -q "rustdoc $(rustdoc --version | cut -d' ' -f2 | cut -d. -f1,2)\$" api.txt; then
    python3 api.py "$CARGO_TARGET_DIR/doc" >"$log" 2>&1
    verdict "the public interface is the recorded one" $? "$log"
    rm -rf "$work/doc" && mkdir "$work/doc" && cp -r "$CARGO_TARGET_DIR"/doc/pluss{,_rayon,_trace,_macros} "$work/doc/" && rm "$work/doc/pluss/struct.Nest.html"
    ! python3 api.py "$work/doc" >"$log" 2>&1 && grep -q '^gone: pluss/struct.Nest: pub struct Nest' "$log" && grep -q 'this breaks users' "$log"
    verdict "one without a type breaks users" $? "$log"
else
    echo "ok - the public interface # SKIP recorded by another rustdoc"
fi
if [ "$tier" = full ]; then # no libpluss, no libgsl
    (unset PLUSS_LIB_DIR && DOCS_RS=1 PKG_CONFIG_LIBDIR=/nowhere RUSTDOCFLAGS="--cfg docsrs -D warnings" CARGO_TARGET_DIR=$CARGO_TARGET_DIR/docsrs \
        cargo doc -q -p pluss -p pluss-sys -p pluss-rayon -p pluss-trace --all-features --no-deps --locked $offline -j2) >"$log" 2>&1
    verdict "documentation as docs.rs builds it" $? "$log"
fi
if cargo fmt --version >/dev/null 2>&1; then
    { cargo fmt --all --check && cargo fmt --manifest-path kernels/Cargo.toml --check; } >"$log" 2>&1
    verdict "rustfmt" $? "$log"
else
    echo "ok - rustfmt # SKIP not there"
fi

# C and Rust side of the safe layer under valgrind
if command -v valgrind >/dev/null; then
    names=building
    [ "$tier" = full ] && names="building engines traced"
    for name in $names; do
        program=$(cargo test --workspace --all-features --locked $offline --no-run --message-format=json 2>/dev/null |
            sed -nE 's/.*"name":"'$name'".*"executable":"([^"]*)".*/\1/p' | head -n 1)
        valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite --suppressions="$root/tests/rust/valgrind.supp" \
            "$program" --test-threads=2 >"$log" 2>&1
        verdict "valgrind: $name" $? "$log"
    done
else
    echo "ok - valgrind # SKIP not there"
fi

# What would be published: the C sources in the packages include nothing that is not there but libgsl's headers; in tier full they
# are unpacked elsewhere, where pkg-config knows libgsl alone, built and tested with packages alone as dependencies.
version=$(cat "$root/VERSION")
includes() { # CRATE: of all its C files, as one
    (cd "$build/rust-package/$1/vendor" && printf '#include "%s"\n' runtime/*/*.c $([ ! -d ffi ] || ls ffi/*.c) |
        gcc -std=c11 -w -M -I. -D_GNU_SOURCE -DPLUSS_WITHOUT_ELF -DPLUSS_WITHOUT_JSON -DPLUSS_WITHOUT_ISL -Iruntime -Iffi -x c - 2>&1)
}
check_unpacked() {
    local folder=$work/unpacked crate
    rm -rf "$folder" && mkdir -p "$folder" "$work/pkgconfig" && cp "$(pkg-config --variable=pcfiledir gsl)/gsl.pc" "$work/pkgconfig/"
    for crate in "$CARGO_TARGET_DIR"/package/*-"$version".crate; do tar -xzf "$crate" -C "$folder"; done
    (cd "$folder" && cp "$root/bindings/rust/Cargo.lock" . &&
        { printf '[workspace]\nmembers = ["*-%s"]\nresolver = "3"\n[patch.crates-io]\n' "$version" &&
            for crate in *-"$version"; do printf '%s = { path = "%s" }\n' "${crate%-"$version"}" "$crate"; done; } >Cargo.toml &&
        unset PLUSS_LIB_DIR PKG_CONFIG_PATH && PKG_CONFIG_LIBDIR=$work/pkgconfig CARGO_TARGET_DIR=$CARGO_TARGET_DIR/unpacked \
        cargo test --workspace --all-features --locked $offline -j2 --no-fail-fast) >"$log" 2>&1
    verdict "packages, unpacked elsewhere, build and pass their tests" $? "$log"
    local archive
    archive=$(ls -t "$CARGO_TARGET_DIR"/unpacked/debug/build/pluss-sys-*/out/libpluss.a 2>/dev/null | head -n 1)
    [ -n "$archive" ] && nm -u "$archive" 2>"$log" | grep -E ' (elf_|gelf_|json_|inflate|deflate|ZSTD_|isl_|hwloc_)' >>"$log"
    [ -n "$archive" ] && [ ! -s "$log" ] && nm -u "$archive" | grep -q ' gsl_'
    verdict "and need libgsl, not libelf, jansson, zlib, libzstd, isl or hwloc" $? "$log"
}
if [ "$(printf '1.90\n%s\n' "$(cargo --version | cut -d' ' -f2)" | sort -V | head -n 1)" = 1.90 ]; then
    BUILD=$build bash package.sh --no-verify --locked $offline >"$log" 2>&1 && [ "$(grep -c '\.crate$' "$log")" -eq 6 ]
    verdict "six crates are packaged" $? "$log"
    { includes pluss-sys && includes pluss-trace; } >"$log"
    tr ' ' '\n' <"$log" | grep -E '/(jansson|libelf|gelf|zlib|zstd|hwloc|isl/[a-z_]*)\.h|error:' >"$log.of"
    [ ! -s "$log.of" ] && grep -q gsl "$log"
    verdict "their C sources are all there, and need libgsl, not libelf, jansson, zlib, libzstd, isl or hwloc" $? "$log.of"
    tar -tzf "$CARGO_TARGET_DIR/package/pluss-trace-$version.crate" >"$log" 2>/dev/null &&
        ! grep -E 'runtime/(nest|bound|model|sampler)/' "$log" && grep -q runtime/rt/rt.h "$log"
    verdict "pluss-trace packages libpluss-rt alone" $? "$log"
    [ "$tier" != full ] || check_unpacked
else
    echo "ok - packages # SKIP cargo before 1.90 does not package crates that depend on each other"
fi
cd "$root" || exit 1
# every function of the header is called by the safe layer, or stands in a list that says why it is not
grep -oE '\bpluss_[a-z0-9_]+\(' ffi/pluss.h | tr -d '(' | grep -v '_fn$' | sort -u >"$work/functions"
grep -ohE '\bsys::pluss_[a-z0-9_]+|\bby pluss_[a-z0-9_]+|_sys::pluss_[a-z0-9_]+' -r bindings/rust/pluss/src | sed 's/.*pluss_/pluss_/' | sort -u >"$work/wrapped"
sed -nE 's/^(pluss_[a-z0-9_]+) +[^ ].*/\1/p' bindings/rust/pluss/without-wrapper.txt | sort >"$work/without"
{ comm -23 "$work/functions" <(sort -u "$work/wrapped" "$work/without") | sed 's/$/ has no wrapper/'
    comm -12 "$work/wrapped" "$work/without" | sed 's/$/ has one/'
    comm -23 "$work/without" "$work/functions" | sed 's/$/ is no function/'; } >"$log"
[ "$(wc -l <"$work/functions")" -ge 170 ] && [ ! -s "$log" ]
verdict "every public function has a safe wrapper, or a reason not to" $? "$log"
grep -L 'SPDX-License-Identifier: MIT OR Apache-2.0' bindings/rust/pluss-{rayon,trace}/{src,tests}/*.rs bindings/rust/{pluss-macros,cargo-pluss}/src/*.rs bindings/rust/pluss-trace/build.rs runtime/rt/*.[ch] runtime/base/{ctx,status,linemap,line_sample}.[ch] runtime/team/dispatch.h >"$log"
[ ! -s "$log" ]
verdict "pluss-rayon, pluss-trace, pluss-macros and cargo-pluss hold MIT OR Apache-2.0 files alone" $? "$log"
git status --porcelain --ignored bindings/rust 2>/dev/null | grep -E '^(\?\?|!!)' >"$log"
[ ! -s "$log" ]
verdict "nothing is generated in the tree" $? "$log"
exit $failed
