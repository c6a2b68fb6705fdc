#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Packages the crates with the C sources in them, under $BUILD/rust-package (the tree itself stays as it is), and builds
# each from its package. Usage: bindings/rust/package.sh [CARGO OPTION...], e.g. --offline.
set -eu
cd "$(dirname "$0")/../.."
build=$(realpath -m "${BUILD:-build}")
to=$build/rust-package
rm -rf "$to"
mkdir -p "$to"
for crate in pluss-sys pluss-macros pluss-rayon pluss-trace pluss cargo-pluss; do
    cp -R "bindings/rust/$crate" "$to/"
    sed -i 's/^include = \[/include = ["\/COPYING", "\/LICENSES", /' "$to/$crate/Cargo.toml"
done
cp bindings/rust/Cargo.toml bindings/rust/Cargo.lock "$to/"
cp COPYING "$to/pluss-sys/"
cp COPYING "$to/pluss/"
for crate in pluss-macros pluss-rayon pluss-trace cargo-pluss; do cp -R LICENSES "$to/$crate/"; done

vendor() { # CRATE FILE...
    local crate=$1 file
    shift
    for file; do
        mkdir -p "$to/$crate/vendor/$(dirname "$file")"
        cp "$file" "$to/$crate/vendor/$file"
    done
}
shopt -s nullglob globstar
lib=()
for file in ffi/*.[ch] runtime/*.[ch] runtime/*/*.[ch]; do
    case $file in runtime/rt/* | runtime/valgrind_tool/*) ;; *) lib+=("$file") ;; esac
done
vendor pluss-sys "${lib[@]}"
for end in c rs; do # as the Makefile has them
    awk -v root=runtime -f runtime/codegen/prelude/embed.awk runtime/codegen/prelude/prelude.$end \
        >"$to/pluss-sys/vendor/runtime/codegen/prelude_$end.inc"
done
vendor pluss-trace runtime/rt/*.[ch] runtime/base/{ctx,status,linemap}.[ch] runtime/base/arith.h runtime/{team/dispatch,trace/format}.h

cd "$to"
export CARGO_TARGET_DIR=$build/rust-target
for crate in pluss-sys pluss-rayon pluss-trace; do
    cargo package -q --allow-dirty "$@" -p "$crate"
    echo "$CARGO_TARGET_DIR/package/$crate-$(cat "$OLDPWD/VERSION").crate"
done
